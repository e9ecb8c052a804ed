#include "core/job/measured/measured_steps.h"

#include "core/base/error.h"
#include "core/trace/trace_statistics.h"

namespace overlap::job {

namespace {

/// The ranks that the document has, whatever its stages take.
struct RanksOfDocument {
    std::vector<RankResult> ranks;
    std::vector<std::vector<std::int32_t>> stages_of;

    RanksOfDocument(const JobDocument& job, const std::string& folder) {
        const CheckedSchedule schedule = job_schedule(job, folder);
        const auto count = static_cast<std::int32_t>(schedule.lists.size());
        const Replicas replicas(job, count, schedule.rank_of_stage);
        stages_of.resize(schedule.lists.size());
        for (std::int32_t stage = 0; stage < schedule.stages; ++stage)
            stages_of[static_cast<std::size_t>(schedule.rank_of_stage[static_cast<std::size_t>(stage)])].push_back(
                stage);
        for (std::int64_t replica = 0; replica < replicas.count(); ++replica)
            for (std::int32_t rank = 0; rank < count; ++rank)
                ranks.push_back({replicas.rank_of(replica, rank), rank, static_cast<std::int32_t>(replica), 0});
    }
};

}  // namespace

std::vector<MeasuredSteps> measured_steps(const JobDocument& job, const std::string& folder,
                                          std::span<const NamedTrace> traces) {
    if (job.has_programs) throw InputError("programs", "have times of their own; expected a job of stages");
    const RanksOfDocument of(job, folder);
    const JobRanks ranks{of.ranks, of.stages_of, job.schedule.microbatches};
    std::vector<MeasuredSteps> measured;
    for (const NamedTrace& named : traces) {
        const std::int64_t number = rank_of_trace(*named.trace, named.file);
        const RecordedRank recorded = recorded_rank(*named.trace, named.file, one_stage_of(ranks, number));
        for (const RecordedStep& step : recorded.steps)
            if (const std::string reason = reason_against(ranks, {named.file, number, recorded.world_size, step});
                !reason.empty())
                throw InputError(named.file, "", reason);
        MeasuredSteps& steps = measured.emplace_back();
        steps.rank = number;
        const std::vector<DeviceTimes> devices = device_times(*named.trace);
        if (devices.empty()) throw InputError(named.file, "", "expected the activities of one GPU, found none");
        for (const overlap::StepTimes& step : devices.front().steps)
            if (step.is_counted) steps.compute_ms.push_back(static_cast<double>(step.times.compute_ns) / 1e6);
    }
    return measured;
}

}  // namespace overlap::job
