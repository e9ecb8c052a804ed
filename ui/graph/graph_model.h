#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <unordered_set>

#include "core/layout/arrangement.h"
#include "core/layout/box_neighbours.h"
#include "core/views/box_places.h"
#include "ui/graph/box_colours.h"
#include "ui/graph/box_filter.h"
#include "ui/graph/box_texts.h"
#include "ui/graph/layout_helper_client.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;

/// What the graph view shows of a document: the boxes of its graph as it was read, which of them are open, where they
/// lie, their colours, and what is dimmed. The view and the pictures paint it.
class GraphModel : public QObject {
    Q_OBJECT

  public:
    explicit GraphModel(Document& document, QObject* parent = nullptr);
    ~GraphModel() override;

    /// False while no graph is open, and until the boxes of a large one are made, which happens in the background; then
    /// nothing else may be asked.
    bool isOpen() const { return contents_ != nullptr; }
    const Graph& graph() const { return *contents_->graph; }
    const BoxTree& tree() const { return contents_->tree; }
    const BoxTexts& texts() const { return contents_->texts; }
    const BoxColours& colours() const { return colours_; }
    const BoxFilter& filter() const { return filter_; }
    const Arrangement& arrangement() const { return *arrangement_; }
    std::shared_ptr<const Arrangement> sharedArrangement() const { return arrangement_; }
    Document& document() const { return document_; }

    BoxColouring colouring() const { return colouring_; }
    void setColouring(BoxColouring colouring);
    const QString& search() const { return search_; }
    void setSearch(const QString& search);
    BoxSubset subset() const { return subset_; }
    void setSubset(BoxSubset subset);

    bool isOpen(BoxId box) const { return open_.contains(box); }
    void setOpen(BoxId box, bool open);
    /// Opens or closes all boxes of the same structure, as identical layers are.
    void setIdenticalOpen(BoxId box, bool open);
    /// Closes everything, down to what is open at first.
    void closeAll();
    /// Opens what is around a box, so that it is drawn.
    void reveal(BoxId box);
    /// Open boxes by BoxTexts::key(), for the session. Unknown keys are ignored.
    QStringList openKeys() const;
    void setOpenKeys(const QStringList& keys);
    /// A box by its key, or no_box.
    BoxId boxOfKey(const QString& key) const;

    /// Boxes of the shared selection, whether they are drawn or not.
    const std::vector<BoxId>& selectedBoxes() const { return selected_; }
    /// Whether a box is selected, or closed around something that is.
    bool isSelected(BoxId box) const { return selected_shown_.contains(box); }
    /// Whether a box is closed around something that is selected, and is not selected itself: a pile some of whose
    /// modules are, or a module around one that is.
    bool isPartlySelected(BoxId box) const { return partly_shown_.contains(box); }
    /// How many modules of a pile that is partly selected are selected as a whole; 0 of other boxes.
    std::uint32_t selectedOf(BoxId pile) const;
    /// What of a box is selected, `3 of 31 selected`; empty unless it is partly selected.
    QString partlySelected(BoxId box) const;
    /// The same with the modules' names in short, `3 of 31 selected: layers.[1-3]`, and of a pile on a second line what
    /// a drag and a click take.
    QString partlySelectedNames(BoxId box) const;
    /// Makes what a box represents the shared selection: of a pile all of its modules.
    void select(BoxId box);
    /// Adds the modules of a box to those that are selected, or takes them out where all are. Of a box that is no
    /// module the selection stays. @returns whether they were added.
    bool selectAlso(BoxId box);
    /// Adds the modules of boxes to those that are selected. @param last is the one that keys start from then.
    void selectModulesOf(const std::vector<BoxId>& boxes, BoxId last);
    /// The boxes of modules beside each other from one to another in order of execution, both included; where they do
    /// not lie side by side in one box, the second alone.
    std::vector<BoxId> boxesBetween(BoxId from, BoxId to) const;
    /// The modules that are selected: several, one, or those of the selected bucket.
    QStringList selectedModules() const;
    /// The modules that a menu or a drag of the box is about: all selected ones where any of the box is among them.
    QStringList modulesWith(BoxId box) const;

    /// What flows between a drawn box and the others that are drawn.
    BoxNeighbours neighbours(BoxId box) const;

    /// Whether Graphviz lays out levels of one direction. Our own layout is shown first, and stays where the helper
    /// fails.
    bool graphviz() const { return helper_ != nullptr; }
    /// @param program the helper; the one beside the application where it is empty.
    void setGraphviz(bool wanted, const QString& program = {});
    /// True while levels are being laid out in the background.
    bool busy() const { return helper_ && helper_->busy(); }
    /// True while boxes of a large graph are being made.
    bool reading() const { return reading_.busy(); }

  signals:
    /// Another graph, or none.
    void reset();
    /// Boxes have moved; @p anchor should stay where it is on the screen, or no_box.
    void arranged(overlap::BoxId anchor);
    /// Colours, selection or what is dimmed became another.
    void changed();
    /// One sentence on why a level is not laid out by Graphviz.
    void told(const QString& sentence);
    /// The shared selection became another from outside of the view.
    void selectionMoved();

  private:
    struct Contents {
        std::shared_ptr<const Graph> graph;
        std::shared_ptr<const ModuleTree> modules;
        BoxPlaces places;
        BoxTree tree;
        std::vector<BoxFigures> figures;
        OccurringFigures occurring;
        BoxTexts texts;
        /// Without figures when `stop` was requested.
        /// @param removed collectives that they leave out.
        Contents(std::shared_ptr<const Graph> read, std::shared_ptr<const ModuleTree> tree_of_modules,
                 const std::vector<double>& times_ms, const std::vector<NodeId>& removed,
                 const std::stop_token& stop = {});
    };

    void read();
    void show(std::shared_ptr<Contents> contents);
    void rearrange(BoxId anchor);
    void askHelper();
    void takeLayout(std::uint64_t key, std::shared_ptr<const LevelLayout> layout);
    void updateFigures();
    /// The plan's evaluation whose compute boxes should have; null: that of the graph as it is.
    std::shared_ptr<const Evaluation> wantedPlan() const;
    void updateEvaluation();
    void showFigures(std::vector<BoxFigures> figures);
    void updateColours();
    void updateFilter();
    void updateSelection();
    /// Which drawn boxes the selection is in.
    void updateMarks();
    std::vector<BoxId> pilesOf(const std::unordered_set<ModuleTree::ModuleId>& modules) const;
    LayoutSize closedSize(BoxId box) const;
    double openWidth(BoxId box) const;
    ArrangementOptions options() const;

    Document& document_;
    std::shared_ptr<Contents> contents_;
    /// Collectives that the newest figures leave out, which may still be being made: the plan's passes take them away.
    std::vector<NodeId> requested_removed_;
    std::shared_ptr<const Evaluation> requested_plan_;  ///< whose compute boxes have; null: that of the graph as it is
    std::unordered_set<BoxId> open_;
    LayoutCache cache_;
    std::shared_ptr<const Arrangement> arrangement_;
    std::unique_ptr<LayoutHelperClient> helper_;
    BoxColours colours_;
    BoxFilter filter_;
    BoxColouring colouring_ = BoxColouring::bucket;
    QString search_;
    BoxSubset subset_ = BoxSubset::everything;
    std::vector<BoxId> selected_;
    std::unordered_set<BoxId> selected_shown_, partly_shown_;
    BoxId chosen_ = no_box;  ///< the box that the user selected last here: one of several of a module
    bool choosing_ = false;
    mutable std::unordered_map<BoxId, LayoutSize> sizes_;
    LatestTask reading_, figuring_;  // last: what they deliver uses the members above
};

}  // namespace overlap::ui
