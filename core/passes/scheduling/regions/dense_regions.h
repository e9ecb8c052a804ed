#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/pass_support.h"

namespace overlap {

/// The number of a transformer block in a module path: 3 in `layers.3.attention`; nothing for other paths.
std::optional<std::int64_t> layer_of_path(std::string_view path);

/// Whether the path is that of `norm` or `lm_head` or of a part of them.
bool is_top_level_path(std::string_view path);

/// Plan entries of which the graph has buckets of the joint bucketing pass, without repetition.
std::vector<std::vector<std::string>> marked_plan_entries(const Graph& graph);

/// The number of the one transformer block that a plan entry belongs to; nothing when it belongs to none.
/// @throws PassRefusal when it belongs to several or to one that does not exist.
/// @param place what the refusal refers to, such as a node.
std::optional<std::int64_t> layer_of_entry(const std::vector<std::string>& modules, std::int64_t layer_count,
                                           std::string_view pass, const std::string& place);

/// Nodes that do real work, in graph order, where communication is to be launched: compute beside which no token
/// exchange runs (torchtitan/experiments/graph_trainer/fsdp_passes.py, `_build_layer_dense_regions`).
struct DenseRegions {
    struct Region {
        std::vector<NodeId> forward, backward;
    };
    std::vector<Region> layers;
    Region top;  ///< norm and lm_head

    /// @param moe_layers layers of which only the attention counts.
    DenseRegions(const Graph& graph, std::int64_t layer_count, const std::set<std::int64_t>& moe_layers);
};

/// A gather or scatter that FSDP launches, with its first wait.
struct FsdpCollective {
    NodeId launch = no_node;
    NodeId wait = no_node;
    bool is_gather = false;
    bool backward = false;
    std::vector<std::string> modules;  ///< the bucket's plan entry, or the module that it was found to belong to
    /// Number of the transformer block, the number of blocks for norm and lm_head, nothing for embeddings.
    std::optional<std::int64_t> layer;
};

/// All-gathers and reduce-scatters that are waited for and whose modules are known, in graph order.
struct FsdpCollectives {
    std::vector<FsdpCollective> list;
    bool any_waited = false;  ///< also counting those whose modules are not known

    /// @throws PassRefusal for a bucket of several blocks or of a block that does not exist.
    FsdpCollectives(const Graph& graph, std::int64_t layer_count, std::string_view pass);
};

}  // namespace overlap
