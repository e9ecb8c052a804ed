#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph_builder.h"
#include "core/imports/untyped/fx_types.h"
#include "core/imports/untyped/import_notes.h"

namespace overlap {

/// A node as a text has it, before tensors that follow from its operator are added.
struct UntypedNode {
    NodeRecord record;  ///< name, target, op, args and kwargs in the graph's builder
    NodeMetadata metadata;
    std::optional<DeclaredTensor> declared;  ///< its one tensor
    std::optional<std::int64_t> value;       ///< of a symbolic integer that has a value
    std::string symbol;                      ///< of a symbolic integer: the expression
    std::size_t offset = 0;                  ///< in the text, for messages
};

/// The nodes of a text in order; argument values are in the builder, which has no nodes yet.
struct UntypedGraph {
    GraphBuilder builder;
    std::vector<UntypedNode> nodes;
    GraphHeader header;
    ImportNotes notes;
    std::set<std::string> symbols;  ///< that types name, whether or not they have a value
};

/// What the user adds because a text leaves it out.
struct ImportOptions {
    SymbolValues symbols;
    TensorTable tensors;                       ///< they win over the text
    std::vector<ProcessGroup> process_groups;  ///< names and ranks
    std::optional<std::int64_t> rank, world_size;
    std::string device = "cuda";  ///< of tensors whose device is not given
};

}  // namespace overlap
