#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/graph/graph.h"

namespace overlap {

/// How a graph is read.
struct GraphReading {
    std::stop_token stop;
    /// Called about once a megabyte, on the thread that reads, with the share of nodes that have been read, from 0 to
    /// 1. Not called for documents that cannot be read in pieces.
    std::function<void(double share)> progress;
};

/// Reads an overlap-graph document (docs/formats.md), gzip or plain, detected by content.
/// @return nullptr when stopped.
/// @throws InputError with file and place.
std::shared_ptr<const Graph> read_graph_file(const std::string& path, const GraphReading& reading = {});

/// Reads a document from memory, gzip or plain. @param name stands for the file in errors.
std::shared_ptr<const Graph> read_graph_text(std::string_view bytes, const std::string& name,
                                             std::stop_token stop = {});

/// The document of a graph; every field that was read, unknown ones included, is written.
std::string write_graph_text(const Graph& graph);

/// One node as that document has it: a JSON object without white space.
std::string write_node_text(const Graph& graph, NodeId node);

/// Writes the document, compressed when `path` ends in `.gz`. The file appears whole or not at all.
/// @throws InputError when it cannot be written.
void write_graph_file(const Graph& graph, const std::string& path);

}  // namespace overlap
