#pragma once

#include <nanobind/nanobind.h>

namespace overlap::python {

namespace nb = nanobind;

/// Nodes of a torch.fx graph as the list `nodes` of an overlap-graph document: JSON as UTF-8. What
/// overlap_studio/document.py does, which is asked for every node that is out of the ordinary.
/// @param encoder the NodeEncoder that the nodes would be given to otherwise; numbers of storages, symbols and notes
/// are kept there.
/// @param nodes all of them, in order.
/// Raises what the encoder raises.
nb::bytes fx_nodes(nb::handle encoder, const nb::list& nodes);

}  // namespace overlap::python
