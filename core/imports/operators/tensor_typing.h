#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/imports/untyped/untyped_graph.h"

namespace overlap {

/// How much of a graph's tensors the text had, and how much was derived.
struct TypingReport {
    std::size_t declared = 0;        ///< nodes whose tensors the text has in full
    std::size_t propagated = 0;      ///< nodes whose tensors, or whose strides, rules worked out
    std::size_t without_tensor = 0;  ///< nodes that return none, such as symbolic integers
    std::size_t unknown = 0;         ///< nodes of whose tensors nothing is known
    /// Operators of these, with the reason and the count: `aten.foo.default: no rule`.
    std::map<std::string, std::size_t> unknown_operators;
    /// Inputs among the unknown ones, which only the user can give: placeholders and attributes.
    std::vector<std::string> unknown_inputs;
};

/// What is unknown: the inputs in one note, then each kind of operator with its count.
/// @param how where the user gives tensors, such as `--tensors`.
std::vector<ImportNote> unknown_notes(const TypingReport& report, std::string_view how);

/// Gives every node the tensors that it returns: as the text has them, completed by what its operator makes of its
/// inputs (strides, devices, and which tensors share memory). What cannot be known stays without tensors and is
/// counted.
/// @throws InputError when it is not a valid graph, such as one with two nodes of one name.
Graph add_tensor_types(UntypedGraph&& graph, const ImportOptions& options, TypingReport& report);

}  // namespace overlap
