#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/job/step/job_result.h"

namespace overlap::job {

/// `rank 3`, or `ranks 3, 7, 11, 15 and 13 more`. @param most that are named.
std::string ranks_text(const std::vector<std::int64_t>& ranks, std::size_t most = 4);

/// The ranks of each class of a result, ascending.
std::map<std::uint32_t, std::vector<std::int64_t>> ranks_of_classes(const JobResult& result);

}  // namespace overlap::job
