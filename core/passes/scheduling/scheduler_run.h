#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/passes/scheduling/binary_heap.h"
#include "core/passes/scheduling/collective_set.h"
#include "core/passes/scheduling/collectives_in_flight.h"
#include "core/passes/scheduling/memory_tracker.h"
#include "core/passes/scheduling/node_traits.h"
#include "core/passes/scheduling/overlap_scheduler.h"
#include "core/passes/scheduling/prefetch_budget.h"
#include "core/passes/scheduling/shared_sets.h"

namespace overlap::scheduling {

/// One run of the scheduler. The loop and what happens to one node are in overlap_scheduler.cpp, the search for
/// collectives that a node can hide in overlap_attempt.cpp.
class SchedulerRun {
  public:
    SchedulerRun(const Graph& graph, std::span<const double> times_ms, CollectiveTable& table,
                 const SchedulerLimits& limits, const SymbolicSizes& sizes);

    Schedule run(const std::stop_token& stop);

  private:
    /// Milliseconds that a node can still hide, by process group; 0 for a group that it cannot hide.
    using TimeLeft = std::vector<double>;
    /// Sort key of a ready node: the most important criteria in the highest bits, the node in the lowest.
    using Priority = std::uint64_t;
    static constexpr int node_bits = 30;

    /// A collective that an attempt may start, with what determines its turn (torch's `overlap_priority`).
    struct Candidate {
        std::uint32_t turn = 0;  ///< of its bucket key
        std::uint32_t urgency = 0;
        std::uint32_t blocked_compute = 0;
        double hideable_ms = 0;
        NodeId start = no_node;
        Index collective = 0, group = 0;
        bool operator>(const Candidate& other) const;
    };

    /// What attempts need to know of a collective that has not started, side by side.
    struct Outline {
        std::int64_t size_bytes = 0;
        double estimated_ms = 0;
        NodeId start = no_node;
        Index group = 0, bucket_key = 0;
        std::uint32_t blocked_compute = leads_to_none;  ///< number of the first compute node that it leads to
        std::uint32_t compute_needed = 0;  ///< one more than the number of the last compute node that it depends on
        bool blocks_reduce_scatter = false;
    };
    // The loop.
    void enqueue(NodeId node);
    std::uint32_t local_priority(NodeId node) const;
    bool leads_straight_to_collective(NodeId node) const;
    void take_next(std::vector<NodeId>& batch);
    bool is_due(NodeId off_path) const;
    void take_batch(NodeId head, std::vector<NodeId>& batch);
    void handle(NodeId node);
    void handle_other(NodeId node);
    void start_collective(Index collective);
    void handle_wait(NodeId wait);
    void finish_wait(NodeId wait, Index collective);
    void schedule(NodeId node);
    void bring_near();
    TimeLeft hide_in_flight(NodeId by, double available_ms, Index excluded_group);

    // Attempts to start collectives that a node can hide.
    void start_hidden_collectives(NodeId by, TimeLeft& left);
    template <typename Visit>
    void for_each_candidate(const TimeLeft& left, Visit&& visit) const;
    void find_startable(const TimeLeft& left);
    bool may_change_something(NodeId by);
    bool may_one_have_effect(bool can_force) const;
    bool has_effect(Index collective, NodeId by, bool can_force);
    Candidate candidate(Index collective, const TimeLeft& left) const;
    std::vector<Candidate> ranked(std::span<const Index> indices, const TimeLeft& left,
                                  const std::vector<std::uint32_t>& turns) const;
    std::vector<std::uint32_t> turns_of_keys(const TimeLeft& left) const;
    std::uint32_t urgency(Index collective) const;
    bool make_room(Index collective, NodeId by);
    bool oldest_can_be_forced(NodeId by) const;
    bool exceeds_memory(Index collective) const;
    /// Nodes that must run before the collective can start, in graph order, in `path_`; false when one of them may not
    /// run now.
    bool find_path(Index collective, NodeId by);
    bool may_run_on_path(NodeId node, NodeId by) const;
    void run_path(NodeId by);
    void find_reach();
    std::span<const std::uint64_t> reached_from(NodeId node);
    bool leads_to(NodeId node, Index collective);
    bool would_wait_again(Index collective) const;
    bool is_hidden_by(Index collective, NodeId node) const;

    bool blocks_compute(NodeId node) const { return first_compute_[node] != leads_to_none; }
    bool blocks_reduce_scatter(NodeId node) const { return first_reduce_scatter_[node] != leads_to_none; }
    bool over_memory() const { return tracker_ && tracker_->current_bytes() > budget_.limit_bytes(); }
    Collective& collective(Index index) { return table_.collectives[index]; }
    const Collective& collective(Index index) const { return table_.collectives[index]; }
    std::int64_t free_in_flight_bytes() const { return limits_.in_flight_bytes - in_flight_.bytes(); }

    const Graph& graph_;
    std::span<const double> times_ms_;
    CollectiveTable& table_;
    const SchedulerLimits& limits_;
    std::vector<NodeTraits> traits_;
    std::vector<NodeId> compute_;
    std::vector<std::uint32_t> first_compute_, first_reduce_scatter_;
    std::vector<Outline> outlines_;  ///< by collective

    std::optional<StorageUses> storage_uses_;
    std::optional<MemoryTracker> tracker_;
    PrefetchBudget budget_;

    BinaryHeap<Priority> on_path_, off_path_;
    std::vector<std::int64_t> off_path_bytes_;    ///< by bucket key
    std::vector<std::uint32_t> off_path_starts_;  ///< by bucket key: collectives in off_path_ that have not started
    std::vector<std::uint32_t> missing_inputs_;
    std::vector<bool> scheduled_;
    std::vector<NodeId> order_;
    std::size_t unscheduled_count_ = 0;  ///< collectives that have not started
    CollectiveSet near_;                 ///< those of them that block no compute, or not too far ahead
    std::vector<Index> by_blocked_;      ///< collectives that block compute, by the compute that they block
    std::size_t near_count_ = 0;         ///< how many of by_blocked_ are not too far ahead
    std::vector<Index> startable_;       ///< candidates that need no compute that has not run
    /// Sizes of the smallest of them, by what they block.
    struct {
        std::int64_t blocks_none = std::numeric_limits<std::int64_t>::max();
        std::int64_t blocks_next = std::numeric_limits<std::int64_t>::max();
        std::int64_t blocks_later = std::numeric_limits<std::int64_t>::max();
    } smallest_;
    CollectiveSet held_back_;             ///< candidates that need such compute
    std::int64_t largest_held_back_ = 0;  ///< size of the largest of these
    bool several_keys_ = false;           ///< candidates have different bucket keys
    /// The state for which startable_ was found. Unscheduled collectives only decrease: their number identifies it.
    std::size_t startable_unscheduled_ = 0;
    std::uint32_t startable_compute_ = 0;
    std::vector<bool> startable_groups_;  ///< with time left
    CollectivesInFlight in_flight_;
    std::vector<bool> waiting_;  ///< collectives whose wait is being handled
    std::uint32_t waiting_count_ = 0;
    std::uint32_t next_compute_ = 0;
    std::int64_t last_on_path_ = -1;

    std::vector<NodeId> path_, stack_;
    std::vector<std::uint32_t> visited_;  ///< by node: number of the search that saw it last
    std::uint32_t search_ = 0;
    SharedSets reach_sets_;
    std::vector<SharedSets::Set> reach_;  ///< by node: the collectives that it leads to; empty until needed
};

}  // namespace overlap::scheduling
