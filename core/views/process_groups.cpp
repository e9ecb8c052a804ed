#include "core/views/process_groups.h"

#include <algorithm>
#include <map>

#include "core/graph/group_settings.h"
#include "core/views/timeline_of.h"

namespace overlap {

namespace {

/// Less than this is rounding, not queueing.
constexpr double shortest_ms = 1e-9;
constexpr std::size_t pieces_told = 4;

/// What the evaluation's passes create under that name.
void find_creator(const Evaluation& evaluation, ProcessGroupFigures& figures) {
    if (evaluation.refused || evaluation.input->header().process_group(figures.name)) return;
    for (const PassReport& report : evaluation.reports) {
        for (const GroupReport& group : report.groups) {
            if (group.name != figures.name) continue;
            figures.creator = &report;
            figures.created = &group;
        }
    }
}

GroupKindFigures& kind_of(ProcessGroupFigures& figures, CollectiveKind kind) {
    const auto found = std::ranges::find(figures.kinds, kind, &GroupKindFigures::kind);
    if (found != figures.kinds.end()) return *found;
    return figures.kinds.emplace_back(GroupKindFigures{.kind = kind});
}

QueueingFigures& queueing_of(ProcessGroupFigures& figures, CollectiveKind waiting, CollectiveKind holding) {
    for (QueueingFigures& queueing : figures.queueing) {
        if (queueing.waiting == waiting && queueing.holding == holding) return queueing;
    }
    return figures.queueing.emplace_back(QueueingFigures{.waiting = waiting, .holding = holding});
}

/// Shares out the time that `timing` stood in the queue among the kinds that held the stream meanwhile.
/// @param before the group's collectives that were issued earlier and took time; a stream runs them in that order.
void add_queueing(const CollectiveTiming& timing, std::span<const CollectiveTiming* const> before,
                  ProcessGroupFigures& figures) {
    const double able_ms = std::max(timing.issue_ms, timing.ready_ms);
    std::map<CollectiveKind, double> held_ms;
    for (auto holder = before.rbegin(); holder != before.rend() && (*holder)->end_ms > able_ms; ++holder) {
        held_ms[(*holder)->kind] += (*holder)->end_ms - std::max((*holder)->start_ms, able_ms);
    }
    for (const auto& [holding, queued_ms] : held_ms) {
        if (queued_ms < shortest_ms) continue;
        QueueingFigures& queueing = queueing_of(figures, timing.kind, holding);
        ++queueing.collectives;
        queueing.queued_ms += queued_ms;
        figures.queued_ms += queued_ms;
    }
}

void add_collectives(const Simulation& simulation, ProcessGroupFigures& figures) {
    std::vector<const CollectiveTiming*> queue;
    for (const CollectiveTiming& timing : simulation.collectives) {
        if (simulation.groups[timing.group].process_group != figures.name) continue;
        figures.timing = static_cast<std::int32_t>(timing.group);
        GroupKindFigures& kind = kind_of(figures, timing.kind);
        ++kind.collectives;
        kind.bytes += timing.bytes;
        kind.comm_ms += timing.end_ms - timing.start_ms;
        kind.exposed_ms += timing.exposed_ms;
        add_queueing(timing, queue, figures);
        if (timing.end_ms > timing.start_ms) queue.push_back(&timing);
    }
    std::ranges::stable_sort(figures.queueing, {}, [](const QueueingFigures& queueing) {
        return std::pair(queueing.waiting == queueing.holding, -queueing.queued_ms);
    });
    for (const GroupKindFigures& kind : figures.kinds) {
        figures.collectives += kind.collectives;
        figures.comm_ms += kind.comm_ms;
        figures.exposed_ms += kind.exposed_ms;
    }
}

void find_same_ranks(std::vector<ProcessGroupFigures>& groups) {
    std::vector<std::vector<int>> sorted;
    for (const ProcessGroupFigures& group : groups) {
        sorted.push_back(group.ranks);
        std::ranges::sort(sorted.back());
    }
    for (std::size_t group = 0; group < groups.size(); ++group) {
        if (!groups[group].listed) continue;
        for (std::size_t other = 0; other < groups.size(); ++other) {
            if (other == group || !groups[other].listed || sorted[other] != sorted[group]) continue;
            groups[group].same_ranks.push_back(groups[other].name);
        }
    }
}

/// Ranks that follow one another at one distance.
struct Run {
    int first = 0;
    int last = 0;
    int step = 0;  ///< 0 for a run of one
};

/// A run of two is no shorter than its two ranks, so these stay apart unless they are neighbours.
std::vector<Run> runs_of(std::span<const int> ranks) {
    std::vector<Run> runs;
    for (std::size_t index = 0; index < ranks.size();) {
        std::size_t end = index + 1;
        const int step = end < ranks.size() ? ranks[end] - ranks[index] : 0;
        while (step > 0 && end < ranks.size() && ranks[end] - ranks[end - 1] == step) ++end;
        if (end - index < 3 && step != 1) end = index + 1;
        runs.push_back({ranks[index], ranks[end - 1], end - index > 1 ? step : 0});
        index = end;
    }
    return runs;
}

std::string run_text(const Run& run) {
    std::string text = std::to_string(run.first);
    if (run.step == 0) return text;
    text.append("-").append(std::to_string(run.last));
    if (run.step > 1) text.append(" step ").append(std::to_string(run.step));
    return text;
}

}  // namespace

std::vector<ProcessGroupFigures> process_group_figures(const Evaluation& evaluation) {
    std::vector<ProcessGroupFigures> groups;
    for (const ProcessGroup& listed : evaluation.graph->header().process_groups) {
        ProcessGroupFigures figures;
        figures.name = listed.name;
        figures.description = listed.description;
        figures.ranks = listed.ranks;
        figures.rank = listed.rank;
        figures.high_priority = settings_of(listed).high_priority.value_or(false);
        find_creator(evaluation, figures);
        auto place = groups.end();
        if (figures.created) {
            const auto source = std::ranges::find(groups, figures.created->source, &ProcessGroupFigures::name);
            if (source != groups.end()) place = source + 1;
        }
        groups.insert(place, std::move(figures));
    }
    for (const GroupTiming& used : evaluation.simulation.groups) {
        if (std::ranges::find(groups, used.process_group, &ProcessGroupFigures::name) != groups.end()) continue;
        ProcessGroupFigures figures;
        figures.name = used.process_group;
        figures.listed = false;
        groups.push_back(std::move(figures));
    }
    for (ProcessGroupFigures& figures : groups) {
        add_collectives(evaluation.simulation, figures);
        figures.title = figures.timing < 0 ? group_purpose(figures.description)
                                           : group_title(evaluation, static_cast<std::size_t>(figures.timing));
    }
    find_same_ranks(groups);
    return groups;
}

std::string ranks_text(std::span<const int> ranks) {
    const std::vector<Run> runs = runs_of(ranks);
    std::string text;
    for (std::size_t index = 0; index < runs.size(); ++index) {
        const bool skips = runs.size() > pieces_told && index == pieces_told - 1;
        if (skips) index = runs.size() - 1;
        if (!text.empty()) text += skips ? " … " : ", ";
        text += run_text(runs[index]);
    }
    return text;
}

}  // namespace overlap
