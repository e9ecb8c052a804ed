#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "tests/fuzz/choices.h"

namespace overlap::fuzz {

/// A small graph of tests/data whose document `choices` have edited: arguments, shapes, types, times, modules, targets,
/// storages and the order of nodes. What comes of it is read as a file would be, so that it is a graph that a person
/// can open.
/// @throws InputError where the reader refuses it.
std::shared_ptr<const Graph> edited_graph(Choices& choices);

/// Paths of modules, most of them of `graph`.
std::vector<std::string> module_names(const Graph& graph, Choices& choices);

}  // namespace overlap::fuzz
