#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/passes/experts/chunk_graph.h"
#include "core/passes/experts/planned_regions.h"

namespace overlap::experts {

/// What stands for the values that a region reads, in each half.
struct HalvedInputs {
    std::unordered_map<NodeId, Halves> values;         ///< cut tensors and scalars, by the node outside the region
    std::unordered_map<ExpressionId, Halves> scalars;  ///< by what they are worth
};

/// Sets of nodes that are made anew for each region. They are kept, since it takes time to make one for a whole graph,
/// and none to empty it.
struct RegionSets {
    explicit RegionSets(std::uint32_t nodes) : body(nodes), live_ins(nodes), preserved(nodes), copies(nodes) {}

    NodeSet body;       ///< the nodes of the region
    NodeSet live_ins;   ///< what they read from outside it
    NodeSet preserved;  ///< scalars that are read whole and in the region: they stay, and both halves get copies
    NodeSet copies;     ///< the nodes of both halves
};

/// What is asked of the whole graph while one region is lowered.
struct LoweringContext {
    ChunkGraph& graph;
    const RootFinder& finder;
    const std::vector<ChunkRoot>& roots;
    const NodeSet& escape_boundaries;
    /// By node: the region of the plan that it is in, both directions; none beyond its end.
    const std::vector<const ChunkRegion*>& owners;
    RegionSets& sets;
    bool by_sequence = false;  ///< mode `seq`
    bool optimize_grad_live_out = true;
};

/// The nodes that torchtitan's pass makes around a region: their module is the root's parent, and they are in the
/// region's direction.
class SyntheticNodes {
  public:
    SyntheticNodes(ChunkGraph& graph, const ChunkRoot& root, bool is_backward);
    /// @param fields sizes or value of the node; what they say of chunks is added here.
    NodeId create(std::string_view target, std::span<const Value> args, std::span<const TensorMeta> outputs,
                  NodeFields fields, ChunkRole role, std::optional<int> chunk, NodeId before,
                  std::span<const Value> keywords = {});
    ChunkMetadata chunk_metadata(ChunkRole role, std::optional<int> chunk) const;

  private:
    ChunkGraph& graph_;
    const ChunkRoot& root_;
    const bool is_backward_;
    NodeMetadata metadata_;
};

/// Nodes of a region and what they read from outside it.
struct RegionBoundary {
    const NodeSet& body;           ///< of the context; holds until the next region's
    std::vector<NodeId> live_ins;  ///< in the order of the graph
};
/// Takes the sets of the context for that region.
RegionBoundary region_boundary(const LoweringContext& context, const ChunkRegion& region);

/// Cuts what a region reads, or finds the halves that are known already (`_split_live_ins`).
/// @throws PassRefusal where a size is odd, where there is nothing to cut, and for scalars that no graph has.
HalvedInputs halve_inputs(const LoweringContext& context, const ChunkRegion& region, const RegionBoundary& boundary,
                          SyntheticNodes& synthetic);

/// A node of a region as it was before the region was lowered.
struct OriginalNode {
    NodeId node = no_node;
    std::string_view name;  ///< as it was before the region was lowered
    StringId name_id = empty_string;
    Value args, kwargs;
    std::span<const TensorMeta> outputs;  ///< in BodyCopier::original_outputs_
    NodeMetadata metadata;
    const NodeFields* fields = nullptr;
    bool has_symbols = false;  ///< whether sizes are written into its arguments
};

/// Computes both halves: the first in the nodes themselves, the second in copies (`_copy_body`).
class BodyCopier {
  public:
    BodyCopier(const LoweringContext& context, const ChunkRegion& region, const HalvedInputs& inputs,
               const NodeSet& preserved);
    BodyCopier(const BodyCopier&) = delete;
    BodyCopier& operator=(const BodyCopier&) = delete;
    ~BodyCopier();
    /// @throws PassRefusal for views whose shape is written as numbers.
    void run();

    const std::vector<OriginalNode>& originals() const { return originals_; }
    /// Both halves of originals()[index].
    Halves halves(std::size_t index) const { return {copies_[0][index], copies_[1][index]}; }

  private:
    /// What an expression becomes, where it was looked at since symbols were replaced last.
    struct KnownHalf {
        std::uint32_t of = 0;  ///< symbols_now_ at that time
        ExpressionId half = no_expression;
    };

    void copy_half(int chunk);
    NodeId copy(std::size_t index, int chunk);
    Value mapped(const OriginalNode& original, const Value& value, int chunk);
    Value mapped_with_symbols(const OriginalNode& original, const Value& value, int chunk);
    Value mapped_symbol(const OriginalNode& original, const Value& value, int chunk);
    bool has_symbols(const Value& value) const;
    NodeId stand_in(NodeId node, int chunk) const;
    /// The place of a node in the region, or ChunkGraph::no_place.
    std::uint32_t place_of(NodeId node) const {
        const std::vector<std::uint32_t>& places = graph_.places_in_region();
        return node < places.size() ? places[node] : ChunkGraph::no_place;
    }
    void check_shape_argument(const OriginalNode& original, const Value& args) const;
    Value read_first_half(std::size_t index, const Value& args);
    ChunkGraph::HalvedFields& halved_fields(const OriginalNode& original, std::vector<TensorMeta>& outputs);
    bool put_known_sizes(ChunkGraph::HalvedFields& halved, std::vector<TensorMeta>& outputs);
    ChunkGraph::HalvedFields make_halved_fields(const OriginalNode& original, std::vector<TensorMeta>& outputs);
    ExpressionId halved(const OriginalNode& original, ExpressionId expression);

    const LoweringContext& context_;
    ChunkGraph& graph_;
    GraphEditor& editor_;
    const ChunkRegion& region_;
    const HalvedInputs& inputs_;
    const NodeSet& preserved_;
    std::vector<OriginalNode> originals_;
    /// Of all originals. The editor's own would become the first half's where a region lowered before changed them.
    std::vector<TensorMeta> original_outputs_;
    std::vector<NodeId> copies_[2];
    std::vector<SymbolId> replaced_;       ///< by symbol: the one that stands for it in the current half, or none
    std::vector<KnownHalf> halved_known_;  ///< by expression
    std::uint32_t symbols_now_ = 0;        ///< changes with each half, and with what is replaced in it
    ChunkGraph::Half half_;
    std::vector<TensorMeta> outputs_;  ///< of the copy that is being made, and its name
    std::string name_;
};

/// Lowers one region into two halves, joins what others read whole, and erases copies that nobody reads.
/// @throws PassRefusal where torchtitan raises, and for what no graph shows.
void lower_region(const LoweringContext& context, const ChunkRegion& region);

}  // namespace overlap::experts
