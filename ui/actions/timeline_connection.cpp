#include "ui/actions/timeline_connection.h"

#include <QScopedValueRollback>
#include <algorithm>
#include <utility>

#include "core/memory/alive_storages.h"
#include "core/pipeline/why_exposed.h"
#include "core/views/collective_figures.h"
#include "core/views/members_of_result.h"
#include "core/views/timeline_of.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/document/selected_modules.h"
#include "ui/measure/trace_times.h"
#include "ui/tasks/released_elsewhere.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

constexpr std::size_t most_alive = 10'000;

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

/// Collective and its wait for a node that is either; nothing else has a flow.
std::vector<TimelineArrow> flowOf(const Evaluation& evaluation, NodeId node) {
    const Graph& graph = *evaluation.graph;
    const NodeId start = graph.target_info(node).is_wait ? graph.awaited_start(node) : node;
    if (start == no_node || evaluation.simulation.collective_of_node[start] < 0) return {};
    const auto& timing =
        evaluation.simulation.collectives[static_cast<std::size_t>(evaluation.simulation.collective_of_node[start])];
    std::vector<TimelineArrow> arrows;
    // Producer and consumer are looked for through nodes that take no time and are not in the timeline.
    auto walk = [&](NodeId from, bool up) {
        for (int step = 0; step < 32 && from != no_node; ++step) {
            const auto next = up ? graph.inputs(from) : graph.users(from);
            if (next.empty()) return no_node;
            from = up ? *std::max_element(next.begin(), next.end()) : *std::min_element(next.begin(), next.end());
            if (evaluation.times_ms[from] > 0) return from;
        }
        return no_node;
    };
    if (const NodeId producer = walk(start, true); producer != no_node) arrows.push_back({producer, start, false});
    if (timing.wait != no_node)
        if (const NodeId consumer = walk(timing.wait, false); consumer != no_node)
            arrows.push_back({start, consumer, false});
    return arrows;
}

/// The flow of a collective, and for a node of a half how that half goes on.
std::vector<TimelineArrow> arrowsOf(const Evaluation& evaluation, const BatchHalves& halves, NodeId node) {
    std::vector<TimelineArrow> arrows = flowOf(evaluation, node);
    for (const HalfStep& step : steps_of_half(evaluation, halves, node)) {
        const auto same = [&](const TimelineArrow& arrow) { return arrow.from == step.from && arrow.to == step.to; };
        if (std::ranges::none_of(arrows, same)) arrows.push_back({step.from, step.to, false});
    }
    return arrows;
}

}  // namespace

TimelineConnection::TimelineConnection(Document& document, TimelineView& view, QObject* parent)
    : QObject(parent), document_(document), view_(view) {
    view.setTitle(tr("Timeline"));
    attach();
    connect(&document, &Document::evaluationChanged, this, &TimelineConnection::makeTimeline);
    connect(&document, &Document::graphChanged, this, [this] {
        if (active_) view_.setTimeline(nullptr);
    });
    connect(&document, &Document::variantsChanged, this, &TimelineConnection::followTitle);
    // A result whose timeline is still being made may have a new name for what is selected, and it is not scrolled to.
    connect(&document.selection(), &Selection::changed, this,
            [this] { showSelection(evaluation_ == shownEvaluation(document_)); });
    connect(&view, &TimelineView::eventSelected, this, [this](quint32 reference, int) { selectFromView(reference); });
}

void TimelineConnection::setActive(bool active) {
    if (std::exchange(active_, active) == active) return;
    if (!active) return task_.cancel();
    attach();
    view_.setTimeline(nullptr);
    makeTimeline();
}

void TimelineConnection::attach() {
    view_.setToolTipProvider([this](quint32 reference) { return toolTip(reference); });
    view_.setSearchTextProvider([this](quint32 reference) {
        if (!evaluation_ || reference >= evaluation_->graph->node_count()) return std::string();
        return std::string(evaluation_->graph->target(reference)) + ' ' + moduleOf(reference);
    });
    view_.setAliveProvider([this](std::size_t point) { return alive(point); });
}

void TimelineConnection::makeTimeline() {
    const auto evaluated = document_.evaluation();
    if (!evaluated || !active_) return;
    const QString plan = document_.current()->title();
    task_.start([this, evaluated, plan](std::stop_token stop) -> LatestTask::Delivery {
        const auto evaluation = withLinksShared(evaluated);
        auto timeline = timeline_of(*evaluation);
        if (stop.stop_requested()) return {};
        const auto members = std::make_shared<const MembersOfResult>(*evaluation);
        const auto halves = std::make_shared<const BatchHalves>(*evaluation->graph);
        if (evaluation->graph->node_count() >= large_graph_nodes) timeline = releasedElsewhere(std::move(timeline));
        return [this, evaluation, plan, members, halves, timeline = std::move(timeline)] {
            const std::vector<quint32> chosen =
                evaluation_ ? counterparts(*evaluation_, *members_, *evaluation, *members, view_.chosenReferences())
                            : std::vector<quint32>();
            evaluation_ = evaluation;
            members_ = members;
            halves_ = halves;
            plan_ = plan;
            const auto& cost = evaluation->graph->header().cost;
            const QString device = cost ? QString::fromStdString(cost->device_name) : QString();
            QStringList caption{tr("simulated"), tr("streams model")};
            if (!evaluation->times_known) caption = QStringList{tr("no times: choose a cost model")};
            if (evaluation->time_source && evaluation->time_source->compilation)
                caption.append(compiledText(evaluation->time_source->compilation->scope));
            if (evaluation->contention) caption.append(tr("with contention"));
            if (evaluation->time_source && evaluation->time_source->share_links) caption.append(tr("links shared"));
            if (cost && !cost->model_name.empty())
                caption.append(tr("estimated with %1").arg(QString::fromStdString(cost->model_name)));
            // For a refused plan the graph without it is drawn.
            if (evaluation->refused) caption.prepend(tr("baseline (plan refused)"));
            if (!device.isEmpty()) caption.append(device);
            showMemoryNotes(*evaluation);
            view_.setTimeline(timeline, caption.join(QStringLiteral(" · ")));
            view_.chooseReferences(chosen);
            showSelection(false);
            emit shown();
        };
    });
}

void TimelineConnection::showMemoryNotes(const Evaluation& evaluation) {
    const QString peak = formatBytes(static_cast<double>(evaluation.corrected_memory.peak_bytes));
    QStringList notes;
    QString help = tr("Memory that the step holds; inputs of a collective are held until its wait: peak %1").arg(peak);
    if (evaluation.corrected_memory.peak_bytes != evaluation.memory.peak_bytes) {
        const QString estimated = formatBytes(static_cast<double>(evaluation.memory.peak_bytes));
        help += tr("; PyTorch's estimator, which releases what collectives read as soon as they are issued and counts "
                   "recomputed tensors with their originals, says %1")
                    .arg(estimated);
    }
    const auto& cost = evaluation.graph->header().cost;
    const std::int64_t held = cost ? cost->memory_bytes : 0;
    const std::int64_t limit = typed_limit_ > 0 ? typed_limit_ : held;
    if (limit > 0)
        help += (typed_limit_ > 0 ? tr("; the dashed line is the limit that was typed, %1; a click on it changes it")
                                  : tr("; the dashed line is what the device holds, %1; a click on it sets another"))
                    .arg(formatBytes(static_cast<double>(limit)));
    if (typed_limit_ > 0 && held > 0) help += tr("; the device holds %1").arg(formatBytes(static_cast<double>(held)));
    // A limit above what the device holds does not make it hold more.
    const std::int64_t tightest = held > 0 ? std::min(limit, held) : limit;
    if (const std::int64_t beyond = evaluation.corrected_memory.peak_bytes - tightest; tightest > 0 && beyond > 0)
        notes.append(tr("%1 too much").arg(formatBytes(static_cast<double>(beyond))));
    view_.setMemoryNotes(notes, help);
    view_.setMemoryLimit(limit);
}

void TimelineConnection::setMemoryLimit(qint64 bytes) {
    typed_limit_ = bytes;
    if (evaluation_ && active_) showMemoryNotes(*evaluation_);
}

/// A plan that is renamed is listed by its new name.
void TimelineConnection::followTitle() {
    if (!evaluation_ || !active_ || evaluation_ != shownEvaluation(document_)) return;
    if (const QString title = document_.current()->title(); title != plan_) {
        plan_ = title;
        view_.listAliveAgain();
    }
}

void TimelineConnection::selectFromView(quint32 reference) {
    if (!evaluation_ || following_ || !active_) return;
    if (reference >= evaluation_->graph->node_count()) return document_.selection().clear();
    const QScopedValueRollback guard(following_, true);
    document_.selection().selectNode(text(evaluation_->graph->name(reference)));
    view_.setArrows(arrowsOf(*evaluation_, *halves_, reference));
    view_.highlightReferences({});
}

void TimelineConnection::showSelection(bool scrolls) {
    if (!evaluation_ || following_ || !active_) return;
    const Selection& selection = document_.selection();
    const Graph& graph = *evaluation_->graph;
    std::vector<quint32> highlighted;
    NodeId selected = no_node;
    if (selection.kind() == Selection::Kind::node) {
        selected = graph.find(selection.node().toStdString());
    } else if (selection.kind() == Selection::Kind::bucket) {
        for (NodeId node = 0; node < graph.node_count(); ++node)
            if (evaluation_->entry_of_node[node] == selection.bucket()) highlighted.push_back(node);
    } else if (selection.kind() == Selection::Kind::group) {
        const std::string group = selection.group().toStdString();
        for (const CollectiveTiming& timing : evaluation_->simulation.collectives)
            if (evaluation_->simulation.groups[timing.group].process_group == group)
                highlighted.push_back(timing.start);
    } else if (!selection.modules().isEmpty() && !selection.modules().contains(QString())) {
        const std::vector<NodeId> nodes = nodesOfSelectedModules(document_, document_.modules());
        for (NodeId node = 0; node < graph.node_count(); ++node)
            if (evaluation_->origin[node] != no_node &&
                std::binary_search(nodes.begin(), nodes.end(), evaluation_->origin[node]))
                highlighted.push_back(node);
        // What was merged, or is done again, is of all the modules that its members are of.
        for (const CollectiveTiming& timing : evaluation_->simulation.collectives) {
            if (evaluation_->origin[timing.start] != no_node) continue;
            const std::vector<NodeId> members = members_->sources_of(timing.start);
            if (std::ranges::any_of(members, [&](NodeId member) { return std::ranges::binary_search(nodes, member); }))
                highlighted.push_back(timing.start);
        }
    }
    view_.selectReference(selected == no_node ? no_reference : selected,
                          scrolls ? TimelineView::Scrolling::toSelection : TimelineView::Scrolling::none);
    view_.highlightReferences(std::move(highlighted));
    view_.setArrows(selected == no_node ? std::vector<TimelineArrow>() : arrowsOf(*evaluation_, *halves_, selected));
}

/// Of what a pass merged, the modules of what it was made of, in short; of what packs and unpacks that, the modules of
/// its bucket.
std::string TimelineConnection::moduleOf(NodeId node) const {
    const ModuleTree& modules = document_.modules();
    if (!modules.exists()) return {};
    const auto pathOf = [&](NodeId input) {
        const ModuleTree::ModuleId module = modules.innermost(input);
        return module == ModuleTree::no_module ? std::string() : modules.path(module);
    };
    if (const NodeId origin = evaluation_->origin[node]; origin != no_node) return pathOf(origin);
    const Graph& graph = *evaluation_->graph;
    const NodeId start = graph.target_info(node).is_wait ? graph.awaited_start(node) : node;
    if (start != no_node && evaluation_->simulation.collective_of_node[start] >= 0) {
        std::vector<std::string> paths;
        for (const NodeId member : members_->of(start))
            if (std::string path = pathOf(member); !path.empty()) paths.push_back(std::move(path));
        return short_modules(paths);
    }
    const std::int32_t entry = evaluation_->bucket_of_node[node];
    if (entry < 0 || !evaluation_->resolved) return {};
    const std::vector<BucketEntry>& buckets = evaluation_->resolved->plan.buckets;
    return static_cast<std::size_t>(entry) < buckets.size()
               ? short_modules(buckets[static_cast<std::size_t>(entry)].modules)
               : std::string();
}

AliveTensors TimelineConnection::alive(std::size_t point) const {
    if (!evaluation_) return {};
    const Graph& graph = *evaluation_->graph;
    const AliveStorages held = alive_storages(graph, StorageRule::corrected, point, most_alive);
    AliveTensors tensors;
    tensors.bytes = held.bytes;
    tensors.count = static_cast<qint64>(held.count);
    tensors.plan = evaluation_->refused ? tr("the baseline, since %1 is refused").arg(plan_) : plan_;
    tensors.rule = tr("inputs of a collective are held until its wait");
    for (const AliveStorage& piece : held.pieces)
        tensors.largest.push_back({piece.allocator, text(graph.name(piece.allocator)),
                                   QString::fromStdString(moduleOf(piece.allocator)), piece.bytes,
                                   piece.released_by == no_node ? QString() : text(graph.name(piece.released_by))});
    return tensors;
}

QString TimelineConnection::toolTip(quint32 reference) const {
    if (!evaluation_ || reference >= evaluation_->graph->node_count()) return {};
    const Graph& graph = *evaluation_->graph;
    QStringList lines{shownName(text(graph.target(reference))).toHtmlEscaped()};
    if (const int half = halves_->half_of(reference); half >= 0)
        lines.append((half == 0 ? tr("first half of %1") : tr("second half of %1"))
                         .arg(shownName(text(halves_->module_of(reference))).toHtmlEscaped()));
    const std::int32_t index = evaluation_->simulation.collective_of_node[reference];
    if (index >= 0) {
        const CollectiveTiming& timing = evaluation_->simulation.collectives[static_cast<std::size_t>(index)];
        lines.append(formatBytes(static_cast<double>(timing.bytes)));
        if (timing.exposed_ms > 0)
            lines.append(tr("%1 exposed: %2")
                             .arg(formatTime(timing.exposed_ms),
                                  withUnbrokenUnits(shownName(QString::fromStdString(
                                                        why_exposed(*evaluation_, static_cast<std::size_t>(index)))))
                                      .toHtmlEscaped()));
    }
    return lines.join(QStringLiteral("<br>"));
}

}  // namespace overlap::ui
