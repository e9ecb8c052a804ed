#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/cost/profile_tables.h"
#include "core/graph/graph.h"

namespace overlap {

/// What a profile is asked for a node that is no collective: the operator's name, sizes of its tensor arguments and
/// dtype of its result, without a time. Nothing where no argument is a tensor, or a size is known only when the job
/// runs.
std::optional<ProfiledOperator> profiled_operator(const Graph& graph, NodeId node);

/// What a profile says of the nodes of a graph, as torch 2.15 asks it
/// (torch/_inductor/fx_passes/profile_guided_estimation.py, `ProfileGuidedEstimator`): collectives by kind, ranks of
/// their group, elements and dtype of their output; other operators by name, sizes of their tensor arguments and dtype
/// of their result.
class ProfileGuidedEstimator {
  public:
    /// Both must outlive the estimator.
    ProfileGuidedEstimator(const Graph& graph, const ProfileTables& tables) : graph_(graph), tables_(tables) {}

    /// Milliseconds, or nothing where the profile does not know the node.
    /// @param override_bytes size of a collective's output instead of its own; for 0 there is no answer. Others ignore
    /// it. A size that only the running job knows (`u0` in `symbolic_shapes`) has no answer either; torch raises there
    /// if it is a collective's.
    std::optional<double> time_ms(NodeId node, std::optional<std::int64_t> override_bytes = std::nullopt) const;

  private:
    std::optional<double> collective_ms(NodeId node, std::optional<std::int64_t> override_bytes) const;
    std::optional<double> operator_ms(NodeId node) const;

    const Graph& graph_;
    const ProfileTables& tables_;
};

/// Times of a graph's nodes with a profile as their source.
struct ProfileGuidedTimes {
    std::vector<double> times_ms;    ///< of each node
    std::vector<bool> from_profile;  ///< of each node
    std::uint32_t collectives = 0;   ///< that the profile knows
    std::uint32_t operators = 0;     ///< other nodes that it knows
};

/// @param otherwise_ms times of the nodes that the profile does not know, see node_times_ms().
/// @param not_asked nodes that keep these times although the profile may know operators like them; empty: none.
ProfileGuidedTimes profile_guided_times(const Graph& graph, const ProfileTables& tables,
                                        std::span<const double> otherwise_ms, const std::vector<bool>& not_asked = {});

/// The same graph with these times as `estimate_ms` of all nodes that are called: what passes and simulations then
/// work with.
std::shared_ptr<const Graph> with_times(const std::shared_ptr<const Graph>& graph, std::span<const double> times_ms);

}  // namespace overlap
