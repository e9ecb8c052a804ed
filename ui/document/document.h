#pragma once

#include <QObject>
#include <QUndoGroup>
#include <memory>
#include <vector>

#include "core/plan/plan_edits.h"
#include "ui/document/background_evaluator.h"
#include "ui/document/kept_selection.h"
#include "ui/document/measured_times.h"
#include "ui/document/plan_modules.h"
#include "ui/document/selection.h"
#include "ui/document/variant.h"
#include "ui/files/graph_loader.h"
#include "ui/files/read_plan.h"

namespace overlap::ui {

/// A plan that comes back with its graph.
struct RestoredVariant {
    Plan plan;
    QString file;
    bool modified = false;
    QByteArray digest;                                ///< of the file; see Variant::fileDigest
    std::shared_ptr<const PlanHistory> history = {};  ///< fits the plan; null where none is known
};

/// The variants with which a graph opens, beside its baseline.
struct RestoredVariants {
    std::vector<RestoredVariant> variants;
    int current = 1;  ///< 0 is the baseline
};

/// The open document: a graph, its plan variants, the selection, and the background work on them.
/// The first variant is always the baseline. Every edit goes through edit() and can be undone.
class Document : public QObject {
    Q_OBJECT

  public:
    /// @param evaluate see BackgroundEvaluator.
    explicit Document(QObject* parent = nullptr, BackgroundEvaluator::Function evaluate = {});
    ~Document() override;

    bool isOpen() const { return loaded_.graph != nullptr; }
    const LoadedGraph& loaded() const { return loaded_; }
    const std::shared_ptr<const Graph>& graph() const { return loaded_.graph; }
    /// The modules of the graph, with those that the current plan's rules give; modulesChanged() follows where the
    /// rules have just changed.
    const ModuleTree& modules() const { return *modules_.shown().tree; }
    const std::shared_ptr<const ModuleTree>& sharedModules() const { return modules_.shown().tree; }
    /// The collectives that could be bucketed, in these modules.
    const std::vector<BucketableCollective>& bucketable() const { return *modules_.shown().bucketable; }
    /// The graph without any pass, in the times that figures are of.
    const Evaluation& baseline() const { return times_ ? *times_->baseline : *loaded_.baseline; }
    const ModuleFiguresTable& moduleFigures() const { return *modules_.shown().figures; }
    /// Times that figures of all variants are of; null: the graph's own.
    const std::shared_ptr<const MeasuredTimes>& times() const { return times_; }
    /// What steps of plans for the graph made. Null where no graph is open.
    std::shared_ptr<PassResultCache> passResults() const {
        return loaded_.baseline ? loaded_.baseline->cache : nullptr;
    }
    /// Evaluates all variants again with these times, or with the graph's own. Plans do not change.
    void setTimes(std::shared_ptr<const MeasuredTimes> times);
    /// Evaluates all variants again with another cost model in the open graph, or with the graph as it was read.
    /// Figures are of the graph's times then. Plans do not change.
    /// @param modelled the open graph with another model.
    void setCostModel(const LoadedGraph& modelled);
    /// Name for the title bar and the status bar.
    QString name() const;

    Selection& selection() { return selection_; }
    GraphLoader& loader() { return loader_; }
    QUndoGroup& undoGroup() { return undo_group_; }

    /// Reads a graph in the background; replaces the open one when it has been read, and only then.
    void openGraph(const GraphSource& source) { loader_.load(source); }
    /// Replaces the open graph and all variants; there is a baseline, and an empty plan where nothing is restored.
    void setGraph(const LoadedGraph& loaded);
    /// The same graph is in another file, which it is of from now on: a copy of the sample that the program has. All
    /// else stays.
    void setSource(const GraphSource& source);
    /// Asked for the variants of each graph that is opened; the session sets it.
    void setVariantSource(std::function<RestoredVariants(const LoadedGraph&)> source) {
        variant_source_ = std::move(source);
    }

    int variantCount() const { return static_cast<int>(variants_.size()); }
    Variant& variant(int index) { return *variants_[static_cast<std::size_t>(index)]; }
    const Variant& variant(int index) const { return *variants_[static_cast<std::size_t>(index)]; }
    int currentIndex() const { return current_; }
    Variant* current() { return isOpen() ? &variant(current_) : nullptr; }
    void setCurrentIndex(int index);
    /// Adds a variant behind the others and makes it current.
    Variant& addVariant(Plan plan);
    /// The same for a plan that comes back, with its history.
    Variant& addRestored(const RestoredVariant& kept);
    /// Puts a plan in another place among the variants; the baseline stays the first.
    void moveVariant(int from, int to);
    /// A copy of the current plan, or an empty one on the baseline, under the next free name (`Plan B`).
    Variant& addCopyOfCurrent();
    /// A plan that is in no file, under the next free name.
    Variant& addUnderFreeName(Plan plan);
    /// A plan that is in no file, under its own name.
    Variant& addNew(Plan plan);
    /// Closes a variant other than the baseline; returns its plan so that the caller can offer to bring it back. Added
    /// again, it can still undo its edits, and so can plans of a graph that is opened again.
    Plan closeVariant(int index);

    /// Adds a plan as a variant. @throws InputError for a plan of another graph; the document is then as it was.
    Variant& openPlan(ReadPlan read);
    /// Takes what the variant's file has now, as an edit that can be undone. @throws InputError as openPlan(); the
    /// variant is then as it was.
    void reloadPlan(int index, ReadPlan read);
    /// Position of the variant with that key; -1 where it was closed.
    int indexOf(quint64 key) const;

    /// The current variant's newest evaluation; null while there is none.
    std::shared_ptr<const Evaluation> evaluation() const;
    /// True while a graph is being read.
    bool loading() const { return loader_.busy(); }
    /// True while the figures shown are those of an older plan.
    bool evaluating() const { return evaluator_.busy(); }
    /// True while the modules shown may be those of older rules.
    bool repairing() const { return modules_.busy(); }

    /// True when the current variant is a plan.
    bool editable() const;
    const Buckets& buckets() const;
    /// One undoable edit of the current plan's buckets. See Variant::edit.
    void editBuckets(const QString& text, Buckets buckets, const QString& merge_key = {});
    /// One undoable edit of anything in the current plan. See Variant::edit.
    void editPlan(const QString& text, Plan plan, const QString& merge_key = {});
    void renameCurrent(const QString& name);

    /// Where a node of the current evaluation, or of the graph as read, is. no_node where neither has it.
    struct NodePlace {
        const Graph* graph = nullptr;
        NodeId node = no_node;
        bool evaluated = false;  ///< of the evaluation's graph
    };
    NodePlace findNode(const QString& name) const;
    /// The entry whose bucket the node is in, or whose modules contain it; -1 where there is none.
    int bucketOfNode(const NodePlace& place) const;

  signals:
    /// The graph and its variants are about to be removed; the last chance to keep what is unsaved.
    void graphAboutToChange();
    /// Another graph; all variants are new.
    void graphChanged();
    /// Figures are of other times; those of plans follow with evaluationChanged().
    void timesChanged();
    /// Variants were added, removed, renamed, saved, or changed their modified mark.
    void variantsChanged();
    /// Another variant is current.
    void currentChanged();
    /// Nodes have new modules, because the current plan has other rules for them. They are made in the background, so
    /// it may come after planChanged().
    void modulesChanged();
    /// The same modules have figures of other times.
    void moduleFiguresChanged();
    /// The current plan has changed, by an edit or because another variant became current.
    void planChanged();
    /// The current variant's evaluation is another.
    void evaluationChanged();
    void evaluatingChanged(bool evaluating);
    /// Something went wrong in the background; one sentence without full stop.
    void failed(const QString& reason);

  private:
    Plan fitting(ReadPlan read) const;
    Variant& insertVariant(Plan plan, bool read_only, const std::shared_ptr<const PlanHistory>& kept = nullptr);
    Variant& insertRestored(const RestoredVariant& kept);
    void requestEvaluation();
    QString freeName() const;

    LoadedGraph loaded_;
    PlanModules modules_;
    std::shared_ptr<const MeasuredTimes> times_;
    std::function<RestoredVariants(const LoadedGraph&)> variant_source_;
    Selection selection_;
    KeptSelection kept_selection_{*this};
    QUndoGroup undo_group_;
    PlanHistories histories_;  ///< of plans that are not open
    std::vector<std::unique_ptr<Variant>> variants_;
    int current_ = 0;
    quint64 next_key_ = 1;
    BackgroundEvaluator evaluator_;
    GraphLoader loader_;
};

}  // namespace overlap::ui
