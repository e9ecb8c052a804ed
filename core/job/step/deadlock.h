#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/job/step/job_result.h"
#include "core/job/step/node_names.h"

namespace overlap::job {

/// The ranks that a rendezvous waits for and that have no such operation.
using AbsentRanks = std::function<std::vector<std::int64_t>(std::uint32_t rendezvous)>;

/// As many of those who wait for a member that never comes are listed.
inline constexpr std::size_t most_missing = 10'000;

/// Why the nodes outside `order` cannot run: a circle of waiting where there is one, else who waits for a member that
/// never comes.
std::vector<JobProblem> deadlocks(const StepGraph& graph, const StepOrder& order, const NodeNames& names,
                                  const AbsentRanks& absent);

}  // namespace overlap::job
