#include "core/job/measured/clocks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/number_text.h"
#include "core/base/statistics.h"
#include "core/base/wording.h"
#include "core/trace/collective_alignment.h"

namespace overlap::job {

namespace {

using ActionKey = std::tuple<std::int32_t, std::int32_t, ActionKind>;

/// When each action of a rank ran.
std::map<ActionKey, TimeRange> times_of_actions(const MeasuredRank& rank) {
    std::map<ActionKey, TimeRange> times;
    for (const RecordedAction& recorded : rank.recorded.actions)
        for (const Action& action : recorded.cell)
            times.emplace(ActionKey(action.stage, action.microbatch, action.kind), recorded.time);
    return times;
}

/// What the clock of a rank may be put forward by, so that nothing begins before what it waits for has ended.
struct Bounds {
    std::optional<std::int64_t> least, most;
};

Bounds bounds_between(const std::map<ActionKey, TimeRange>& fixed, const std::map<ActionKey, TimeRange>& moved,
                      std::int32_t stages) {
    Bounds bounds;
    const auto each = [&](const auto& waiting, const auto& sending, auto tell) {
        for (const auto& [key, time] : waiting) {
            const auto& [stage, microbatch, kind] = key;
            for (const Action& on : awaited_actions({stage, microbatch, kind}, stages))
                if (const auto sent = sending.find({on.stage, on.microbatch, on.kind}); sent != sending.end())
                    tell(sent->second.end_ns - time.begin_ns);
        }
    };
    each(moved, fixed, [&](std::int64_t late) { bounds.least = std::max(bounds.least.value_or(late), late); });
    each(fixed, moved, [&](std::int64_t late) { bounds.most = std::min(bounds.most.value_or(-late), -late); });
    return bounds;
}

/// The pipeline of a rank; -1 of one that the job does not have.
std::int32_t replica_of(const JobEvaluation& evaluation, std::int64_t rank) {
    const auto found = std::ranges::find(evaluation.result.ranks, rank, &RankResult::rank);
    return found == evaluation.result.ranks.end() ? -1 : found->replica;
}

/// Sets the clocks of each pipeline's ranks by the messages between them.
/// @param pipeline_of each rank.
std::vector<std::int64_t> offsets_by_messages(std::int32_t stages, std::span<const MeasuredRank> ranks,
                                              std::span<const std::int32_t> pipeline_of,
                                              std::vector<std::string>& notes) {
    std::vector<std::int64_t> offsets(ranks.size(), 0);
    std::vector<std::map<ActionKey, TimeRange>> times;
    for (const MeasuredRank& rank : ranks) times.push_back(times_of_actions(rank));
    /// Of each pipeline, what has its clock already.
    std::map<std::int32_t, std::vector<std::size_t>> placed;
    std::size_t moved = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        std::vector<std::size_t>& before = placed[pipeline_of[i]];
        Bounds bounds;
        for (const std::size_t other : before) {
            const Bounds between = bounds_between(times[other], times[i], stages);
            if (between.least)
                bounds.least = std::max(bounds.least.value_or(std::numeric_limits<std::int64_t>::min()),
                                        *between.least + offsets[other]);
            if (between.most)
                bounds.most = std::min(bounds.most.value_or(std::numeric_limits<std::int64_t>::max()),
                                       *between.most + offsets[other]);
        }
        before.push_back(i);
        const bool early = bounds.least && *bounds.least > 0, late = bounds.most && *bounds.most < 0;
        if (!early && !late) continue;
        if (bounds.least && bounds.most && *bounds.least > *bounds.most) {
            std::string note = "the messages of rank ";
            note.append(std::to_string(ranks[i].rank)).append(" contradict one another by ");
            note.append(time_text(static_cast<double>(*bounds.least - *bounds.most) / 1e6));
            notes.push_back(note.append(": what they bring begins before it is sent"));
        }
        offsets[i] = bounds.least && bounds.most ? *bounds.least + (*bounds.most - *bounds.least) / 2
                     : early                     ? *bounds.least
                                                 : *bounds.most;
        ++moved;
    }
    if (moved == 0) {
        notes.emplace_back("clocks are as the traces have them");
    } else {
        std::string note = "the clocks of ";
        notes.push_back(note.append(counted(moved, "rank")).append(" were set by the messages of actions"));
    }
    return offsets;
}

/// Shifts whole pipelines so that collectives that they share with another one end together.
/// @returns whether this brings all of them together.
bool join_pipelines(std::span<const std::shared_ptr<const MeasuredTrace>> traces, const AlignedRanks& aligned,
                    std::span<const std::int32_t> pipeline_of, std::vector<std::int64_t>& offsets,
                    std::vector<std::string>& notes) {
    const std::set<std::int32_t> pipelines(pipeline_of.begin(), pipeline_of.end());
    if (pipelines.size() == 1) return true;
    std::set<std::int32_t> placed{pipeline_of.front()};
    const auto is_placed = [&](const CollectiveMember& member) { return placed.contains(pipeline_of[member.rank]); };
    const auto end_ns = [&](const CollectiveMember& member) {
        const MeasuredTrace& trace = *traces[member.rank];
        const std::uint32_t activity = trace.collectives()[member.collective].activity;
        return trace.range(trace.activities()[activity]).end_ns + offsets[member.rank];
    };
    while (placed.size() < pipelines.size()) {
        std::map<std::int32_t, std::vector<std::int64_t>> distances_ns;
        for (const CollectiveMatch& match : aligned.matches) {
            const auto known = std::ranges::find_if(match.members, is_placed);
            if (known == match.members.end()) continue;
            for (const CollectiveMember& member : match.members)
                if (!is_placed(member))
                    distances_ns[pipeline_of[member.rank]].push_back(end_ns(*known) - end_ns(member));
        }
        if (distances_ns.empty()) {
            notes.emplace_back("pipelines share no collectives, so that each has a clock of its own");
            return false;
        }
        for (auto& [pipeline, distances] : distances_ns) {
            const std::int64_t distance_ns = upper_median(std::move(distances));
            for (std::size_t i = 0; i < offsets.size(); ++i)
                if (pipeline_of[i] == pipeline) offsets[i] += distance_ns;
            placed.insert(pipeline);
        }
    }
    std::string note = "the clocks of ";
    notes.push_back(note.append(counted(pipelines.size(), "pipeline")).append(" were brought together by collectives"));
    return true;
}

}  // namespace

std::vector<Action> awaited_actions(const Action& action, std::int32_t stages) {
    if (action.kind == ActionKind::forward && action.stage > 0)
        return {{action.stage - 1, action.microbatch, ActionKind::forward}};
    const bool back = action.kind == ActionKind::full_backward || action.kind == ActionKind::backward_input;
    if (!back || action.stage + 1 >= stages) return {};
    return {{action.stage + 1, action.microbatch, ActionKind::full_backward},
            {action.stage + 1, action.microbatch, ActionKind::backward_input}};
}

ClockOffsets clock_offsets(const JobEvaluation& evaluation, std::span<const MeasuredRank> ranks,
                           std::span<const NamedTrace> traces, std::vector<std::string>& notes) {
    ClockOffsets offsets{std::vector<std::int64_t>(ranks.size(), 0)};
    if (ranks.size() < 2) return offsets;
    std::vector<std::shared_ptr<const MeasuredTrace>> all;
    for (const NamedTrace& trace : traces) all.push_back(trace.trace);
    const AlignedRanks aligned = align_ranks(all);
    if (std::ranges::all_of(aligned.ranks, &RankAlignment::is_aligned)) {
        for (std::size_t i = 0; i < ranks.size(); ++i) offsets.ns[i] = aligned.ranks[i].clock_offset_ns;
        notes.emplace_back("clocks were brought together by the ends of collectives");
        return offsets;
    }
    if (!evaluation.pipeline) {
        notes.emplace_back("clocks are as the traces have them");
        return offsets;
    }
    std::vector<std::int32_t> pipeline_of;
    for (const MeasuredRank& rank : ranks) pipeline_of.push_back(replica_of(evaluation, rank.rank));
    offsets.ns = offsets_by_messages(evaluation.pipeline->schedule.stages, ranks, pipeline_of, notes);
    offsets.of_one_clock = join_pipelines(all, aligned, pipeline_of, offsets.ns, notes);
    return offsets;
}

}  // namespace overlap::job
