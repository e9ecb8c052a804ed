#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// The nodes of a module whose batch torchtitan halves, so that one half communicates while the other computes
/// (`titan_meta.chunk_id` of a node; core/passes/experts).
class BatchHalves {
  public:
    explicit BatchHalves(const Graph& graph);

    bool any() const { return !regions_.empty(); }
    /// 0 or 1; -1 for a node that is of no half.
    int half_of(NodeId node) const { return node < half_.size() ? half_[node] : -1; }
    /// The module that is halved; empty for other nodes.
    std::string_view module_of(NodeId node) const;
    /// Whether the two nodes are of different halves of one module, in whichever directions.
    bool are_opposite(NodeId one, NodeId other) const;
    /// The nodes of the same half of the same module in the same direction, in order; empty for other nodes.
    std::vector<NodeId> with(NodeId node) const;

  private:
    struct Region {
        std::string_view module;  ///< in the graph's text
        bool backward = false;
        bool operator==(const Region&) const = default;
    };

    std::vector<std::int8_t> half_;        ///< by node; empty where there are none
    std::vector<std::int32_t> region_of_;  ///< likewise, into regions_
    std::vector<Region> regions_;
};

/// What a half waits for and what waits for it.
struct HalfStep {
    NodeId from = no_node;
    NodeId to = no_node;
    bool operator==(const HalfStep&) const = default;
};

/// How a half of a module goes on: from each of its collectives to the longest compute behind it, such as the experts
/// behind the dispatch of their tokens, and from there to the next collective, such as the combination.
/// @param node of `evaluation.graph`, whose half it is. Empty for a node of no half.
std::vector<HalfStep> steps_of_half(const Evaluation& evaluation, const BatchHalves& halves, NodeId node);

/// How long compute of the other half of the same module hides a collective of a half; 0 for other collectives.
/// @param collective index of the evaluation's Simulation::collectives.
double hidden_by_other_half_ms(const Evaluation& evaluation, const BatchHalves& halves, std::size_t collective);

}  // namespace overlap
