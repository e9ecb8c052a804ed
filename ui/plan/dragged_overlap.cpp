#include "ui/plan/dragged_overlap.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/wording.h"
#include "core/pipeline/step_with_links_shared.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/edits/overlap_commands.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/known_time.h"
#include "ui/theme/links_shared.h"

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

QString translated(const char* text) {
    return QCoreApplication::translate("DraggedOverlap", text);
}

/// As describe() has it for one.
QString wordsForSeveral(const OverlapDirective& directive, std::size_t count) {
    std::vector<std::string> parts;
    const auto part = [&](const char* what, const std::string& name) {
        if (!name.empty()) parts.push_back(translated(what).arg(QString::fromStdString(name)).toStdString());
    };
    part("are issued after %1", directive.start_after);
    part("are issued before %1", directive.start_before);
    part("are waited for after %1", directive.wait_after);
    part("run behind %1", directive.hide_behind);
    return translated("%1 collectives %2").arg(QString::number(count), QString::fromStdString(listed(parts)));
}

QString effect(const QString& what, const QString& value, const QString& difference) {
    return QStringLiteral("%1 %2  %3").arg(what, value, difference);
}

}  // namespace

DraggedOverlap::DraggedOverlap(Document& document, std::shared_ptr<const Evaluation> evaluation,
                               std::vector<NodeId> starts)
    : document_(document), preview_(std::move(evaluation), document.current()->plan(), std::move(starts)) {
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
OverlapDirective DraggedOverlap::changed(std::size_t index) const {
    OverlapDirective directive = preview_.directive(index);
    directive.hide_behind.clear();
    return directive;
}

OverlapDirective DraggedOverlap::startedAt(std::size_t index, double time_ms) const {
    const Evaluation& shown = preview_.evaluation();
    OverlapDirective directive = changed(index);
    directive.start_after.clear();
    directive.start_before.clear();
    const bool earlier = time_ms < shown.simulation.nodes[preview_.start(index)].start_ms;
    const NodeId compute = earlier ? computeFrom(time_ms) : computeUntil(time_ms);
    if (compute != no_node) (earlier ? directive.start_before : directive.start_after) = shown.graph->name(compute);
    return directive;
}

OverlapDirective DraggedOverlap::waitedForAt(std::size_t index, double time_ms) const {
    OverlapDirective directive = changed(index);
    const NodeId compute = computeUntil(time_ms);
    directive.wait_after = compute == no_node ? std::string() : std::string(preview_.evaluation().graph->name(compute));
    return directive;
}

template <typename Directive>
DraggedOverlap::Wish DraggedOverlap::each(Directive directive, const QString& several) const {
    Wish wish;
    for (std::size_t index = 0; index < preview_.count(); ++index) wish.directives.push_back(directive(index));
    wish.words = several;
    if (preview_.count() == 1)
        wish.words =
            OverlapCommands::words(wish.directives.front(), preview_.evaluation().graph->name(preview_.start()));
    return wish;
}

DraggedOverlap::Wish DraggedOverlap::startedAt(double time_ms) const {
    const std::vector<NodeTiming>& times = preview_.evaluation().simulation.nodes;
    const double moved_ms = time_ms - times[preview_.start()].start_ms;
    return each([&](std::size_t index) { return startedAt(index, times[preview_.start(index)].start_ms + moved_ms); },
                (moved_ms < 0 ? tr("%1 collectives start %2 earlier") : tr("%1 collectives start %2 later"))
                    .arg(preview_.count())
                    .arg(formatTime(std::abs(moved_ms))));
}

DraggedOverlap::Wish DraggedOverlap::waitedForAt(double time_ms) const {
    const Simulation& simulation = preview_.evaluation().simulation;
    const auto end_ms = [&](std::size_t index) {
        const auto collective = simulation.collective_of_node[preview_.start(index)];
        return simulation.collectives[static_cast<std::size_t>(collective)].end_ms;
    };
    const double moved_ms = time_ms - end_ms(0);
    return each([&](std::size_t index) { return waitedForAt(index, end_ms(index) + moved_ms); },
                (moved_ms < 0 ? tr("%1 collectives are waited for from %2 before their end on")
                              : tr("%1 collectives are waited for %2 after their end"))
                    .arg(preview_.count())
                    .arg(formatTime(std::abs(moved_ms))));
}

DraggedOverlap::Wish DraggedOverlap::alike(OverlapDirective directive) const {
    return each(
        [&](std::size_t index) {
            directive.collective = preview_.collective(index);
            return directive;
        },
        wordsForSeveral(directive, preview_.count()));
}

DraggedOverlap::Wish DraggedOverlap::behind(NodeId compute) const {
    OverlapDirective directive;
    directive.start_before = directive.wait_after = preview_.evaluation().graph->name(compute);
    return alike(directive);
}

DraggedOverlap::Wish DraggedOverlap::behindModuleOf(NodeId compute) const {
    const NodeId origin = preview_.evaluation().origin[compute];
    const ModuleTree& modules = document_.modules();
    const ModuleTree::ModuleId module =
        origin == no_node || !modules.exists() ? ModuleTree::no_module : modules.innermost(origin);
    if (module == ModuleTree::no_module) return behind(compute);
    return behindModule(QString::fromStdString(blockOf(modules.path(module))));
}

DraggedOverlap::Wish DraggedOverlap::behindModule(const QString& path) const {
    OverlapDirective directive;
    directive.hide_behind = path.toStdString();
    return alike(directive);
}

DraggedOverlap::Wish DraggedOverlap::of(const OverlapDirective& directive) const {
    return each(
        [&](std::size_t index) {
            const OverlapDirective present = preview_.directive(index);
            OverlapDirective own = preview_.count() > 1 ? present : directive;
            own.collective = present.collective;
            own.extra = present.extra;
            if (preview_.count() == 1) return own;
            const auto fill = [](std::string& field, const std::string& filled) {
                if (!filled.empty()) field = filled;
            };
            fill(own.start_after, directive.start_after);
            fill(own.start_before, directive.start_before);
            fill(own.wait_after, directive.wait_after);
            fill(own.hide_behind, directive.hide_behind);
            return own;
        },
        wordsForSeveral(directive, preview_.count()));
}

bool DraggedOverlap::isForbidden(NodeId node) const {
    return preview_.is_needed(node) || preview_.is_dependent(node);
}

QString DraggedOverlap::words(const Wish& wish) const {
    const auto count = static_cast<std::ptrdiff_t>(preview_.count());
    return stays_ > 0 ? tr("%1 of %2").arg(count - stays_).arg(wish.words) : wish.words;
}

const DraggedOverlap::Answer& DraggedOverlap::answer(const Wish& wish) {
    if (wish.directives == asked_) {
        answer_.wish = words(wish);
        return answer_;
    }
    asked_ = wish.directives;
    OverlapPreview::Effect after = preview_.effect_of(wish.directives);
    answer_.refusal = QString::fromStdString(after.refusal());
    answer_.left.clear();
    const auto is_refused = [](const std::string& why) { return !why.empty(); };
    stays_ = answer_.refusal.isEmpty() ? std::ranges::count_if(after.refusals, is_refused) : 0;
    answer_.wish = words(wish);
    if (stays_ > 0) {
        const auto first = std::ranges::find_if(after.refusals, is_refused);
        answer_.left = (stays_ == 1 ? tr("%1 of them stays where it is: %2") : tr("%1 of them stay where they are: %2"))
                           .arg(stays_)
                           .arg(QString::fromStdString(*first));
    }
    if (!after.displaced.empty())
        answer_.left += (answer_.left.isEmpty() ? QString() : QStringLiteral(". ")) +
                        countedText(after.displaced.size(), tr("%1 overlap that the plan has no longer holds"),
                                    tr("%1 overlaps that the plan has no longer hold")) +
                        QStringLiteral(": ") + QString::fromStdString(after.displaced.front());
    overlaps_ = std::move(after.overlaps);
    const Evaluation& before = preview_.evaluation();
    const auto peak = static_cast<double>(after.peak_bytes);
    answer_.effects.clear();
    if (before.times_known) {
        // Of links that are shared where the timeline shows them so, as the toolbar calls that step.
        const bool shared = sharesLinks(before);
        answer_.effects.append(effect(shared ? linksSharedLabel() : tr("step"), formatTime(after.step_ms),
                                      formatDifference(after.step_ms - before.simulation.step_ms, Unit::Time)));
        if (after.shared_step_ms)
            answer_.effects.append(linksSharedChange(step_with_links_shared(before), *after.shared_step_ms));
        const double exposed_ms = after.shared_exposed_ms.value_or(after.exposed_ms);
        answer_.effects.append(effect(shared || after.shared_exposed_ms ? exposedLinksSharedLabel() : tr("exposed"),
                                      formatTime(exposed_ms),
                                      formatDifference(exposed_ms - exposed_with_links_shared(before), Unit::Time)));
    } else {
        answer_.effects = {QStringLiteral("%1 %2").arg(tr("step"), formatKnownTime(0, false))};
    }
    answer_.effects.append(
        effect(tr("peak"), formatBytes(peak),
               formatDifference(peak - static_cast<double>(before.corrected_memory.peak_bytes), Unit::Bytes)));
    return answer_;
}

QString DraggedOverlap::apply(const Wish& wish) {
    const Answer& told = answer(wish);
    if (!told.refusal.isEmpty()) return told.refusal;
    OverlapCommands(document_).put(overlaps_, told.wish);
    return {};
}

}  // namespace overlap::ui
