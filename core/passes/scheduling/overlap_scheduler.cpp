#include "core/passes/scheduling/overlap_scheduler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/passes/scheduling/scheduler_run.h"

namespace overlap::scheduling {

namespace {

std::vector<NodeId> compute_nodes(const std::vector<NodeTraits>& traits) {
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < traits.size(); ++node) {
        if (traits[node].compute) nodes.push_back(node);
    }
    return nodes;
}

std::vector<NodeId> reduce_scatters(const Graph& graph) {
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) == NodeOp::call_function &&
            graph.target(node) == "_c10d_functional.reduce_scatter_tensor.default") {
            nodes.push_back(node);
        }
    }
    return nodes;
}

/// The sum, or the largest number where it would not fit.
std::int64_t saturating_sum(std::int64_t left, std::int64_t right) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return left > most - right ? most : left + right;
}

/// How much more memory than the original peak the schedule may take; nothing where memory is not limited.
std::optional<std::int64_t> memory_increase(const SchedulerLimits& limits, std::int64_t original_peak) {
    std::optional<std::int64_t> increase = limits.memory_increase_bytes;
    if (limits.memory_increase_ratio) {
        const auto by_ratio = static_cast<std::int64_t>(
            std::min(static_cast<double>(original_peak) * *limits.memory_increase_ratio, 9e18));
        increase = std::max(increase.value_or(by_ratio), by_ratio);
    }
    return increase;
}

}  // namespace

SchedulerRun::SchedulerRun(const Graph& graph, std::span<const double> times_ms, CollectiveTable& table,
                           const SchedulerLimits& limits, const SymbolicSizes& sizes)
    : graph_(graph),
      times_ms_(times_ms),
      table_(table),
      limits_(limits),
      traits_(node_traits(graph)),
      compute_(compute_nodes(traits_)),
      first_compute_(first_target_reached(graph, compute_)),
      first_reduce_scatter_(first_target_reached(graph, reduce_scatters(graph))),
      outlines_(table.collectives.size()),
      budget_(compute_.size(), limits.in_flight_bytes),
      off_path_bytes_(table.bucket_key_count),
      off_path_starts_(table.bucket_key_count),
      missing_inputs_(graph.node_count()),
      scheduled_(graph.node_count()),
      unscheduled_count_(table.collectives.size()),
      near_(table.collectives.size()),
      held_back_(table.collectives.size()),
      startable_groups_(table.groups.size()),
      in_flight_(table),
      waiting_(table.collectives.size()),
      visited_(graph.node_count()),
      reach_sets_(table.collectives.size()) {
    if (limits.memory_increase_bytes || limits.memory_increase_ratio) {
        storage_uses_.emplace(graph, sizes);
        BaselineMemory baseline = baseline_memory(*storage_uses_, compute_);
        const std::int64_t increase = memory_increase(limits, baseline.peak_bytes).value_or(0);
        budget_.limit_memory(std::move(baseline.before_compute), saturating_sum(baseline.peak_bytes, increase));
        tracker_.emplace(*storage_uses_);
    }

    std::vector<std::uint32_t> needed(graph.node_count());
    std::uint32_t compute_number = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const std::span<const NodeId> inputs = graph.inputs(node);
        missing_inputs_[node] = static_cast<std::uint32_t>(inputs.size());
        for (const NodeId input : inputs) needed[node] = std::max(needed[node], needed[input]);
        if (table.by_start[node] != no_index) outlines_[table.by_start[node]].compute_needed = needed[node];
        if (traits_[node].compute) needed[node] = ++compute_number;
    }
    for (Index index = 0; index < table.collectives.size(); ++index) {
        const Collective& described = table.collectives[index];
        Outline& outline = outlines_[index];
        outline.size_bytes = described.size_bytes;
        outline.estimated_ms = described.estimated_ms;
        outline.start = described.start;
        outline.group = described.group;
        outline.bucket_key = described.bucket_key;
        outline.blocked_compute = first_compute_[described.start];
        outline.blocks_reduce_scatter = blocks_reduce_scatter(described.start);
        if (outline.blocked_compute == leads_to_none) {
            near_.add(index);
        } else {
            by_blocked_.push_back(index);
        }
    }
    std::ranges::stable_sort(by_blocked_, {}, [&](Index index) { return outlines_[index].blocked_compute; });
    bring_near();
    order_.reserve(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (missing_inputs_[node] == 0) enqueue(node);
    }
}

Schedule SchedulerRun::run(const std::stop_token& stop) {
    std::vector<NodeId> batch;
    while (!on_path_.empty() || !off_path_.empty()) {
        if (stop.stop_requested()) return {};
        if (!in_flight_.empty() && in_flight_.bytes() >= limits_.in_flight_bytes) {
            handle_wait(collective(in_flight_.oldest()).wait);
            continue;
        }
        batch.clear();
        take_next(batch);
        for (const NodeId node : batch) {
            if (scheduled_[node]) continue;  // it was scheduled otherwise, and its entry stayed in the queue
            handle(node);
            const Index index = table_.by_start[node];
            if (blocks_compute(node)) {
                last_on_path_ = std::max(last_on_path_, std::int64_t{node});
            } else if (index != no_index) {
                off_path_bytes_[collective(index).bucket_key] -= collective(index).size_bytes;
            }
        }
    }
    Schedule schedule;
    schedule.order = std::move(order_);
    return schedule;
}

void SchedulerRun::enqueue(NodeId node) {
    if (blocks_compute(node)) {
        // The priority is fixed now; later changes do not move the node.
        const Priority compute = first_compute_[node];
        on_path_.push(compute << (node_bits + 2) | Priority{local_priority(node)} << node_bits | node);
        return;
    }
    off_path_.push(Priority{blocks_reduce_scatter(node) ? 0u : 1u} << node_bits | node);
    if (const Index index = table_.by_start[node]; index != no_index) {
        off_path_bytes_[collective(index).bucket_key] += collective(index).size_bytes;
        ++off_path_starts_[collective(index).bucket_key];
    }
}

/// Among nodes that block the same compute: those that lead straight to a collective, others, waits that nothing hides.
std::uint32_t SchedulerRun::local_priority(NodeId node) const {
    if (const Index index = table_.by_wait[node]; index != no_index) return collective(index).exposed_ms != 0 ? 2 : 1;
    return leads_straight_to_collective(node) ? 0 : 1;
}

bool SchedulerRun::leads_straight_to_collective(NodeId node) const {
    while (graph_.users(node).size() == 1) {
        const NodeId user = graph_.users(node).front();
        if (graph_.inputs(user).size() != 1) return false;
        if (table_.by_start[user] != no_index && !scheduled_[user]) return true;
        if (!traits_[user].cheap) return false;
        node = user;
    }
    return false;
}

void SchedulerRun::take_next(std::vector<NodeId>& batch) {
    constexpr Priority node_mask = (Priority{1} << node_bits) - 1;
    if (!off_path_.empty()) {
        const auto head = static_cast<NodeId>(off_path_.front() & node_mask);
        if (is_due(head)) {
            off_path_.pop();
            take_batch(head, batch);
            return;
        }
    }
    batch.push_back(static_cast<NodeId>(on_path_.pop() & node_mask));
}

/// Whether the first node that blocks no compute runs before the nodes that do.
bool SchedulerRun::is_due(NodeId off_path) const {
    if (on_path_.empty() || scheduled_[off_path]) return true;
    if (const Index index = table_.by_wait[off_path]; index != no_index) {
        return collective(index).exposed_ms == 0 || over_memory();
    }
    const Index index = table_.by_start[off_path];
    if (limits_.off_path_bucket_bytes && index != no_index) {
        return off_path_bytes_[collective(index).bucket_key] >= *limits_.off_path_bucket_bytes;
    }
    return blocks_reduce_scatter(off_path) && std::int64_t{off_path} <= last_on_path_;
}

/// A collective that blocks no compute comes with others of its bucket key, so that they may be merged.
void SchedulerRun::take_batch(NodeId head, std::vector<NodeId>& batch) {
    constexpr Priority node_mask = (Priority{1} << node_bits) - 1;
    batch.push_back(head);
    const Index head_index = table_.by_start[head];
    if (!limits_.off_path_bucket_bytes || head_index == no_index) return;
    const Index key = collective(head_index).bucket_key;
    std::uint32_t others = off_path_starts_[key] - (scheduled_[head] ? 0 : 1);
    std::int64_t bytes = collective(head_index).size_bytes;
    std::vector<std::size_t> taken;
    for (std::size_t position = 0; others > 0; ++position) {
        const auto node = static_cast<NodeId>(off_path_.items()[position] & node_mask);
        const Index index = table_.by_start[node];
        if (index == no_index || scheduled_[node]) continue;
        if (collective(index).bucket_key != key) continue;
        --others;
        if (bytes + collective(index).size_bytes > *limits_.off_path_bucket_bytes) continue;
        bytes += collective(index).size_bytes;
        batch.push_back(node);
        taken.push_back(position);
    }
    off_path_.remove(taken);
}

void SchedulerRun::handle(NodeId node) {
    if (table_.by_start[node] != no_index) {
        start_collective(table_.by_start[node]);
    } else if (table_.by_wait[node] != no_index) {
        handle_wait(node);
    } else {
        handle_other(node);
    }
}

void SchedulerRun::handle_other(NodeId node) {
    const bool compute = traits_[node].compute;
    const double time_ms = graph_.op(node) == NodeOp::call_function ? times_ms_[node] : 0;
    if (time_ms != 0 || compute) {
        TimeLeft left = hide_in_flight(node, time_ms * limits_.compute_multiplier, no_index);
        start_hidden_collectives(node, left);
    }
    schedule(node);
    if (compute) {
        ++next_compute_;
        bring_near();
    }
}

/// Notes which collectives are no longer too far ahead. Once near they stay so: compute runs in its order.
void SchedulerRun::bring_near() {
    const std::int64_t last_compute = std::int64_t{next_compute_} + limits_.compute_prefetch;
    for (; near_count_ < by_blocked_.size(); ++near_count_) {
        const Outline& outline = outlines_[by_blocked_[near_count_]];
        if (outline.blocked_compute > last_compute) return;
        if (!scheduled_[outline.start]) near_.add(by_blocked_[near_count_]);
    }
}

void SchedulerRun::start_collective(Index index) {
    Collective& started = collective(index);
    // One that follows another of its key is taken to be merged with it: it costs no extra latency.
    if (started.latency_key != no_index && in_flight_.has_latency_key(started.latency_key)) {
        started.exposed_ms = std::max(0.0, started.exposed_ms - started.latency_ms);
    }
    in_flight_.start(index);
    --unscheduled_count_;
    near_.remove(index);
    if (!blocks_compute(started.start)) --off_path_starts_[started.bucket_key];
    schedule(started.start);
}

void SchedulerRun::handle_wait(NodeId wait) {
    const Index index = table_.by_wait[wait];
    if (waiting_[index]) {
        throw InputError("node " + in_quotes(graph_.name(wait)),
                         "the scheduler waits for it while it already does, and PyTorch raises an AssertionError");
    }
    waiting_[index] = true;
    ++waiting_count_;
    finish_wait(wait, index);
    waiting_[index] = false;
    --waiting_count_;
}

void SchedulerRun::finish_wait(NodeId wait, Index index) {
    if (!in_flight_.contains(index)) {
        schedule(wait);  // a further wait of a coalesced collective
        return;
    }
    // Collectives of one group end in the order in which they started.
    std::vector<Index> earlier;
    for (Index other = in_flight_.oldest_of_group(collective(index).group); other != index;
         other = in_flight_.next_of_group(other)) {
        earlier.push_back(other);
    }
    for (const Index other : earlier) handle_wait(collective(other).wait);

    // While this one is waited for, the other groups can work.
    if (collective(index).exposed_ms > 0) {
        TimeLeft left = hide_in_flight(wait, collective(index).exposed_ms, collective(index).group);
        start_hidden_collectives(wait, left);
    }
    in_flight_.end(index);
    schedule(wait);
}

void SchedulerRun::schedule(NodeId node) {
    if (scheduled_[node]) {
        throw InputError("node " + in_quotes(graph_.name(node)),
                         "the scheduler would run it twice, and PyTorch raises an AssertionError");
    }
    if (missing_inputs_[node] != 0) {
        throw InputError("node " + in_quotes(graph_.name(node)),
                         "the scheduler would run it before its inputs, and PyTorch raises an AssertionError");
    }
    scheduled_[node] = true;
    order_.push_back(node);
    if (tracker_) tracker_->schedule(node);
    for (const NodeId user : graph_.users(node)) {
        if (--missing_inputs_[user] == 0) enqueue(user);
    }
}

SchedulerRun::TimeLeft SchedulerRun::hide_in_flight(NodeId by, double available_ms, Index excluded_group) {
    TimeLeft left(table_.groups.size(), available_ms);
    if (excluded_group != no_index) left[excluded_group] = 0;
    for (Index group = 0; group < left.size(); ++group) {
        for (Index index = in_flight_.oldest_of_group(group); index != no_index && left[group] > 0;
             index = in_flight_.next_of_group(index)) {
            Collective& hidden = collective(index);
            if (hidden.exposed_ms == 0 || waiting_[index]) continue;
            const double amount = std::min(hidden.exposed_ms, left[group]);
            hidden.exposed_ms -= amount;
            left[group] -= amount;
            hidden.hiding.push_back(by);
        }
    }
    return left;
}

Schedule schedule_overlap(const Graph& graph, std::span<const double> times_ms, CollectiveTable& table,
                          const SchedulerLimits& limits, const SymbolicSizes& sizes, const std::stop_token& stop) {
    return SchedulerRun(graph, times_ms, table, limits, sizes).run(stop);
}

}  // namespace overlap::scheduling
