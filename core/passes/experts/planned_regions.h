#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/passes/experts/chunk_graph.h"

namespace overlap::experts {

/// A module whose batch is halved.
struct ChunkRoot {
    std::string module;
    std::string parent;  ///< the module without its last component; nodes that cut and join values belong to it
};

/// The modules that match a pattern such as `layers.*.moe` and exchange tokens among experts, sorted.
/// @param require_all_to_all where false and no node exchanges, modules with expert labels count.
/// @throws PassRefusal where there is none.
std::vector<ChunkRoot> chunk_roots(const Graph& graph, std::string_view pattern, bool require_all_to_all);

/// What is computed per half, of one module in one direction.
struct ChunkRegion {
    std::size_t root = 0;  ///< index of the root
    bool is_backward = false;
    std::vector<NodeId> nodes;  ///< in the order of the graph; not empty
};

/// A set of nodes, which is emptied at hardly any cost.
class NodeSet {
  public:
    explicit NodeSet(std::uint32_t nodes) : round_of_(nodes) {}
    bool has(NodeId node) const { return node < round_of_.size() && round_of_[node] == round_; }
    void add(NodeId node) {
        if (node >= round_of_.size()) round_of_.resize(node + 1);
        round_of_[node] = round_;
    }
    void remove(NodeId node) {
        if (node < round_of_.size()) round_of_[node] = 0;
    }
    void clear() {
        if (++round_ != 0) return;
        std::ranges::fill(round_of_, std::uint8_t{0});
        round_ = 1;
    }

  private:
    std::vector<std::uint8_t> round_of_;  ///< by node: in which round it was added
    std::uint8_t round_ = 1;              ///< counts how often the set was emptied; never 0
};

/// Whether a node's module is a root or in it.
class RootFinder {
  public:
    RootFinder(const ChunkGraph& graph, const std::vector<ChunkRoot>& roots);
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    /// The index of the root that the node's module is or lies in, or `none`.
    std::size_t root_of(NodeId node) const;
    bool is_inside(NodeId node, std::size_t root) const { return root_of(node) == root; }

  private:
    const ChunkGraph& graph_;
    const std::vector<ChunkRoot>& roots_;
    mutable std::vector<std::int32_t> root_of_module_;  ///< by text; -1 for none, -2 for not looked at
};

/// Gradients that leave the halved modules without a halved dimension: they are sums over both halves.
/// @returns where on its way each of them was made.
NodeSet grad_escape_boundaries(const ChunkGraph& graph);

/// The regions of all roots, both directions, on the graph as it is (torchtitan/experiments/graph_trainer/
/// ep_chunk_pass.py, `_find_regions`), in the order of their first nodes.
/// @throws PassRefusal where a forward node of a root reads a backward one.
std::vector<ChunkRegion> plan_regions(const ChunkGraph& graph, const RootFinder& finder, std::size_t roots,
                                      const NodeSet& escape_boundaries);

/// The values that a graph returns, in order.
std::vector<NodeId> returned_nodes(const GraphEditor& editor);

}  // namespace overlap::experts
