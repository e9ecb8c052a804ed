#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/program.h"
#include "core/simulate/simulation.h"

namespace overlap {

/// A kernel or copy on the device, and the node that launched it.
struct NodeActivity {
    NodeId node = no_node;  ///< no_node for what no node launched
    std::int64_t start_ns = 0, end_ns = 0;
    std::uint32_t stream = 0;  ///< the recorder's number
};

/// How long one node took over several steps: the time in which its kernels ran. Of a kernel that computes several
/// nodes each has the part that parts_of_kernel() gives it.
struct NodeMeasurement {
    NodeId node = no_node;
    double median_ms = 0, minimum_ms = 0, maximum_ms = 0;
    /// Median, of a collective or a copy between device and host: how long compute of rank 0 was blocked at its wait,
    /// for late peers too.
    double exposed_ms = 0;
};

/// What was recorded of several steps.
class MeasuredRun {
  public:
    /// Both must outlive it.
    MeasuredRun(const Graph& graph, const Program& program);

    void add_step(const std::vector<NodeActivity>& activities);

    std::uint32_t steps() const { return steps_; }
    /// Kernels that no node has launched; they are part of no node's time.
    std::uint64_t activities_without_node() const { return without_node_; }
    /// Of all nodes with a kernel, in graph order.
    std::vector<NodeMeasurement> measurements() const;

    /// Of each step how long compute was blocked for collectives; its median is 0 without a step.
    const std::vector<double>& exposed_ms() const { return exposed_ms_; }
    /// The same for copies between device and host.
    const std::vector<double>& transfer_exposed_ms() const { return transfer_exposed_ms_; }
    /// Times of one node in the steps that had it.
    const std::vector<double>& times_of(NodeId node) const { return times_ms_[node]; }

    /// The last step as a simulation, for everything that shows one: times of nodes from the step's first kernel on;
    /// waits are where compute was blocked until their collective had ended. A kernel that computes several nodes
    /// stands with the one in whose place it was launched.
    Simulation timeline() const { return timeline_of(last_step_); }

  private:
    /// A part of the time of a kernel that was launched for another node, or for this one.
    struct Part {
        NodeId node = no_node;
        double share = 1;
    };

    Simulation timeline_of(const std::vector<NodeActivity>& activities) const;

    const Graph& graph_;
    std::map<NodeId, std::vector<Part>> parts_;  ///< of kernels that compute several nodes, by the node they are for
    std::vector<std::vector<double>> times_ms_;  ///< of each node, of each step that had it
    std::map<NodeId, std::vector<double>> exposed_of_node_ms_;  ///< of each collective or copy, of each step
    std::vector<double> exposed_ms_, transfer_exposed_ms_;
    std::vector<NodeActivity> last_step_;
    std::uint32_t steps_ = 0;
    std::uint64_t without_node_ = 0;
};

}  // namespace overlap
