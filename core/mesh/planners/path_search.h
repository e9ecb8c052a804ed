#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/mesh/collective_times.h"
#include "core/mesh/planners/state_space.h"

namespace overlap {

/// What every edge of a state space costs for one tensor on one mesh, each computed when it is first asked for.
class EdgeTimes {
  public:
    struct Options {
        bool free_strided_gathers = true;
        /// A group of one rank sends nothing; torch's model charges for it all the same.
        bool free_single_ranks = false;
    };

    /// @param times must outlive this.
    EdgeTimes(const DeviceMesh& mesh, const MeshTensor& tensor, const CollectiveTimes& times, Options options);

    /// @param cutting the mesh dimensions that cut the tensor before the step.
    double of(const StateEdge& edge, std::uint8_t cutting) {
        if (edge.cost == EdgeCost::free) return 0.0;
        double& time =
            table_[((static_cast<std::size_t>(edge.cost) << mesh_dims_ | edge.mesh_dims) << mesh_dims_) | cutting];
        if (time != time) time = compute(edge, cutting);
        return time;
    }

  private:
    double compute(const StateEdge& edge, std::uint8_t cutting) const;

    const CollectiveTimes& times_;
    Extents mesh_shape_;
    int mesh_dims_;
    double bytes_;
    Options options_;
    std::vector<double> table_;  ///< by kind, mesh dimensions and cutting mesh dimensions; NaN until computed
};

/// torch's Dijkstra: a heap of (cost, number of the push), no decrease-key, the target tested when popped. Paths, ties
/// and the count of expanded states are torch's; pushes that could only be popped after a better one are left out.
class PathSearch {
  public:
    struct Result {
        double cost = std::numeric_limits<double>::infinity();  ///< infinite: no path
        std::size_t states_expanded = 0;
    };

    /// @param partial_targets bit set of the mesh dimensions on which the target is P(sum).
    /// @throws InputError when stopped, or when the search has looked at so many steps that it would take seconds and
    /// gigabytes.
    Result run(StateSpace& space, EdgeTimes& times, std::uint32_t source, std::uint32_t target,
               std::uint8_t partial_targets, const std::stop_token& stop = {});

    struct PathStep {
        std::uint32_t from = 0, to = 0;
        StateEdge edge;
        double cost = 0.0;
    };

    /// The steps to the target of the last run that found it.
    std::vector<PathStep> path(StateSpace& space, EdgeTimes& times, std::uint32_t source, std::uint32_t target) const;

  private:
    struct Reached {
        double cost = 0.0;
        std::uint32_t penalty = 0;
        std::uint32_t from = 0;
        StateEdge edge;
        std::uint32_t run = 0;  ///< the run that reached it
        bool expanded = false;
    };
    struct Entry {
        double cost;
        std::uint64_t tie;  ///< penalty, then the number of the push
        std::uint32_t state;
        bool operator>(const Entry& other) const { return cost != other.cost ? cost > other.cost : tie > other.tie; }
    };
    static constexpr int tie_bits = 48;
    static constexpr std::uint64_t pushes_limit = 150'000'000;
    static constexpr std::size_t expansions_between_looks = 256;

    Reached& reached(std::uint32_t state);
    bool pop(Entry& entry);

    std::vector<Reached> reached_;
    std::vector<Entry> heap_;
    /// Entries of the cost and penalty now being popped, pushed since: free steps need no heap.
    std::vector<Entry> level_;
    std::size_t level_front_ = 0;
    std::uint32_t run_ = 0;
};

/// State spaces of one mesh and tensor, one for each set of operations and strided shards that questions have.
class StateSpaces {
  public:
    /// @param rules without operations and strided shards, which come with questions.
    StateSpaces(const DeviceMesh& mesh, const MeshTensor& tensor, StateSpaceRules rules)
        : sizes_{mesh.shape, tensor.shape}, rules_(std::move(rules)) {}

    /// The space in which a path from `source` to `target` is searched.
    StateSpace& between(const ShardingState& source, const ShardingState& target);

  private:
    std::shared_ptr<StateSpace> make(StateSpaceRules rules, std::vector<Placement> strided_shards) const;

    StateSpaceSizes sizes_;
    StateSpaceRules rules_;
    std::vector<std::shared_ptr<StateSpace>> spaces_;
};

/// A question made ready: both states checked and numbered.
struct SearchQuestion {
    StateSpace* space = nullptr;
    std::uint32_t source = 0, target = 0;
    std::uint8_t partial_targets = 0;
};

/// @throws InputError as validate_state().
SearchQuestion search_question(StateSpaces& spaces, const ShardingState& source, const ShardingState& target,
                               const DeviceMesh& mesh, int tensor_dims);

/// Steps with their states, kinds and logical shapes.
RedistributionPlan described_plan(const std::vector<PathSearch::PathStep>& path, const ShardingState& source,
                                  StateSpace& space, const DeviceMesh& mesh, const Extents& tensor_shape,
                                  std::int64_t rank);

[[noreturn]] void fail_no_path(const ShardingState& source, const ShardingState& target);

}  // namespace overlap
