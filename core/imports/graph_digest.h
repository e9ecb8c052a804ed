#pragma once

#include <string>

#include "core/graph/graph.h"

namespace overlap {

/// A checksum that graphs have in common when ranks run the same program: names, operators, arguments, dtypes, sizes
/// and strides of all nodes in order. What ranks differ in without harm is left out: source lines, the device's index,
/// addresses of objects, and names of process groups but for which nodes share one.
std::string program_digest(const Graph& graph);

}  // namespace overlap
