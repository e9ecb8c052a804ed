#pragma once

#include <memory>
#include <string>

#include "app/commands/command.h"
#include "core/graph/graph.h"

namespace overlap::commands {

/// The graph of a file: a graph document, or the one graph of a text or a log that torch wrote. Reports on
/// `streams.notes` what an import could not take over, and what its figures leave out: sizes that it does not say,
/// tensors that are not on a device.
/// @throws InputError with file and place.
std::shared_ptr<const Graph> read_graph(const std::string& path, const Streams& streams);

}  // namespace overlap::commands
