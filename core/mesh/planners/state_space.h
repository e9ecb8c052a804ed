#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/mesh/redistribution.h"

namespace overlap {

/// A state in one word: for each mesh dimension, ten bits for its placement and its place in the order. Equal words are
/// equal states.
using PackedState = std::uint64_t;

/// Between states and words, for one set of strided shards. Words of two codes do not compare.
class StateCode {
  public:
    /// @param strided_shards every strided shard that may occur, at most 64.
    StateCode(int mesh_dims, int tensor_dims, std::vector<Placement> strided_shards);

    PackedState pack(const ShardingState& state) const;
    ShardingState unpack(PackedState state) const;

    int mesh_dims() const { return mesh_dims_; }
    int tensor_dims() const { return tensor_dims_; }
    const std::vector<Placement>& strided_shards() const { return strided_shards_; }

    static constexpr unsigned replicate_code = 0, first_partial_code = 1, first_shard_code = 9, first_strided_code = 41;
    static constexpr int field_bits = 10, placement_bits = 7;

    static unsigned placement_of(PackedState state, int mesh_dim) {
        return static_cast<unsigned>(state >> (field_bits * mesh_dim)) & ((1U << placement_bits) - 1);
    }
    static unsigned place_of(PackedState state, int mesh_dim) {
        return static_cast<unsigned>(state >> (field_bits * mesh_dim + placement_bits)) &
               ((1U << (field_bits - placement_bits)) - 1);
    }
    static PackedState with(PackedState state, int mesh_dim, unsigned placement, unsigned place = 0) {
        const int shift = field_bits * mesh_dim;
        constexpr PackedState field = (PackedState{1} << field_bits) - 1;
        return (state & ~(field << shift)) | (PackedState{placement | place << placement_bits} << shift);
    }
    /// The tensor dimension that a placement's code cuts, or -1.
    int tensor_dim_of(unsigned placement) const;
    Placement placement(unsigned code) const;
    unsigned code(const Placement& placement) const;

  private:
    int mesh_dims_, tensor_dims_;
    std::vector<Placement> strided_shards_;
};

/// What an edge costs is looked up by this. Free edges send nothing.
enum class EdgeCost : std::uint8_t {
    free,
    all_gather,
    strided_all_gather,
    all_to_all,
    all_reduce,
    reduce_scatter,
    permute
};
constexpr int edge_cost_count = 7;

struct StateEdge {
    std::uint32_t target = 0;
    EdgeCost cost = EdgeCost::free;
    std::uint8_t mesh_dims = 0;        ///< bit set
    std::uint8_t penalty = 0;          ///< decides between paths of equal cost, the lower the better
    bool into_partial_target = false;  ///< only for targets that are P(sum) on this mesh dimension (edge 7)
};

/// Which edges a space has.
struct StateSpaceRules {
    std::vector<ReduceOp> reduce_ops;        ///< that a replicate may become, in the order in which they are tried
    std::vector<Placement> strided_targets;  ///< that a replicate may become
    bool merged_collectives = false;
    bool permutations = false;
    bool moved_mesh_dims_suffice = false;  ///< for permutations, whatever data they need

    /// Edges, and penalties, are those of torch's own search.
    bool torch_only() const { return !merged_collectives && !permutations; }

    bool operator==(const StateSpaceRules&) const = default;
};

/// Sizes decide on nothing but the ranks that a permutation exchanges data among.
struct StateSpaceSizes {
    Extents mesh_shape, tensor_shape;
};

/// States reachable on a mesh and the steps between them, found as they are asked for. Sizes do not matter to torch's
/// edges, so one space serves tensors of one number of dimensions.
class StateSpace {
  public:
    StateSpace(StateCode code, StateSpaceRules rules, StateSpaceSizes sizes);

    const StateCode& code() const { return code_; }
    const StateSpaceRules& rules() const { return rules_; }

    /// The number of a state, a new one where it was not seen before.
    std::uint32_t find(PackedState state);
    PackedState state(std::uint32_t number) const { return nodes_[number].state; }
    /// Bit set of the mesh dimensions that cut the tensor.
    std::uint8_t cutting(std::uint32_t number) const { return nodes_[number].cutting; }
    std::size_t size() const { return nodes_.size(); }

    /// The steps out of a state, in torch's order, ours after them. Valid until the next call.
    std::span<const StateEdge> edges(std::uint32_t number);

    /// Finds every state and step there is. Nothing changes afterwards, so threads may share the space: states that
    /// fit its rules are all known.
    void complete();

  private:
    /// Steps that are remembered, 12 bytes each; those of further states are computed each time.
    static constexpr std::size_t kept_edges_limit = 8'000'000;

    struct Node {
        PackedState state = 0;
        std::uint32_t first_edge = 0;
        std::uint32_t edge_count = 0;
        std::uint8_t cutting = 0;
        bool expanded = false;
    };
    /// Where the mesh dimensions of each tensor dimension end, gathered once for a state.
    struct Orders {
        std::array<std::uint8_t, MeshTensor::dims_limit> count{};
        std::array<std::int8_t, MeshTensor::dims_limit> last{};
    };

    void expand(std::uint32_t number);
    void add_torch_edges(PackedState state, const Orders& orders);
    void add_partial_edges(PackedState state);
    void add_merged_edges(PackedState state, const Orders& orders);
    void add_permutations(PackedState state, const Orders& orders);
    void add(PackedState target, EdgeCost cost, unsigned mesh_dims, unsigned penalty = 0);
    void add_appended(PackedState base, unsigned shard, unsigned first_place, unsigned mesh_dims, EdgeCost cost);
    Orders orders_of(PackedState state) const;
    void grow_table();

    StateCode code_;
    StateSpaceRules rules_;
    StateSpaceSizes sizes_;
    std::vector<Node> nodes_;
    /// Kept ones, and behind them those of the state that was asked for last, once enough are kept.
    std::vector<StateEdge> edges_;
    std::size_t kept_edges_ = 0;
    std::vector<std::uint32_t> table_;  ///< state number + 1 by hash, 0 where empty
    int table_bits_ = 0;
};

}  // namespace overlap
