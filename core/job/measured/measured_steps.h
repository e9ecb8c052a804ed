#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/job/document/job_document.h"
#include "core/job/measured/measured_job.h"
#include "core/job/measured_variation.h"

namespace overlap::job {

/// What each rank computed in the counted steps of its trace, for measured_variation().
/// @param folder of the document.
/// @throws InputError with the file of a trace that is not of this job, by the rule of reason_against(); as
/// job_schedule() and Replicas for the document.
std::vector<MeasuredSteps> measured_steps(const JobDocument& job, const std::string& folder,
                                          std::span<const NamedTrace> traces);

}  // namespace overlap::job
