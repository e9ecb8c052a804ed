#include "core/job/job_changes.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/job/pipeline/pipeline_step.h"

namespace overlap::job {

namespace {

/// Pipeline ranks of the document's own schedule; 0 where it is refused, such as for these microbatches.
std::int32_t own_ranks(const JobDocument& job, const std::string& folder) {
    try {
        return static_cast<std::int32_t>(job_schedule(job, folder).lists.size());
    } catch (const InputError&) {
        return 0;
    }
}

void add_slow_ranks(JobDocument& job, const SlowRanks& slow, const std::string& folder) {
    const CheckedSchedule schedule = job_schedule(job, folder);
    const auto ranks = static_cast<std::int32_t>(schedule.lists.size());
    const Replicas replicas(job, ranks, schedule.rank_of_stage);
    const std::int64_t all = replicas.count() * ranks;
    if (slow.first < 0 || slow.first >= all)
        throw InputError("variation.slow", "there is no rank " + std::to_string(slow.first) + ", the job has " +
                                               std::to_string(all) + ", numbered from 0");
    if (!job.variation) job.variation.emplace();
    // By rank, which is what is slow: another schedule gives it other stages.
    const std::int64_t end = slow.first + std::min(slow.count, all - slow.first);
    for (std::int64_t rank = slow.first; rank < end; ++rank)
        job.variation->slow.push_back({.factor = slow.factor, .rank = rank});
}

void route(JobDocument& job, TriedRouting routing) {
    if (routing == TriedRouting::own) return;
    if (!job.routing) throw InputError("routing", "the job has none, so that there are no experts to route tokens to");
    std::vector<double>& share = job.routing->share;
    if (share.empty()) return;  // refused where it is used
    const bool doubled = routing == TriedRouting::one_doubled;
    const double of_one = 1 / (static_cast<double>(share.size()) + (doubled ? 1 : 0));
    std::ranges::fill(share, of_one);
    if (doubled) share.front() = 2 * of_one;
}

}  // namespace

ScheduleSpec schedule_by_name(const JobDocument& job, const NamedSchedule& schedule, std::int32_t ranks) {
    ScheduleSpec spec;
    spec.name = schedule.name;
    spec.microbatches = job.schedule.microbatches;
    spec.overlap = job.schedule.overlap;
    const std::int32_t each = ranks > 0 ? static_cast<std::int32_t>(job.stages.size()) / ranks : 0;
    if (each >= schedule.least_stages_per_rank && each <= schedule.most_stages_per_rank) {
        spec.ranks = ranks;
        spec.stages_per_rank = each;
    }
    return spec;
}

JobDocument changed_job(const JobDocument& job, const JobChanges& changes, const std::string& folder) {
    JobDocument changed = job;
    if (changes == JobChanges()) return changed;
    if (job.has_programs) throw InputError("programs", "a job of programs has no schedule, expected stages");
    if (changes.microbatches) changed.schedule.microbatches = *changes.microbatches;
    if (!changes.schedule.empty()) {
        const NamedSchedule* schedule = find_named_schedule(changes.schedule);
        if (!schedule)
            throw InputError("schedule.name", "there is no schedule " + in_quotes(shortened(changes.schedule)));
        changed.schedule = schedule_by_name(changed, *schedule, own_ranks(changed, folder));
    }
    if (changed.variation && (changes.slow || changes.nobody_slow)) changed.variation->slow.clear();
    if (changes.slow) add_slow_ranks(changed, *changes.slow, folder);
    route(changed, changes.routing);
    return changed;
}

}  // namespace overlap::job
