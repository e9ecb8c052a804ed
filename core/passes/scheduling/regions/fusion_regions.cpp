#include "core/passes/scheduling/regions/fusion_regions.h"

#include <cstdint>
#include <numeric>
#include <string_view>

namespace overlap {

namespace {

/// Inductor fuses a concatenation of at most so many tensors (`max_pointwise_cat_inputs`).
constexpr std::size_t most_fused_cat_inputs = 8;

bool is_fusible(const GraphEditor& graph, NodeId node) {
    if (graph.op(node) != NodeOp::call_function || !graph.target_info(node).traits.fusible) return false;
    if (graph.target(node) != "aten.cat.default") return true;
    const Value* joined = graph.argument(node, 0);
    return !joined || !joined->is(ValueKind::list) || graph.children(*joined).size() <= most_fused_cat_inputs;
}

/// `is_view_node`: has no cost of its own.
bool is_view(const GraphEditor& graph, NodeId node) {
    const std::string_view target = graph.target(node);
    return graph.target_info(node).traits.view && (target.starts_with("aten.") || target.starts_with("prims."));
}

/// Bytes of the tensors that a node returns; elements that an expanded dimension repeats count once.
std::int64_t accessed_bytes(const GraphEditor& graph, NodeId node) {
    std::int64_t bytes = 0;
    for (const TensorMeta& tensor : graph.outputs(node)) {
        if (!tensor.is_tensor) continue;
        std::int64_t elements = 1;
        for (std::size_t dimension = 0; dimension < tensor.rank; ++dimension) {
            if (graph.stride(tensor)[dimension] != 0) elements *= graph.shape(tensor)[dimension];
        }
        bytes += elements * dtype_info(tensor.dtype).bytes;
    }
    return bytes;
}

/// Stretches of consecutive fusible nodes, split into connected parts.
class FusionRegions {
  public:
    explicit FusionRegions(const GraphEditor& graph)
        : graph_(graph), stretch_(graph.number_count(), 0), parent_(graph.number_count()) {
        std::uint32_t stretch = 1;
        for (NodeId node = graph_.first(); node != no_node; node = graph_.next(node)) {
            if (is_fusible(graph_, node)) {
                stretch_[node] = stretch;
            } else {
                ++stretch;
            }
        }
        std::iota(parent_.begin(), parent_.end(), NodeId{0});
        for_each_fusible([&](NodeId node) {
            for (const NodeId input : graph_.inputs(node)) {
                if (stretch_[input] == stretch_[node]) parent_[root(input)] = root(node);
            }
        });
        costly_.resize(graph.number_count());
        for_each_fusible([&](NodeId node) { costly_[root(node)] += is_view(graph_, node) ? 0 : 1; });
    }

    template <typename Visit>
    void for_each_member(Visit&& visit) {
        for_each_fusible([&](NodeId node) {
            if (costly_[root(node)] >= 2) visit(node);
        });
    }

    /// @param member a node of a region.
    bool share_region(NodeId member, NodeId other) { return stretch_[other] != 0 && root(member) == root(other); }

  private:
    template <typename Visit>
    void for_each_fusible(Visit&& visit) const {
        for (NodeId node = graph_.first(); node != no_node; node = graph_.next(node)) {
            if (stretch_[node] != 0) visit(node);
        }
    }

    /// The representative of all nodes that are connected to `node`.
    NodeId root(NodeId node) {
        while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
        return node;
    }

    const GraphEditor& graph_;
    std::vector<std::uint32_t> stretch_;  ///< by node: number of its stretch, 0 where it is not fusible
    std::vector<NodeId> parent_;
    std::vector<std::uint32_t> costly_;  ///< by root: members that are no views
};

}  // namespace

std::vector<FusedCost> fusion_region_costs(const GraphEditor& graph, std::optional<double> memory_bytes_per_ns) {
    std::vector<FusedCost> costs;
    FusionRegions regions(graph);
    regions.for_each_member([&](NodeId member) {
        std::int64_t bytes = 0;
        for (const NodeId input : graph.inputs(member)) {
            if (!regions.share_region(member, input)) bytes += accessed_bytes(graph, input);
        }
        bool read_outside = false;
        graph.for_each_user(member, [&](NodeId user) { read_outside |= !regions.share_region(member, user); });
        if (read_outside) bytes += accessed_bytes(graph, member);
        const double nanoseconds = memory_bytes_per_ns ? static_cast<double>(bytes) / *memory_bytes_per_ns : 0;
        costs.push_back({member, nanoseconds / 1e6});
    });
    return costs;
}

}  // namespace overlap
