#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace overlap::python {

namespace nb = nanobind;

/// Nodes of a torch.fx graph as the list `nodes` of an overlap-graph document: JSON as UTF-8. What
/// overlap_studio/document.py does, which is asked for every node that is out of the ordinary.
/// @param encoder the NodeEncoder that the nodes would be given to otherwise; numbers of storages, symbols and notes
/// are kept there.
/// @param nodes all of them, in order.
/// @param places of the nodes that are asked for; none for all.
/// Raises what the encoder raises, and IndexError for a place that is none.
nb::bytes fx_nodes(nb::handle encoder, const nb::list& nodes, const std::optional<std::vector<std::size_t>>& places);

/// Of the nodes at `places`, those that are not certainly what a document says of the nodes in their places.
/// @param expected nodes of an overlap-graph document.
/// @param groups texts that name process groups, which are never certain.
/// @param with_modules compares modules and direction too.
std::vector<std::size_t> fx_doubtful(nb::handle encoder, const nb::list& nodes, const nb::list& expected,
                                     nb::handle groups, bool with_modules,
                                     const std::optional<std::vector<std::size_t>>& places);

}  // namespace overlap::python
