#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Why manual bucketing does not bucket a collective.
enum class BucketingObstacle : std::uint8_t {
    none,                  ///< it can be bucketed
    no_collective,         ///< the node starts no communication
    kind,                  ///< no plain all-gather, reduce-scatter or all-reduce
    not_awaited,           ///< nothing waits for it directly
    no_placeholder,        ///< an all-gather that depends on no input of the graph
    several_placeholders,  ///< an all-gather that depends on more than one input of the graph
    joined_downstream,     ///< a reduce-scatter whose result meets another value before the graph's end
};

/// Which collectives of a graph manual bucketing may merge
/// (torch/_inductor/fx_passes/overlap_manual_scheduling.py): all-gathers with exactly one placeholder among their
/// transitive inputs, reduce-scatters whose result reaches the end of the graph without meeting another value, and all
/// all-reduces; each only when a wait awaits it directly. Computed once for a graph, in linear time.
class BucketingEligibility {
  public:
    explicit BucketingEligibility(const Graph& graph);

    bool eligible(NodeId node) const { return obstacle(node) == BucketingObstacle::none; }
    BucketingObstacle obstacle(NodeId node) const { return obstacles_[node]; }
    /// The last wait, in graph order, on what `start` returns; no_node where nothing waits for it directly.
    NodeId wait(NodeId start) const { return waits_[start]; }
    /// The one placeholder among the transitive inputs of `node` (itself, if it is one); no_node for none or several.
    NodeId only_placeholder(NodeId node) const;
    /// Eligible collectives in graph order.
    const std::vector<NodeId>& collectives() const { return collectives_; }

  private:
    class Unjoined;

    void find_placeholders(const Graph& graph);
    BucketingObstacle judge(const Graph& graph, NodeId node, Unjoined& unjoined) const;

    std::vector<BucketingObstacle> obstacles_;
    std::vector<NodeId> waits_;
    std::vector<NodeId> placeholders_;
    std::vector<NodeId> collectives_;
};

/// One sentence without full stop on what `obstacle` means for a collective; empty for BucketingObstacle::none.
std::string describe(BucketingObstacle obstacle);

/// Bytes of the tensors that a collective takes (its first argument) and returns.
std::int64_t collective_input_bytes(const Graph& graph, NodeId start);
std::int64_t collective_output_bytes(const Graph& graph, NodeId start);
/// The larger of both: what the link model and all figures count.
std::int64_t collective_bytes(const Graph& graph, NodeId start);

}  // namespace overlap
