#include "core/job/measured/measured_job.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/trace_origin.h"
#include "core/base/wording.h"
#include "core/job/measured/clocks.h"

namespace overlap::job {

namespace {

JobRanks ranks_of(const JobEvaluation& evaluation) {
    return {evaluation.result.ranks, evaluation.result.stages_of,
            evaluation.pipeline ? evaluation.job->schedule.microbatches : 0};
}

const RankResult* find_rank(const JobRanks& job, std::int64_t rank) {
    const auto found = std::ranges::find(job.ranks, rank, &RankResult::rank);
    return found == job.ranks.end() ? nullptr : &*found;
}

std::string stages_text(const std::vector<std::int32_t>& stages) {
    std::vector<std::string> names;
    for (const std::int32_t stage : stages) names.push_back(std::to_string(stage));
    return std::string(stages.size() == 1 ? "stage " : "stages ").append(enumerated(names));
}

/// The names of the steps that all ranks have, in order; of ranks with one step each this one, whatever its name.
std::vector<std::string> common_steps(std::span<const RecordedRank> ranks) {
    std::vector<std::string> names;
    for (const RecordedStep& step : ranks.front().steps) {
        const auto has = [&](const RecordedRank& rank) {
            return std::ranges::find(rank.steps, step.name, &RecordedStep::name) != rank.steps.end();
        };
        if (std::ranges::all_of(ranks, has)) names.push_back(step.name);
    }
    return names;
}

const RecordedStep& step_of(const RecordedRank& rank, const std::string& name) {
    const auto found = std::ranges::find(rank.steps, name, &RecordedStep::name);
    return found == rank.steps.end() ? rank.steps.front() : *found;
}

/// The step of median length; of two the shorter one.
std::string median_step(std::span<const RecordedRank> ranks, std::span<const std::string> names) {
    std::vector<std::pair<std::int64_t, std::size_t>> lengths;
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::int64_t longest = 0;
        for (const RecordedRank& rank : ranks)
            longest = std::max(longest, span_of_job(step_of(rank, names[i])).length_ns());
        lengths.emplace_back(longest, i);
    }
    std::ranges::sort(lengths);
    return names[lengths[(lengths.size() - 1) / 2].second];
}

void shift(RecordedStep& step, std::int64_t by_ns) {
    for (RecordedAction& action : step.actions) action.time = shifted(action.time, by_ns);
    for (RecordedCommunication& of : step.communication) of.time = shifted(of.time, by_ns);
    for (IntervalUnion* spans : {&step.computing, &step.communicating, &step.of_no_action})
        *spans = shifted(*spans, by_ns);
}

}  // namespace

TimeRange span_of_job(const RecordedStep& step) {
    TimeRange span{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    const auto include = [&](TimeRange time) {
        span = {std::min(span.begin_ns, time.begin_ns), std::max(span.end_ns, time.end_ns)};
    };
    for (const RecordedAction& action : step.actions) include(action.time);
    for (const RecordedCommunication& of : step.communication)
        if (step.actions.empty() || (!of.action.empty() && of.time.end_ns > span.end_ns)) include(of.time);
    if (!step.actions.empty()) return span;
    for (const TimeRange time : step.computing.spans()) include(time);
    return span;
}

std::int32_t one_stage_of(const JobRanks& job, std::int64_t rank) {
    const RankResult* found = job.stages_of.empty() ? nullptr : find_rank(job, rank);
    if (!found) return -1;
    const std::vector<std::int32_t>& stages = job.stages_of[static_cast<std::size_t>(found->stage)];
    return stages.size() == 1 ? stages.front() : -1;
}

std::string reason_against(const JobEvaluation& evaluation, const MeasuredRank& rank) {
    return reason_against(ranks_of(evaluation), rank);
}

std::string reason_against(const JobRanks& job, const MeasuredRank& rank) {
    const auto count = static_cast<std::int64_t>(job.ranks.size());
    const std::string name = "rank " + std::to_string(rank.rank);
    if (rank.world_size && *rank.world_size != count)
        return "was measured on " + counted(static_cast<std::size_t>(*rank.world_size), "rank") + ", and the job has " +
               std::to_string(count);
    const RankResult* found = find_rank(job, rank.rank);
    if (!found) return "is of " + name + ", and the job has " + counted(job.ranks.size(), "rank");
    if (job.stages_of.empty()) return {};
    const std::vector<std::int32_t>& stages = job.stages_of[static_cast<std::size_t>(found->stage)];
    const std::int32_t microbatches = job.microbatches;
    for (const RecordedAction& recorded : rank.recorded.actions) {
        for (const Action& action : recorded.cell) {
            if (std::ranges::find(stages, action.stage) == stages.end())
                return "has " + recorded.name + " on " + name + ", which runs " + stages_text(stages) + " in this job";
            if (action.microbatch >= microbatches)
                return "has " + recorded.name + ", and the job has " + std::to_string(microbatches) +
                       (microbatches == 1 ? " microbatch" : " microbatches");
        }
    }
    return {};
}

namespace {

/// Tells of traces that are simulated steps.
void add_origin(std::span<const NamedTrace> traces, std::vector<std::string>& notes) {
    std::vector<std::string> simulated;
    for (const NamedTrace& of : traces)
        if (of.trace->header().is_simulated) simulated.push_back(of.file);
    if (!simulated.empty()) notes.push_back(enumerated(simulated) + ": " + std::string(nothing_was_measured));
}

}  // namespace

MeasuredJob measured_job(const JobEvaluation& evaluation, std::span<const NamedTrace> traces, UnfitRanks unfit) {
    if (!evaluation.result.step_ms) throw InputError("", "the job cannot run, so that nothing can lie over its step");
    std::vector<NamedTrace> sorted(traces.begin(), traces.end());
    std::ranges::stable_sort(sorted, {}, [](const NamedTrace& of) { return rank_of_trace(*of.trace, of.file); });
    std::vector<RecordedRank> recorded;
    for (const NamedTrace& of : sorted) {
        recorded.push_back(
            recorded_rank(*of.trace, of.file, one_stage_of(ranks_of(evaluation), rank_of_trace(*of.trace, of.file))));
        const RecordedRank& rank = recorded.back();
        if (recorded.size() > 1 && recorded[recorded.size() - 2].rank == rank.rank)
            throw InputError(
                rank.file, "",
                "is of rank " + std::to_string(rank.rank) + ", as is " + recorded[recorded.size() - 2].file);
        if (unfit == UnfitRanks::kept) continue;
        for (const RecordedStep& step : rank.steps)
            if (const std::string reason = reason_against(evaluation, {rank.file, rank.rank, rank.world_size, step});
                !reason.empty())
                throw InputError(rank.file, "", reason);
    }
    if (recorded.empty()) throw InputError("", "there is no trace");
    MeasuredJob job;
    const std::vector<std::string> names = common_steps(recorded);
    const bool one_each = std::ranges::all_of(recorded, [](const RecordedRank& of) { return of.steps.size() == 1; });
    if (names.empty() && !one_each) throw InputError(recorded.back().file, "", "has no step that all other ranks have");
    if (!names.empty()) job.step = median_step(recorded, names);
    job.steps = std::max<std::size_t>(1, names.size());
    for (const RecordedRank& rank : recorded)
        job.ranks.push_back({rank.file, rank.rank, rank.world_size, step_of(rank, job.step)});
    const ClockOffsets offsets = clock_offsets(evaluation, job.ranks, sorted, job.notes);
    add_origin(sorted, job.notes);
    job.of_one_clock = offsets.of_one_clock;
    std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < job.ranks.size(); ++i) {
        shift(job.ranks[i].recorded, offsets.ns[i]);
        const TimeRange span = span_of_job(job.ranks[i].recorded);
        begin = std::min(begin, span.begin_ns);
        end = std::max(end, span.end_ns);
    }
    for (MeasuredRank& rank : job.ranks) shift(rank.recorded, -begin);
    job.length_ns = end - begin;
    return job;
}

}  // namespace overlap::job
