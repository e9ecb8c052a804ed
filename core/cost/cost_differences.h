#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Why times by two cost models differ, as clauses, the greatest ratio first: `an all-gather of 64 MiB on group "0"
/// takes 0.3 ms and not 1.7 ms`. Two models of one device may price its links quite differently.
/// @param before, after cost models of one graph. @returns what differs by 10 % at least, of several groups only the
/// one that differs most.
std::vector<std::string> cost_differences(const CostParameters& before, const CostParameters& after);

}  // namespace overlap
