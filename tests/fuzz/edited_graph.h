#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "tests/fuzz/choices.h"

namespace overlap::fuzz {

/// The first nodes of a small graph of tests/data, edited as `choices` say: arguments, sizes, types, times, modules,
/// targets, storages, the order and the number of nodes. All of it is what a person can open as a file, which some of
/// the inputs try.
/// @throws InputError as with_edits() does.
std::shared_ptr<const Graph> edited_graph(Choices& choices);

/// Paths of modules, most of them of `graph`.
std::vector<std::string> module_names(const Graph& graph, Choices& choices);

}  // namespace overlap::fuzz
