#pragma once

#include <map>
#include <span>
#include <string>

#include "core/graph/graph.h"

namespace overlap::commands {

/// Times of nodes that somebody knows better than a model, by name, in milliseconds: `{"mm_5": 1.25}`.
/// @throws InputError where the file is no such object or a time is negative.
std::map<std::string, double> read_node_times(const std::string& file);

/// Puts them in place of `times_ms`, the times of `result`'s nodes. Names of nodes of `input` that passes have replaced
/// have no effect, and are counted.
/// @returns how many of the names `result` does not have any more.
/// @throws InputError where neither graph has a node of a name.
std::size_t put_node_times(const std::map<std::string, double>& given, const std::string& file, const Graph& input,
                           const Graph& result, std::span<double> times_ms);

}  // namespace overlap::commands
