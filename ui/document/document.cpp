#include "ui/document/document.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "core/base/error.h"
#include "core/io/plan/plan_file.h"
#include "ui/document/begins_anew.h"
#include "ui/document/evaluation_failure.h"
#include "ui/document/history_names.h"
#include "ui/document/removed_collectives_found.h"
#include "ui/files/file_digest.h"
#include "ui/files/steps_on_shared_links.h"

namespace overlap::ui {

namespace {

/// What the panel Passes shows of the steps is found here, on the worker thread, and not when it asks.
std::shared_ptr<const Evaluation> evaluateToShow(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                                 const std::stop_token& stop,
                                                 std::shared_ptr<const TimeSource> time_source,
                                                 std::shared_ptr<PassResultCache> cache) {
    auto evaluation = evaluate(graph, plan, stop, std::move(time_source), std::move(cache));
    if (!evaluation) return nullptr;
    for (const StepOutcome& step : evaluation->steps) *step.difference;
    *evaluation->overlaps.difference;
    return evaluation;
}

/// What views ask of an evaluation at once is made on the worker thread: they are not to wait for it.
BackgroundEvaluator::Function withStepsOnSharedLinks(BackgroundEvaluator::Function evaluate) {
    return [evaluate = std::move(evaluate)](const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                            const std::stop_token& stop, std::shared_ptr<const TimeSource> time_source,
                                            std::shared_ptr<PassResultCache> cache) {
        auto evaluation = evaluate(graph, plan, stop, std::move(time_source), std::move(cache));
        withLinksShared(evaluation, stop);
        return evaluation;
    };
}

/// The empty plan that a graph opens with, which another plan takes the place of.
bool isUntouched(const Variant& variant) {
    return variant.plan().buckets.empty() && variant.filePath().isEmpty() && !variant.modified();
}

/// A name with a number where another plan has it.
/// @param except the position of a plan that does not count; -1: none.
std::string nameBesideOthers(const Document& document, const std::string& name, int except = -1) {
    for (int number = 1;; ++number) {
        std::string free = name;
        if (number > 1) free.append(" ").append(std::to_string(number));
        bool taken = false;
        for (int i = 0; i < document.variantCount(); ++i)
            taken = taken || (i != except && document.variant(i).plan().name == free);
        if (!taken) return free;
    }
}

/// The name of a plan that is read, with a number where another plan has it: the file keeps its own until it is saved.
/// @param replaced the position of the plan that is read again; -1: none.
std::string distinctName(const Document& document, const std::string& name, int replaced = -1) {
    const bool only_untouched = document.variantCount() == 2 && isUntouched(document.variant(1));
    return only_untouched ? name : nameBesideOthers(document, name, replaced);
}

}  // namespace

Document::Document(QObject* parent, BackgroundEvaluator::Function evaluate)
    : QObject(parent), evaluator_(nullptr, withStepsOnSharedLinks(evaluate ? std::move(evaluate) : evaluateToShow)) {
    new RemovedCollectivesFound(this);
    new EvaluationFailure(evaluator_, *this);  // first to know: panels ask it when the document tells
    connect(&loader_, &GraphLoader::loaded, this, [this](const LoadedGraph& loaded) { setGraph(loaded); });
    connect(&modules_, &PlanModules::changed, this, &Document::modulesChanged);
    connect(&modules_, &PlanModules::figuresChanged, this, &Document::moduleFiguresChanged);
    connect(&evaluator_, &BackgroundEvaluator::busyChanged, this, &Document::evaluatingChanged);
    connect(&evaluator_, &BackgroundEvaluator::failed, this,
            [this](quint64, const QString& reason) { emit failed(reason); });
    connect(&evaluator_, &BackgroundEvaluator::ready, this,
            [this](quint64 key, std::shared_ptr<const Evaluation> evaluation) {
                const bool times_as_read = !times_ && !loaded_.as_read;
                for (auto& variant : variants_)
                    if (variant->key() == key) variant->setEvaluation(evaluation, !evaluator_.busy(), times_as_read);
            });
}

Document::~Document() = default;

QString Document::name() const {
    if (!isOpen()) return {};
    const std::string& name = loaded_.graph->header().name;
    return name.empty() ? QFileInfo(loaded_.source.file).completeBaseName() : QString::fromStdString(name);
}

void Document::setGraph(const LoadedGraph& loaded) {
    if (isOpen()) emit graphAboutToChange();
    evaluator_.cancel();
    selection_.clear();
    for (const auto& variant : variants_) histories_.keep(loaded_.path, variant->plan(), variant->history());
    variants_.clear();
    current_ = 0;  // there may be fewer
    loaded_ = loaded;
    times_ = nullptr;
    modules_.setGraph(loaded_.graph, loaded_.eligibility, {loaded_.modules, loaded_.module_figures, loaded_.bucketable},
                      loaded_.baseline);

    Plan baseline;
    baseline.name = "Baseline";
    {
        Variant& first = insertVariant(std::move(baseline), true);
        const QSignalBlocker quiet(first);  // all are told of together, when all are there
        first.setEvaluation(loaded_.baseline);
    }
    const RestoredVariants restored = variant_source_ ? variant_source_(loaded_) : RestoredVariants();
    for (const RestoredVariant& kept : restored.variants) insertRestored(kept);
    if (restored.variants.empty()) insertVariant(loaded_.empty_plan, false);
    current_ = std::clamp(restored.current, 0, variantCount() - 1);
    undo_group_.setActiveStack(&variant(current_).undoStack());
    modules_.setRules(variant(current_).plan().module_rules);

    emit graphChanged();
    emit variantsChanged();
    emit currentChanged();
    emit planChanged();
    emit evaluationChanged();
    requestEvaluation();
}

void Document::setTimes(std::shared_ptr<const MeasuredTimes> times) {
    if (!isOpen() || times == times_) return;
    evaluator_.cancel();  // what runs is of the other times
    times_ = std::move(times);
    for (const auto& variant : variants_) variant->invalidate();
    modules_.setTimes(times_ ? times_->module_figures : loaded_.module_figures,
                      times_ ? times_->baseline : loaded_.baseline);
    emit timesChanged();
    variants_.front()->setEvaluation(times_ ? times_->baseline : loaded_.baseline);
    requestEvaluation();
}

void Document::setCostModel(const LoadedGraph& modelled) {
    if (!isOpen() || modelled.path != loaded_.path) return;
    evaluator_.cancel();  // what runs is of the other times
    loaded_ = modelled;
    times_ = nullptr;
    for (const auto& variant : variants_) variant->invalidate();
    modules_.setTimes(loaded_.module_figures, loaded_.baseline);
    emit timesChanged();
    variants_.front()->setEvaluation(loaded_.baseline);
    requestEvaluation();
}

Variant& Document::insertRestored(const RestoredVariant& kept) {
    // Windows of one graph each have a `Plan A`, and a name may have been given again while its plan was closed.
    Plan plan = kept.plan;
    plan.name = nameBesideOthers(*this, plan.name);
    std::shared_ptr<const PlanHistory> history = histories_.take(loaded_.path, kept.plan);
    if (kept.history && !kept.history->empty())
        history = kept.history;  // of this very plan, while another may equal it
    history = withNewName(history, kept.plan.name, plan.name);
    Variant& added = insertVariant(std::move(plan), false, history);
    const QSignalBlocker quiet(added);
    added.setKept(kept.file, kept.digest, kept.modified);
    const bool begins_later = kept.history ? kept.history->begins_later : kept.modified;
    if (added.undoStack().count() == 0) {  // restoreHistory() has not said it
        if (begins_later) added.undoStack().setProperty(begins_anew_property, true);
        if (kept.history && kept.history->ends_earlier) added.undoStack().setProperty(ends_early_property, true);
    }
    return added;
}

Variant& Document::insertVariant(Plan plan, bool read_only, const std::shared_ptr<const PlanHistory>& kept) {
    auto owned = std::make_unique<Variant>(next_key_++, std::move(plan), read_only);
    Variant* added = owned.get();
    undo_group_.addStack(&added->undoStack());
    if (!read_only) {
        const std::shared_ptr<const PlanHistory> history = kept ? kept : histories_.take(loaded_.path, added->plan());
        if (history) added->restoreHistory(*history);
    }
    variants_.push_back(std::move(owned));
    connect(added, &Variant::titleChanged, this, &Document::variantsChanged);
    connect(added, &Variant::planChanged, this, [this, added] {
        if (added != current()) return;
        modules_.setRules(variant(current_).plan().module_rules);
        emit planChanged();
        requestEvaluation();
    });
    connect(added, &Variant::evaluationChanged, this, [this, added] {
        if (added == current()) emit evaluationChanged();
    });
    return *added;
}

void Document::setCurrentIndex(int index) {
    if (index == current_ || index < 0 || index >= variantCount()) return;
    current_ = index;
    undo_group_.setActiveStack(&variant(index).undoStack());
    if (selection_.kind() == Selection::Kind::bucket) selection_.clear();
    modules_.setRules(variant(current_).plan().module_rules);
    emit currentChanged();
    emit planChanged();
    emit evaluationChanged();
    requestEvaluation();
}

Variant& Document::addVariant(Plan plan) {
    Variant& added = insertVariant(std::move(plan), false);
    emit variantsChanged();
    setCurrentIndex(variantCount() - 1);
    return added;
}

Variant& Document::addRestored(const RestoredVariant& kept) {
    Variant& added = insertRestored(kept);
    emit variantsChanged();
    setCurrentIndex(variantCount() - 1);
    return added;
}

void Document::moveVariant(int from, int to) {
    if (from <= 0 || from >= variantCount() || to <= 0 || to >= variantCount() || from == to) return;
    const quint64 current = variant(current_).key();
    const auto first = variants_.begin() + std::min(from, to), last = variants_.begin() + std::max(from, to) + 1;
    std::rotate(first, from < to ? first + 1 : last - 1, last);
    current_ = indexOf(current);
    emit variantsChanged();
}

Variant& Document::addCopyOfCurrent() {
    return addUnderFreeName(editable() ? variant(current_).plan() : loaded_.empty_plan);
}

Variant& Document::addUnderFreeName(Plan plan) {
    plan.name = freeName().toStdString();
    plan.added_by_reading = {};  // it has no file
    return addNew(std::move(plan));
}

Variant& Document::addNew(Plan plan) {
    Variant& added = addVariant(std::move(plan));
    if (!does_the_same(added.plan(), loaded_.empty_plan)) added.setUnsaved({});
    return added;
}

Plan Document::closeVariant(int index) {
    if (index <= 0 || index >= variantCount()) return {};
    std::unique_ptr<Variant> closed = std::move(variants_[static_cast<std::size_t>(index)]);
    variants_.erase(variants_.begin() + index);
    closed->disconnect(this);
    histories_.keep(loaded_.path, closed->plan(), closed->history());
    const bool was_current = index == current_;
    if (index <= current_) current_ = std::max(0, current_ - 1);
    if (was_current) {
        undo_group_.setActiveStack(&variant(current_).undoStack());
        selection_.clear();
    }
    emit variantsChanged();
    if (was_current) {
        modules_.setRules(variant(current_).plan().module_rules);
        emit currentChanged();
        emit planChanged();
        emit evaluationChanged();
        requestEvaluation();
    }
    return closed->plan();
}

Plan Document::fitting(ReadPlan read) const {
    if (!isOpen()) throw InputError(read.path.toStdString(), "", "a plan needs its graph; open the graph first");
    try {
        check_plan_fits(read.plan, *loaded_.empty_plan.graph);
    } catch (const InputError& error) {
        throw error.file().empty() ? error.in_file(read.path.toStdString()) : error;
    }
    if (!read.plan.graph) read.plan.graph = loaded_.empty_plan.graph;
    return std::move(read.plan);
}

Variant& Document::openPlan(ReadPlan read) {
    const QString path = read.path;
    const QByteArray digest = read.digest;
    Plan plan = fitting(std::move(read));
    plan.name = distinctName(*this, plan.name);
    const AddedByReading by_reading = plan.added_by_reading;
    Variant& added = addVariant(std::move(plan));
    added.setSaved(path, digest, by_reading);
    return added;
}

void Document::reloadPlan(int index, ReadPlan read) {
    Variant& changed = variant(index);
    const QByteArray digest = read.digest;
    const QString text = tr("Read %1 again").arg(QFileInfo(read.path).fileName());
    Plan plan = fitting(std::move(read));
    plan.name = distinctName(*this, plan.name, index);
    changed.edit(text, plan);
    changed.setSaved(changed.filePath(), digest, std::move(plan.added_by_reading));
}

void Document::setSource(const GraphSource& source) {
    loaded_.path = source.key();
    loaded_.source = source;
    emit variantsChanged();
}

int Document::indexOf(quint64 key) const {
    for (int i = 0; i < variantCount(); ++i)
        if (variant(i).key() == key) return i;
    return -1;
}

std::shared_ptr<const Evaluation> Document::evaluation() const {
    return isOpen() ? variant(current_).evaluation() : nullptr;
}

bool Document::editable() const {
    return isOpen() && !variant(current_).readOnly();
}

const Buckets& Document::buckets() const {
    static const Buckets none;
    return isOpen() ? variant(current_).plan().buckets : none;
}

void Document::editBuckets(const QString& text, Buckets buckets, const QString& merge_key) {
    if (!editable()) return;
    Plan plan = variant(current_).plan();
    plan.buckets = std::move(buckets);
    editPlan(text, std::move(plan), merge_key);
}

void Document::editPlan(const QString& text, Plan plan, const QString& merge_key) {
    if (editable()) variant(current_).edit(text, std::move(plan), merge_key);
}

void Document::renameCurrent(const QString& name) {
    if (!editable() || name.trimmed().isEmpty()) return;
    Plan plan = variant(current_).plan();
    plan.name = name.trimmed().toStdString();
    editPlan(tr("Rename to %1").arg(name.trimmed()), std::move(plan));
}

Document::NodePlace Document::findNode(const QString& name) const {
    const std::string key = name.toStdString();
    if (const auto shown = evaluation()) {
        if (const NodeId node = shown->graph->find(key); node != no_node) return {shown->graph.get(), node, true};
    }
    if (!isOpen()) return {};
    if (const NodeId node = loaded_.graph->find(key); node != no_node) return {loaded_.graph.get(), node, false};
    return {};
}

int Document::bucketOfNode(const NodePlace& place) const {
    if (place.node == no_node || !isOpen()) return -1;
    NodeId input = place.node;
    if (place.evaluated) {
        const auto shown = evaluation();
        if (!variant(current_).stale()) return shown->entry_of_node[place.node];
        if (const int bucket = shown->bucket_of_node[place.node]; bucket >= 0) return bucket;
        input = shown->origin[place.node];
    }
    // Not by the innermost module's name: a stack may end in a module, such as a parametrization, whose path is no part
    // of the others'.
    const auto holds = [&](const std::string& module) {
        return std::ranges::binary_search(modules().nodes(module), input);
    };
    const auto entry = std::ranges::find_if(
        buckets(), [&](const BucketEntry& bucket) { return std::ranges::any_of(bucket.modules, holds); });
    return input == no_node || entry == buckets().end() ? -1 : static_cast<int>(entry - buckets().begin());
}

void Document::requestEvaluation() {
    if (!isOpen()) return;
    Variant& wanted = variant(current_);
    if (wanted.stale()) {
        evaluator_.request(loaded_.graph, wanted.plan(), wanted.key(), times_ ? times_->source : nullptr,
                           passResults());
    } else {
        evaluator_.cancel();
    }
}

QString Document::freeName() const {
    for (int number = 0;; ++number) {
        const QString name = number < 26 ? tr("Plan %1").arg(QChar(u'A' + number)) : tr("Plan %1").arg(number + 1);
        bool taken = false;
        for (const auto& variant : variants_) taken = taken || variant->title() == name;
        if (!taken) return name;
    }
}

}  // namespace overlap::ui
