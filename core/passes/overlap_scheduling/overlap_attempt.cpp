// What happens when a node could hide communication: which collectives start before it.

#include <algorithm>
#include <functional>
#include <tuple>

#include "core/graph/error.h"
#include "core/graph/quote.h"
#include "core/passes/overlap_scheduling/scheduler_run.h"

namespace overlap::scheduling {

bool SchedulerRun::Candidate::operator>(const Candidate& other) const {
    return std::tuple(turn, urgency, blocked_compute, -hideable_ms, start) >
           std::tuple(other.turn, other.urgency, other.blocked_compute, -other.hideable_ms, other.start);
}

void SchedulerRun::start_hidden_collectives(NodeId by, TimeLeft& left) {
    if (!may_start_something(by, left)) return;
    // Most attempts end with the first or second start, so candidates are ranked one by one, as a heap.
    std::vector<Candidate> candidates = candidates_for(left);
    std::ranges::make_heap(candidates, std::greater<>());
    while (!candidates.empty()) {
        std::ranges::pop_heap(candidates, std::greater<>());
        const Index index = candidates.back().collective;
        candidates.pop_back();
        Collective& considered = collective(index);
        const double available_ms = left[considered.group];
        if (scheduled_[considered.start] || available_ms <= 0) continue;
        if (exceeds_memory(index) || !make_room(index, by)) continue;
        if (!find_path(index, by) || std::ranges::find(path_, by) != path_.end()) continue;
        run_path(by);
        start_collective(index);
        if (blocks_compute(considered.start)) {
            budget_.add(considered.size_bytes, next_compute_, first_compute_[considered.start]);
        }
        const double amount = std::min(available_ms, considered.exposed_ms);
        considered.exposed_ms -= amount;
        considered.hiding.push_back(by);
        left[considered.group] -= amount;
        if (std::ranges::all_of(left, [](double time_ms) { return time_ms == 0; })) break;
    }
}

/// Waits for hidden collectives until this one fits among those in flight.
/// @returns whether it fits and has not been started meanwhile.
bool SchedulerRun::make_room(Index index, NodeId by) {
    const Collective& considered = collective(index);
    if (free_in_flight_bytes() >= considered.size_bytes) return true;
    if (in_flight_.empty() || !oldest_can_be_forced(by)) return false;
    // Nothing is waited for in vain: one that depends on `by` cannot start. (One that `by` depends on has started.)
    if (leads_to(by, index)) return false;
    while (!in_flight_.empty() && free_in_flight_bytes() < considered.size_bytes && oldest_can_be_forced(by)) {
        handle_wait(collective(in_flight_.oldest()).wait);
    }
    return !scheduled_[considered.start] && free_in_flight_bytes() >= considered.size_bytes;
}

/// False when no candidate can start and trying has no side effect, which is so for most attempts. Candidates are
/// looked at in record order; their ranks do not matter then.
bool SchedulerRun::may_start_something(NodeId by, const TimeLeft& left) {
    if (unscheduled_.empty() || std::ranges::none_of(left, [](double time_ms) { return time_ms > 0; })) return false;
    const bool can_force = !in_flight_.empty() && oldest_can_be_forced(by);
    const std::int64_t free_bytes = free_in_flight_bytes();
    std::int64_t candidates = 0;
    for (const Index index : unscheduled_) {
        if (!is_candidate(index, left)) continue;
        if (collective(index).size_bytes > free_bytes) {
            if (can_force) return true;
        } else if (compute_needed_[index] <= next_compute_ && !exceeds_memory(index) && find_path(index, by) &&
                   std::ranges::find(path_, by) == path_.end()) {
            return true;
        }
        if (++candidates >= limits_.collective_distance) break;
    }
    return false;
}

bool SchedulerRun::is_candidate(Index index, const TimeLeft& left) const {
    const Collective& considered = collective(index);
    if (left[considered.group] <= 0) return false;
    const std::uint32_t compute = first_compute_[considered.start];
    return compute == leads_to_none || std::int64_t{compute} - std::int64_t{next_compute_} <= limits_.compute_prefetch;
}

std::vector<SchedulerRun::Candidate> SchedulerRun::candidates_for(const TimeLeft& left) const {
    std::vector<Candidate> candidates;
    for (const Index index : unscheduled_) {
        if (!is_candidate(index, left)) continue;
        const Collective& considered = collective(index);
        Candidate& candidate = candidates.emplace_back();
        candidate.urgency = urgency(index);
        candidate.blocked_compute = first_compute_[considered.start];
        candidate.hideable_ms = std::min(left[considered.group], considered.exposed_ms);
        candidate.start = considered.start;
        candidate.collective = index;
        if (static_cast<std::int64_t>(candidates.size()) >= limits_.collective_distance) break;
    }
    if (limits_.prioritize_bucketing) give_turns(candidates);
    return candidates;
}

/// Candidates of one bucket key come together, keys in the order of their first candidates.
void SchedulerRun::give_turns(std::vector<Candidate>& candidates) const {
    std::vector<const Candidate*> first(table_.bucket_key_count, nullptr);
    for (const Candidate& candidate : candidates) {
        const Candidate*& of_key = first[collective(candidate.collective).bucket_key];
        if (!of_key || *of_key > candidate) of_key = &candidate;
    }
    std::vector<Index> keys;
    for (Index key = 0; key < first.size(); ++key) {
        if (first[key]) keys.push_back(key);
    }
    std::ranges::sort(keys, [&](Index left, Index right) { return *first[right] > *first[left]; });
    std::vector<std::uint32_t> turns(table_.bucket_key_count);
    for (std::uint32_t turn = 0; turn < keys.size(); ++turn) turns[keys[turn]] = turn;
    for (Candidate& candidate : candidates) candidate.turn = turns[collective(candidate.collective).bucket_key];
}

std::uint32_t SchedulerRun::urgency(Index index) const {
    const NodeId start = collective(index).start;
    if (first_compute_[start] == next_compute_ + 1) return 0;
    if (blocks_compute(start)) return 2;
    return blocks_reduce_scatter(start) ? 1 : 3;
}

/// Whether the oldest collective in flight may be waited for now: it is hidden, and by other nodes than this one.
bool SchedulerRun::oldest_can_be_forced(NodeId by) const {
    const Index oldest = in_flight_.oldest();
    return !would_wait_again(oldest) && collective(oldest).exposed_ms == 0 && !is_hidden_by(oldest, by);
}

bool SchedulerRun::exceeds_memory(Index index) const {
    const Collective& considered = collective(index);
    const std::uint32_t compute = first_compute_[considered.start];
    if (compute == leads_to_none) return false;  // torch assumes that these take no memory
    if (tracker_ && considered.size_bytes > budget_.limit_bytes() - tracker_->current_bytes()) return true;
    return budget_.exceeded_by(considered.size_bytes, next_compute_, compute);
}

bool SchedulerRun::find_path(Index index, NodeId by) {
    path_.clear();
    // Compute runs in the original order, so its number tells whether it has run.
    if (compute_needed_[index] > next_compute_) return false;
    ++search_;
    stack_.assign(1, collective(index).start);
    while (!stack_.empty()) {
        const NodeId node = stack_.back();
        stack_.pop_back();
        for (const NodeId input : graph_.inputs(node)) {
            if (scheduled_[input] || visited_[input] == search_) continue;
            visited_[input] = search_;
            if (!may_run_on_path(input, by)) return false;
            path_.push_back(input);
            stack_.push_back(input);
        }
    }
    std::ranges::sort(path_);
    return true;
}

/// Other collectives are not started on the way, and waits only when nothing is lost by it.
bool SchedulerRun::may_run_on_path(NodeId node, NodeId by) const {
    if (traits_[node].compute || table_.by_start[node] != no_index) return false;
    const Index awaited = table_.by_wait[node];
    if (awaited == no_index) return !traits_[node].communication_text;
    return !would_wait_again(awaited) && collective(awaited).exposed_ms == 0 && !is_hidden_by(awaited, by);
}

void SchedulerRun::run_path(NodeId by) {
    // Waits run nested attempts, which search paths of their own.
    const std::vector<NodeId> path = path_;
    for (const NodeId node : path) {
        const Index awaited = table_.by_wait[node];
        if (awaited == no_index) {
            schedule(node);
            continue;
        }
        if (scheduled_[node]) continue;  // forced by the wait for a later collective of its group
        if (is_hidden_by(awaited, by)) {
            throw InputError("node " + in_quotes(graph_.name(node)),
                             "the scheduler would wait for a collective that the node at hand hides, and PyTorch "
                             "raises an AssertionError");
        }
        handle_wait(node);
    }
}

/// Whether the collective depends on `node`, which has not run yet.
bool SchedulerRun::leads_to(NodeId node, Index index) {
    const std::size_t words = (table_.collectives.size() + 63) / 64;
    if (reach_.empty()) {
        reach_.assign(words * graph_.node_count(), 0);
        for (NodeId from = graph_.node_count(); from-- > 0;) {
            std::uint64_t* const bits = reach_.data() + words * from;
            for (const NodeId user : graph_.users(from)) {
                const std::uint64_t* const user_bits = reach_.data() + words * user;
                for (std::size_t word = 0; word < words; ++word) bits[word] |= user_bits[word];
                const Index started = table_.by_start[user];
                if (started != no_index) bits[started / 64] |= std::uint64_t{1} << started % 64;
            }
        }
    }
    return reach_[words * node + index / 64] >> index % 64 & 1;
}

/// Whether waiting for the collective would wait again for one that is being waited for.
bool SchedulerRun::would_wait_again(Index index) const {
    if (waiting_count_ == 0) return false;
    if (waiting_[index]) return true;
    if (!in_flight_.contains(index)) return false;
    for (Index other = in_flight_.oldest_of_group(collective(index).group); other != index;
         other = in_flight_.next_of_group(other)) {
        if (waiting_[other]) return true;
    }
    return false;
}

bool SchedulerRun::is_hidden_by(Index index, NodeId node) const {
    return std::ranges::find(collective(index).hiding, node) != collective(index).hiding.end();
}

}  // namespace overlap::scheduling
