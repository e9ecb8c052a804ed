#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/graph/graph.h"
#include "core/passes/experts/chunk_metadata.h"
#include "core/passes/experts/symbolic_expression.h"

namespace overlap::experts {

/// What the unknown fields of a node say of sizes known only at run time and of chunks, taken apart.
struct NodeFields {
    /// `symbolic_shapes`: for each output the expressions of its sizes, no_expression where a size is a number. Empty
    /// for an output of numbers alone.
    std::vector<std::vector<ExpressionId>> shapes;
    ExpressionId value = no_expression;  ///< `symbolic_value`
    ChunkMetadata chunk;                 ///< of `titan_meta`
    std::vector<ChunkSymbolHint> hints;  ///< `titan_meta.chunk_symbol_hints`
    std::string trainer_members;         ///< the other members of `titan_meta`, as JSON
    std::string members;                 ///< the other fields, as JSON

    /// The sizes of the first output; empty where all are numbers.
    const std::vector<ExpressionId>& sizes() const;
};

/// The fields of all nodes of a graph, read once for each different text, and what the file knows of its symbols.
class NodeFieldTable {
  public:
    /// @param reads_chunks whether what nodes say of chunks, other than hints of symbols, is taken apart, too; else it
    /// stays with the other members of `titan_meta`, and nodes that say nothing of sizes have no fields here.
    /// @param end reads the nodes before this one only.
    /// @throws PassRefusal of `pass` for fields that are not as docs/formats.md has them.
    NodeFieldTable(const Graph& graph, std::string_view pass, bool reads_chunks, NodeId end = no_node);

    /// How many nodes were read, from the first on.
    NodeId node_count() const { return static_cast<NodeId>(field_of_.size()); }
    /// Whether nodes behind those that were read can add nothing to what these say of symbols: each symbol stands alone
    /// somewhere, and no node has hints.
    bool is_complete() const { return is_complete_; }

    const NodeFields& of(NodeId node) const { return fields_[field_of_[node]]; }
    /// Equal for nodes whose fields are the same text; of those that are composed, the part that is about sizes.
    std::uint32_t number(NodeId node) const { return field_of_[node]; }
    std::uint32_t different_count() const { return static_cast<std::uint32_t>(fields_.size()); }
    Expressions& expressions() { return expressions_; }
    const Expressions& expressions() const { return expressions_; }
    /// What symbols were taken for in the sizes of `outputs`: the number beside the first mention of a symbol alone,
    /// else the document's `unbacked_symbol_hint`, else 1.
    const SymbolValues& hints() const { return hints_; }
    /// The next number that torch would give to a symbol `u<number>`.
    std::int64_t next_symbol() const { return next_symbol_; }
    /// @throws PassRefusal naming the node whose expression this version cannot read.
    std::int64_t hint(NodeId node, ExpressionId expression) const;

  private:
    NodeFields read(NodeId node, std::string_view text);
    void read_trainer_fields(NodeId node, std::string_view value, NodeFields& fields);
    std::vector<std::vector<ExpressionId>> read_shapes(NodeId node, std::string_view list);
    ExpressionId read_value(NodeId node, std::string_view object);
    ExpressionId read_expression(NodeId node, std::string_view json);
    void learn_hint(ExpressionId expression, std::int64_t number);

    const Graph& graph_;
    const std::string_view pass_;
    const bool reads_chunks_;
    Expressions expressions_;
    SymbolValues hints_;
    std::int64_t next_symbol_ = 0;
    bool is_complete_ = true;
    std::vector<std::uint32_t> field_of_;  ///< by node
    std::vector<NodeFields> fields_;
};

/// The text of a node's unknown fields, for its metadata. @param outputs the node's, under the hints.
std::string fields_text(const NodeFields& fields, const Expressions& expressions, const SymbolValues& hints,
                        const GraphEditor& editor, std::span<const TensorMeta> outputs);

/// Of that text, what is not about chunks: the first piece of composed fields. @pre `fields` has no hints.
std::string sizes_piece_text(const NodeFields& fields, const Expressions& expressions, const SymbolValues& hints,
                             const GraphEditor& editor, std::span<const TensorMeta> outputs);
/// Of that text, what is about chunks, up to where the name of the original node begins. @pre `chunk` has a role.
std::string half_piece_text(std::string_view trainer_members, const ChunkMetadata& chunk);

}  // namespace overlap::experts
