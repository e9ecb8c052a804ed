#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/job/document/job_document.h"

namespace overlap::job {

/// What a rank computed in each step, as its trace has it.
struct MeasuredSteps {
    std::int64_t rank = 0;
    std::vector<double> compute_ms;
};

/// What measured steps say of how a job varies: `slow` has for each rank, by its number, its mean over that of all
/// measured ranks with the same stages, and `compute` each step over its rank's mean, drawn once for each rank, since a
/// step has been measured and not its actions. Other fields of the job's variation stay; entries of `slow` are
/// replaced.
/// @param folder of the document.
/// @throws InputError: a rank that the job does not have or that is there twice, steps without compute, a job of
/// programs.
VariationSpec measured_variation(const JobDocument& job, const std::string& folder,
                                 std::span<const MeasuredSteps> measured);

/// Whether two of the measured ranks, which the job has, run the same stages: only then can one of them be told to be
/// slow.
/// @throws InputError as job_schedule().
bool can_be_compared(const JobDocument& job, const std::string& folder, std::span<const MeasuredSteps> measured);

}  // namespace overlap::job
