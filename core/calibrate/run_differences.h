#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/calibrate/calibration_run.h"
#include "core/cost/compute_class.h"

namespace overlap {

/// One node as it was predicted and as it was measured.
struct NodeDifference {
    NodeId node = no_node;
    ComputeClass compute_class = ComputeClass::nothing;  ///< `communication` of collectives and copies
    std::string process_group;                           ///< of a collective
    double predicted_ms = 0, measured_ms = 0;

    double difference_ms() const { return measured_ms - predicted_ms; }
};

/// All measured nodes of one compute class, collectives of one process group or copies between device and host, added
/// up.
struct DifferenceSum {
    std::string name;  ///< of the class or the process group; `copies between device and host`
    bool is_group = false;
    std::uint32_t nodes = 0;
    double predicted_ms = 0, measured_ms = 0;
};

/// Where a run took other times than were predicted.
struct RunDifferences {
    std::vector<NodeDifference> nodes;  ///< the largest difference first
    std::vector<DifferenceSum> sums;    ///< classes in the order of ComputeClass, groups by first use, copies
    std::uint32_t not_measured = 0;     ///< nodes that were predicted to take time and have none in the run
};

/// @param graph that was run. @param predicted_ms of each of its nodes, see node_times_ms().
RunDifferences run_differences(const Graph& graph, std::span<const double> predicted_ms, const RunnerTimes& times);

}  // namespace overlap
