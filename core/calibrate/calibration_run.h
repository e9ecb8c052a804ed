#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/graph/compilation.h"
#include "core/graph/graph.h"
#include "core/measure/measured_comparison.h"

namespace overlap {

/// How long one node took in a run, or a kernel that computes several.
struct NodeSample {
    NodeId node = no_node;
    std::vector<NodeId> others = {};  ///< that the kernel computes, too
    double time_ms = 0;
    /// How much of it ran beside what could slow it: of compute, while collectives moved data; of a collective, while
    /// compute ran. Not known of times that are means over several occurrences.
    std::optional<double> beside_ms;
    /// Of a collective: how much ran beside collectives of other process groups.
    double beside_others_ms = 0;

    /// What all nodes of the kernel have together. @param of_node a number of each node of the graph.
    double sum(const std::vector<double>& of_node) const;
};

/// The kernels of a compiled job that its compiler wrote. A trace calls them by names of the compiler's own, so they
/// are known together and not one by one.
struct GeneratedKernels {
    std::vector<NodeId> nodes;   ///< that they compute
    std::uint32_t modelled = 0;  ///< kernels that the model makes of these nodes (core/predict)
    std::uint32_t measured = 0;  ///< kernels in the step
    double total_ms = 0;         ///< that these took
};

/// What one measured run says of a graph, as it was run: after all passes.
struct CalibrationRun {
    std::string name;  ///< of the file, for display
    std::shared_ptr<const Graph> graph;
    /// How what ran compiles the graph; none: times are of nodes as traced. Of it are classes, work and predictions.
    std::optional<Compilation> compilation;
    /// A runner's that compiled nothing: times that the graph has of its own are of nodes as traced.
    bool as_traced = false;
    /// By which times that the graph has of its own are read.
    std::optional<Compilation> compilation_of_own_times() const { return as_traced ? std::nullopt : compilation; }
    std::vector<NodeSample> samples;
    GeneratedKernels generated;
    std::optional<double> step_ms, exposed_ms;    ///< as measured
    std::string device;                           ///< its name; may be empty
    std::map<std::string, std::string> versions;  ///< of libraries, by name
    std::vector<std::string> notes;               ///< what it leaves open; sentences without full stop
};

/// Times of nodes that a runner measured one by one, by name of the node.
struct RunnerTimes {
    std::map<std::string, double, std::less<>> node_ms;
    /// Of nodes that share a kernel with others: the node with which it is launched.
    std::map<std::string, std::string, std::less<>> kernel_of_node;
    CompiledScope compiled = CompiledScope::eager;  ///< what of the graph ran as its compiler's kernels
    double step_ms = 0;
    std::optional<double> exposed_ms;
    std::string graph_digest;  ///< of the graph that ran, see fingerprint()
    std::string device;
    std::map<std::string, std::string> versions;
};

/// The run of a runner, with the kernels that it launched whatever the job compiles. What ran beside what is that of
/// the stream model with the measured times: a runner starts nodes by the same rules.
/// @throws InputError where no node of the graph has a time.
CalibrationRun run_of_runner(std::string name, std::shared_ptr<const Graph> graph, const RunnerTimes& times);

/// A step of a job, whose collectives have been matched with those of the plan. Collectives have their own times;
/// compute has the mean times of operators of the same name and sizes, as far as the profile knows them. Where the
/// evaluation is of a compiled job, kernels that its compiler wrote are `generated`.
/// @param profile of the same trace.
/// @throws InputError where less than half of the plan's collectives are in the step: it belongs to another job or plan
/// then.
CalibrationRun run_of_trace(std::string name, const MeasuredComparison& comparison, const ProfileTables& profile);

/// The run that traces of ranks of one job tell together: the step of the first rank. How long it waited in its
/// collectives for the others is known by their traces, and is no time of a link.
/// @param traces one or more. @param aligned of these. @param profile of the first.
/// @throws InputError as run_of_trace(), measured_step() and compare_with_measurement() do.
CalibrationRun run_of_ranks(std::string name, const std::shared_ptr<const Evaluation>& ran,
                            std::span<const std::shared_ptr<const MeasuredTrace>> traces, const AlignedRanks& aligned,
                            const ProfileTables& profile);

}  // namespace overlap
