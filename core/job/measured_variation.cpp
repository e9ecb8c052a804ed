#include "core/job/measured_variation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/job/pipeline/pipeline_step.h"

namespace overlap::job {

namespace {

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

VariationSpec measured_variation(const JobDocument& job, const std::string& folder,
                                 std::span<const MeasuredSteps> measured) {
    if (job.has_programs) throw InputError("programs", "have times of their own; expected a job of stages");
    const CheckedSchedule schedule = job_schedule(job, folder);
    const auto ranks = static_cast<std::int32_t>(schedule.lists.size());
    const Replicas replicas(job, ranks, schedule.rank_of_stage);
    const std::int64_t all = replicas.count() * ranks;
    std::map<std::int64_t, double> mean_ms;
    std::map<std::int32_t, std::vector<double>> means_of_stage;
    VariationSpec variation = job.variation.value_or(VariationSpec());
    DistributionSpec compute;
    for (const MeasuredSteps& steps : measured) {
        const std::string name = "rank " + std::to_string(steps.rank);
        if (steps.rank < 0 || steps.rank >= all)
            throw InputError(
                "", name + " was measured, and the job has " + std::to_string(all) + " ranks, numbered from 0");
        const double mean = steps.compute_ms.empty() ? 0 : mean_of(steps.compute_ms);
        if (!(mean > 0)) throw InputError("", name + " has no whole step in which it computes");
        if (!mean_ms.emplace(steps.rank, mean).second) throw InputError("", name + " was measured twice");
        means_of_stage[replicas.place_of(steps.rank).pipeline_rank].push_back(mean);
        if (steps.compute_ms.size() < 2) continue;
        for (const double ms : steps.compute_ms) compute.factors.push_back(ms / mean);
    }
    variation.slow.clear();
    for (const auto& [rank, mean] : mean_ms) {
        const double factor = mean / mean_of(means_of_stage.at(replicas.place_of(rank).pipeline_rank));
        if (factor != 1) variation.slow.push_back({{}, {}, factor, rank});
    }
    if (compute.factors.empty()) return variation;
    compute.kind = DistributionSpec::Kind::measured;
    compute.each_rank = true;
    variation.compute = std::move(compute);
    return variation;
}

bool can_be_compared(const JobDocument& job, const std::string& folder, std::span<const MeasuredSteps> measured) {
    const CheckedSchedule schedule = job_schedule(job, folder);
    const Replicas replicas(job, static_cast<std::int32_t>(schedule.lists.size()), schedule.rank_of_stage);
    std::set<std::int32_t> found;
    return std::ranges::any_of(measured, [&](const MeasuredSteps& steps) {
        return !found.insert(replicas.place_of(steps.rank).pipeline_rank).second;
    });
}

}  // namespace overlap::job
