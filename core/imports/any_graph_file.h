#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/imports/import_source.h"
#include "core/io/graph_file.h"

namespace overlap {

/// A graph as it is opened, whatever form its file has.
struct OpenedGraph {
    std::shared_ptr<const Graph> graph;  ///< null when stopped
    std::vector<std::string> notes;      ///< what an import could not take over; sentences without full stop
};

/// Imports one graph, with all notes on it.
/// @param notes of its listing. @throws InputError with file and place.
OpenedGraph open_imported(const ImportableGraph& graph, const ImportOptions& options, std::vector<std::string> notes,
                          std::stop_token stop = {});

/// Reads a graph document, or imports the one graph of a text or a log, which reports no progress.
/// @throws InputError with file and place; for a file of several graphs, with the graphs and how to choose one.
OpenedGraph read_any_graph_file(const std::string& path, const GraphReading& reading = {});

}  // namespace overlap
