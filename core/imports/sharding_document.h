#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/mesh/sharding_state.h"

namespace overlap {

/// A value that a node reads, and how autoparallel redistributes it before.
struct ShardedInput {
    std::string name;                          ///< of the node that makes it
    std::optional<ShardingState> made, taken;  ///< absent where it is no tensor, or several
    double redistribution_us = 0;              ///< of the collectives between both

    bool is_redistributed() const { return made && taken && *made != *taken; }
};

/// A node with the placement that autoparallel chose.
struct ShardedNode {
    std::string name;
    std::string op;
    std::string placement;               ///< as written, also where it is of several tensors: `(S(0)R, None)`
    std::optional<ShardingState> state;  ///< of its one tensor
    std::optional<std::vector<std::int64_t>> shape;  ///< of the whole tensor
    std::vector<ShardedInput> inputs;
    std::string dtype;  ///< empty where the document does not have it
    double compute_us = 0;
};

/// What autoparallel's `export_sharding_json` writes (autoparallel/export_json.py): a solution of its optimizer.
struct ShardingDocument {
    std::vector<std::int64_t> mesh_shape;
    std::vector<std::string> mesh_names;  ///< empty where the mesh has none
    std::vector<ShardedNode> nodes;       ///< in the graph's order, without its output

    /// Nodes whose names `graph` does not have; they belong to another graph.
    std::vector<std::string> unknown_nodes(const Graph& graph) const;
    /// Sums over all nodes, in microseconds.
    double redistribution_us() const;
    double compute_us() const;
};

/// Whether the beginning of a file looks like such a document.
bool looks_like_sharding_document(std::string_view head);

/// @throws InputError with file and place: unreadable, a placement that does not fit the mesh, or one that cuts a
/// dimension that the node's tensor does not have.
/// @returns an empty document when `stop` was requested.
ShardingDocument read_sharding_document(const std::string& path, const std::stop_token& stop = {});
/// The same from a text. @param name of the text for messages.
ShardingDocument read_sharding_text(std::string_view text, const std::string& name);

}  // namespace overlap
