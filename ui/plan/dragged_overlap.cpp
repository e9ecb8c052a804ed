#include "ui/plan/dragged_overlap.h"

#include <algorithm>
#include <cctype>

#include "ui/document/document.h"
#include "ui/edits/overlap_commands.h"
#include "ui/theme/known_time.h"

namespace overlap::ui {
namespace {

/// `layers.3` of `layers.3.attention.wq`; the whole path where no component is a number.
std::string blockOf(const std::string& path) {
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        const auto is_digit = [](unsigned char letter) { return std::isdigit(letter) != 0; };
        if (end > begin && std::all_of(path.begin() + static_cast<std::ptrdiff_t>(begin),
                                       path.begin() + static_cast<std::ptrdiff_t>(end), is_digit))
            return path.substr(0, end);
        begin = end + 1;
    }
    return path;
}

QString effect(const QString& what, const QString& value, const QString& difference) {
    return QStringLiteral("%1 %2  %3").arg(what, value, difference);
}

}  // namespace

DraggedOverlap::DraggedOverlap(Document& document, std::shared_ptr<const Evaluation> evaluation, NodeId start)
    : document_(document), preview_(std::move(evaluation), document.current()->plan(), start) {
    const Evaluation& shown = preview_.evaluation();
    for (NodeId node = 0; node < shown.graph->node_count(); ++node) {
        const bool waits = shown.graph->target_info(node).is_wait;
        // What packs and unpacks a bucket goes with it, and its names do not last.
        if (shown.bucket_of_node[node] >= 0) continue;
        if (shown.times_ms[node] > 0 && shown.simulation.on_compute(node) && !waits) compute_.push_back(node);
    }
}

/// What runs at that time, or starts next; no_node behind the last.
NodeId DraggedOverlap::computeFrom(double time_ms) const {
    const std::vector<NodeTiming>& times = preview_.evaluation().simulation.nodes;
    const auto found =
        std::ranges::partition_point(compute_, [&](NodeId node) { return times[node].end_ms <= time_ms; });
    return found == compute_.end() ? no_node : *found;
}

/// What runs at that time, or ended last; no_node before the first.
NodeId DraggedOverlap::computeUntil(double time_ms) const {
    const std::vector<NodeTiming>& times = preview_.evaluation().simulation.nodes;
    const auto found =
        std::ranges::partition_point(compute_, [&](NodeId node) { return times[node].start_ms < time_ms; });
    return found == compute_.begin() ? no_node : *(found - 1);
}

/// What is asked already, to be changed in part.
OverlapDirective DraggedOverlap::changed() const {
    OverlapDirective directive = preview_.directive();
    directive.hide_behind.clear();
    return directive;
}

OverlapDirective DraggedOverlap::startedAt(double time_ms) const {
    const Evaluation& shown = preview_.evaluation();
    OverlapDirective directive = changed();
    directive.start_after.clear();
    directive.start_before.clear();
    const bool earlier = time_ms < shown.simulation.nodes[preview_.start()].start_ms;
    const NodeId compute = earlier ? computeFrom(time_ms) : computeUntil(time_ms);
    if (compute != no_node) (earlier ? directive.start_before : directive.start_after) = shown.graph->name(compute);
    return directive;
}

OverlapDirective DraggedOverlap::waitedForAt(double time_ms) const {
    OverlapDirective directive = changed();
    const NodeId compute = computeUntil(time_ms);
    directive.wait_after = compute == no_node ? std::string() : std::string(preview_.evaluation().graph->name(compute));
    return directive;
}

OverlapDirective DraggedOverlap::behind(NodeId compute) const {
    OverlapDirective directive;
    directive.collective = preview_.collective();
    directive.start_before = directive.wait_after = preview_.evaluation().graph->name(compute);
    return directive;
}

OverlapDirective DraggedOverlap::behindModuleOf(NodeId compute) const {
    const NodeId origin = preview_.evaluation().origin[compute];
    const ModuleTree& modules = document_.modules();
    const ModuleTree::ModuleId module =
        origin == no_node || !modules.exists() ? ModuleTree::no_module : modules.innermost(origin);
    if (module == ModuleTree::no_module) return behind(compute);
    return behindModule(QString::fromStdString(blockOf(modules.path(module))));
}

OverlapDirective DraggedOverlap::behindModule(const QString& path) const {
    OverlapDirective directive;
    directive.collective = preview_.collective();
    directive.hide_behind = path.toStdString();
    return directive;
}

bool DraggedOverlap::isForbidden(NodeId node) const {
    return preview_.is_needed(node) || preview_.is_dependent(node);
}

const DraggedOverlap::Answer& DraggedOverlap::answer(const OverlapDirective& directive) {
    if (directive == asked_) return answer_;
    asked_ = directive;
    answer_.wish = QString::fromStdString(describe(directive));
    const OverlapPreview::Effect after = preview_.effect_of(directive);
    answer_.refusal = QString::fromStdString(after.refusal);
    const Evaluation& before = preview_.evaluation();
    const auto peak = static_cast<double>(after.peak_bytes);
    answer_.effects.clear();
    if (before.times_known) {
        answer_.effects = {effect(tr("step"), formatTime(after.step_ms),
                                  formatDifference(after.step_ms - before.simulation.step_ms, Unit::Time)),
                           effect(tr("exposed"), formatTime(after.exposed_ms),
                                  formatDifference(after.exposed_ms - before.simulation.exposed_ms, Unit::Time))};
    } else {
        answer_.effects = {QStringLiteral("%1 %2").arg(tr("step"), formatKnownTime(0, false))};
    }
    answer_.effects.append(
        effect(tr("peak"), formatBytes(peak),
               formatDifference(peak - static_cast<double>(before.corrected_memory.peak_bytes), Unit::Bytes)));
    return answer_;
}

QString DraggedOverlap::apply(const OverlapDirective& directive) {
    const Answer& told = answer(directive);
    if (!told.refusal.isEmpty()) return told.refusal;
    OverlapCommands(document_).put(preview_.with(directive), directive);
    return {};
}

}  // namespace overlap::ui
