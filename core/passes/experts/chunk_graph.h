#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/experts/chunk_symbols.h"
#include "core/passes/experts/node_fields.h"
#include "core/passes/experts/symbolic_layout.h"

namespace overlap::experts {

inline constexpr std::string_view chunk_pass = "ep_overlap_chunk_pass";

/// The results of both halves of a value.
using Halves = std::array<NodeId, 2>;
inline constexpr Halves no_halves = {no_node, no_node};

/// A graph while modules are halved, with what torchtitan's pass knows of its nodes. Nodes are numbers of the editor.
class ChunkGraph {
  public:
    /// What the pass asks of operators.
    enum Trait : std::uint8_t {
        collective = 1,     ///< in the namespace `_c10d_functional`
        awaits = 2,         ///< `_c10d_functional.wait_tensor.default`
        exchange = 4,       ///< `_c10d_functional.all_to_all_single.default`
        sym_size = 8,       ///< `aten.sym_size.int`
        sym_stride = 16,    ///< `aten.sym_stride.int`
        binds_symbol = 32,  ///< `aten._local_scalar_dense.default`, whose result may be a symbol of its own
        reduction = 64,     ///< `all_reduce` or `reduce_scatter_tensor`
        takes_shape = 128,  ///< returns a tensor of the shape that its second argument is
    };

    /// @param static_inputs how many of the first placeholders hold state and are never halved.
    /// @throws PassRefusal where fields cannot be read.
    ChunkGraph(const std::shared_ptr<const Graph>& source, std::int64_t static_inputs);

    GraphEditor& editor() { return editor_; }
    const GraphEditor& editor() const { return editor_; }
    Expressions& expressions() { return table_.expressions(); }
    const Expressions& expressions() const { return table_.expressions(); }
    /// The symbols along which modules are halved.
    const KnownSymbols& symbols() const { return symbols_; }
    /// Numbers of all symbols, those made in this pass included.
    const SymbolValues& hints() const { return hints_; }

    /// What a node says of sizes. Of chunks it says chunk() and original_name().
    const NodeFields& fields(NodeId node) const { return *known_[node].fields; }
    const ChunkMetadata& chunk(NodeId node) const { return *known_[node].chunk; }
    /// `chunked_original_name`; empty where it has none.
    std::string_view original_name(NodeId node) const {
        const StringId original = known_[node].original;
        return original == empty_string ? std::string_view(chunk(node).original_name) : editor_.text(original);
    }
    /// The fields of a node of the source, before the pass changed them.
    const NodeFields& source_fields(NodeId node) const { return table_.of(node); }
    bool is_call(NodeId node) const { return editor_.op(node) == NodeOp::call_function; }
    bool has(NodeId node, unsigned traits) const {
        return is_call(node) && (traits_[editor_.record(node).target] & traits) != 0;
    }
    /// Whether the node's operator writes an argument.
    bool writes(NodeId node) const { return is_call(node) && editor_.target_info(node).written_arguments != 0; }
    bool is_backward(NodeId node) const { return editor_.metadata(node).autograd_backward.value_or(false); }
    StringId module_id(NodeId node) const { return editor_.metadata(node).module_fqn; }
    std::string_view module(NodeId node) const { return editor_.text(module_id(node)); }
    /// Whether `custom` has `EP` or `EP_token_exchange`.
    bool is_expert_labelled(NodeId node) const;
    bool is_static_input(NodeId node) const { return node < static_inputs_.size() && static_inputs_[node]; }

    /// The node's value where that is one tensor, else nullptr.
    const TensorMeta* tensor(NodeId node) const;
    /// The dimension of its tensor whose size mentions one of symbols(), or -1.
    /// @throws PassRefusal where several do.
    int chunk_dimension(NodeId node) const { return tensor(node) ? chunk_dimension(node, fields(node)) : -1; }
    /// The same of a tensor that the node had. @pre it was one tensor.
    int chunk_dimension(NodeId node, const NodeFields& fields) const;
    /// Whether they mention one of symbols().
    bool mention_symbols(const NodeFields& fields) const;
    /// Whether its value mentions one of symbols().
    bool depends(NodeId node) const { return known_[node].depends; }
    /// Whether a reader of a value counts: the output, a node that is read itself, or one that writes an argument.
    bool is_semantic_user(NodeId node) const {
        return editor_.op(node) == NodeOp::output || editor_.user_count(node) > 0 || writes(node);
    }
    /// The only input that is one tensor; no_node where there is none or are several.
    NodeId only_tensor_input(NodeId node) const;

    /// The fields of a node whose outputs stand already; the text in its metadata follows from them.
    void set_fields(NodeId node, NodeFields fields);

    /// What nodes of one half have in common, other than sizes.
    struct Half {
        const ChunkMetadata* chunk = nullptr;                           ///< one of keep()
        std::vector<std::pair<std::string_view, StringId>> half_piece;  ///< by other members of `titan_meta`
    };
    const NodeFields* keep(NodeFields fields) { return &made_.emplace_back(std::move(fields)); }
    const ChunkMetadata* keep(ChunkMetadata chunk) { return &made_chunks_.emplace_back(std::move(chunk)); }
    /// A new call under the default name of its operator. @param fields become those of set_fields().
    NodeId create(const GraphEditor::NewNode& call, std::string_view target, NodeFields fields, NodeId before);
    /// A new symbol for the copy of a number that is known only when the job runs. Its hint is half of the original's,
    /// rounded up: the copy sees half of the batch.
    SymbolId fresh_symbol(SymbolId original);

    /// What fields become in a half, where that follows from the halved symbols alone, whatever the half.
    struct HalvedFields {
        std::uint32_t of = 0;                ///< the state of symbols for which it holds
        bool holds_for_all = false;          ///< for every state
        const NodeFields* fields = nullptr;  ///< one of keep()
        bool depends = false;                ///< whether they mention one of symbols()
        /// sizes_piece_text() of the fields; empty_string where they have to be written as a whole.
        StringId sizes_piece = empty_string;
        std::vector<std::vector<std::int64_t>> sizes;  ///< of each output that is a tensor
        std::vector<bool> changed;                     ///< by output: whether its sizes change
        std::vector<KnownLayout> layouts;              ///< by output: the last one that was made
    };
    /// Numbers what symbols stand for in a half, from 1 on.
    std::uint32_t new_state_of_symbols() { return ++state_of_symbols_; }
    HalvedFields& halved_fields(const NodeFields* whole) { return halved_fields_[whole]; }
    /// The fields of a node of a half: what the whole node's became, what the half is, and the node that it was. Of
    /// nodes whose fields differ in that name alone, each piece is written once.
    void set_half(NodeId node, const HalvedFields& fields, Half& half, StringId original_name);

    /// The halves of a value that are known under this node: by the node that it was, or by either half. no_halves
    /// where they are not.
    const Halves& halves(NodeId node) const { return node < halves_.size() ? halves_[node] : no_halves; }
    bool has_halves(NodeId node) const { return halves(node)[0] != no_node; }
    void set_halves(NodeId node, const Halves& halves);

    /// What torch.fx calls a call of a target before the name is made unique.
    std::string_view default_name(std::uint32_t target);

    /// The place of each node in the region that is lowered, or no_place; of as many nodes as there were when it began.
    std::vector<std::uint32_t>& places_in_region() { return places_in_region_; }
    static constexpr std::uint32_t no_place = 0xffffffffu;

  private:
    /// What is known of a node.
    struct Known {
        const NodeFields* fields = nullptr;
        const ChunkMetadata* chunk = nullptr;
        StringId original = empty_string;  ///< of a node of a half: the name of the node that it was
        bool depends = false;              ///< whether `fields` mention one of symbols()
    };

    void note(NodeId node, const Known& known);

    NodeFieldTable table_;
    KnownSymbols symbols_;
    SymbolValues hints_;
    std::int64_t next_symbol_;
    GraphEditor editor_;
    std::vector<std::uint8_t> traits_;        ///< by target
    std::vector<std::string> default_names_;  ///< by target; empty until asked for
    std::vector<Known> known_;                ///< by node
    std::deque<NodeFields> made_;
    std::deque<ChunkMetadata> made_chunks_;
    StringId end_of_half_ = empty_string;
    std::vector<bool> static_inputs_;
    std::vector<Halves> halves_;
    std::vector<std::uint32_t> places_in_region_;
    std::uint32_t state_of_symbols_ = 0;
    std::unordered_map<const NodeFields*, HalvedFields> halved_fields_;
    mutable std::vector<std::int8_t> labelled_;  ///< by text of `custom`: 1, 0, or -1 for not looked at
};

}  // namespace overlap::experts
