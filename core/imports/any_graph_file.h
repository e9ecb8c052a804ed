#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/imports/import_source.h"
#include "core/io/graph_file.h"

namespace overlap {

/// What a text or a log does not have, and the user can still tell with ImportOptions. Of a graph document there is
/// none.
struct ImportGaps {
    std::set<std::string> groups;     ///< process groups of collectives whose ranks are not known
    bool rank = false;                ///< whose graph it is; asked of graphs with collectives, as is the world size
    bool world_size = false;          ///< how many ranks the job has
    std::set<std::string> symbols;    ///< without a value
    std::size_t inputs = 0;           ///< whose tensors are not known; what follows from them is not, either
    std::size_t without_tensors = 0;  ///< nodes of whose tensors nothing is known, inputs among them

    bool empty() const;
};

/// A graph as it is opened, whatever form its file has.
struct OpenedGraph {
    std::shared_ptr<const Graph> graph;  ///< null when stopped
    std::vector<ImportNote> notes;       ///< what an import could not take over
    ImportGaps gaps = {};
};

/// Imports one graph, with all notes on it, and what it lacks that `options` did not tell.
/// @param notes of its listing. @throws InputError with file and place.
OpenedGraph open_imported(const ImportableGraph& graph, const ImportOptions& options,
                          const std::vector<std::string>& notes, std::stop_token stop = {});

/// Reads a graph document, or imports the one graph of a text or a log, which reports no progress.
/// @throws InputError with file and place; for a file of several graphs, with the graphs and how to choose one.
OpenedGraph read_any_graph_file(const std::string& path, const GraphReading& reading = {});

}  // namespace overlap
