// What happens when a node could hide communication: which collectives start before it.

#include <algorithm>
#include <functional>
#include <optional>
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
    if (unscheduled_.empty() || std::ranges::none_of(left, [](double time_ms) { return time_ms > 0; })) return;
    find_startable(left);
    if (!may_change_something(by, left)) return;

    // Nested attempts look for candidates of their own.
    std::vector<Candidate> waiting = candidates_among(held_back(by, left), left);
    std::vector<Candidate> ranked = candidates_among(startable_, left);
    if (limits_.prioritize_bucketing) give_turns(ranked, waiting, left);
    const auto later = std::greater<>();
    std::ranges::make_heap(ranked, later);
    std::optional<Candidate> last;
    while (!ranked.empty() || !waiting.empty()) {
        if (!waiting.empty() && can_force_for_one(waiting, by)) {
            // Those whose turn would have come have had no effect.
            for (const Candidate& candidate : waiting) {
                if (!last || candidate > *last) ranked.push_back(candidate);
            }
            waiting.clear();
            std::ranges::make_heap(ranked, later);
        }
        if (ranked.empty()) return;
        // Most attempts end with the first or second start, so candidates are ranked as far as they are needed.
        std::ranges::pop_heap(ranked, later);
        last = ranked.back();
        ranked.pop_back();
        const Index index = last->collective;
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
        if (std::ranges::all_of(left, [](double time_ms) { return time_ms == 0; })) return;
    }
}

/// Collectives that an attempt looks at: the first ones, in record order, of groups with time left, not too far ahead.
template <typename Visit>
void SchedulerRun::for_each_candidate(const TimeLeft& left, Visit&& visit) const {
    const std::int64_t last_compute = std::int64_t{next_compute_} + limits_.compute_prefetch;
    std::int64_t candidates = 0;
    for (const Index index : unscheduled_) {
        const Outline& outline = outlines_[index];
        if (left[outline.group] <= 0) continue;
        if (outline.blocked_compute != leads_to_none && outline.blocked_compute > last_compute) continue;
        visit(index);
        if (++candidates >= limits_.collective_distance) break;
    }
}

/// Finds the candidates that need no compute that has not run. As long as nothing starts and no compute runs, they are
/// those of the attempt before.
void SchedulerRun::find_startable(const TimeLeft& left) {
    StartableKey key{unscheduled_.size(), next_compute_, {}};
    for (const double time_ms : left) key.groups.push_back(time_ms > 0);
    if (key == startable_key_) return;
    startable_key_ = std::move(key);
    startable_.clear();
    for_each_candidate(left, [&](Index index) {
        if (outlines_[index].compute_needed <= next_compute_) startable_.push_back(index);
    });
}

/// Candidates that cannot start now, but may have others waited for to make room. Those that depend on `by` do not.
std::vector<Index> SchedulerRun::held_back(NodeId by, const TimeLeft& left) {
    std::vector<Index> held_back;
    for_each_candidate(left, [&](Index index) {
        if (outlines_[index].compute_needed > next_compute_ && !leads_to(by, index)) held_back.push_back(index);
    });
    return held_back;
}

/// False when no candidate can start and looking at them has no side effect, which is so for most attempts. Their ranks
/// do not matter then.
bool SchedulerRun::may_change_something(NodeId by, const TimeLeft& left) {
    const bool can_force = !in_flight_.empty() && oldest_can_be_forced(by);
    const std::int64_t free_bytes = free_in_flight_bytes();
    for (const Index index : startable_) {
        if (outlines_[index].size_bytes > free_bytes) {
            if (can_force && !exceeds_memory(index) && !leads_to(by, index)) return true;
        } else if (!exceeds_memory(index) && find_path(index, by) && std::ranges::find(path_, by) == path_.end()) {
            return true;
        }
    }
    if (!can_force) return false;
    bool changes = false;
    for_each_candidate(left, [&](Index index) {
        const Outline& outline = outlines_[index];
        if (changes || outline.compute_needed <= next_compute_ || outline.size_bytes <= free_bytes) return;
        changes = !exceeds_memory(index) && !leads_to(by, index);
    });
    return changes;
}

/// Whether the turn of one of them would have the oldest collective in flight waited for.
bool SchedulerRun::can_force_for_one(std::span<const Candidate> candidates, NodeId by) const {
    if (in_flight_.empty() || !oldest_can_be_forced(by)) return false;
    const std::int64_t free_bytes = free_in_flight_bytes();
    return std::ranges::any_of(candidates, [&](const Candidate& candidate) {
        return outlines_[candidate.collective].size_bytes > free_bytes;
    });
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

SchedulerRun::Candidate SchedulerRun::candidate(Index index, const TimeLeft& left) const {
    const Collective& considered = collective(index);
    Candidate candidate;
    candidate.urgency = urgency(index);
    candidate.blocked_compute = outlines_[index].blocked_compute;
    candidate.hideable_ms = std::min(left[considered.group], considered.exposed_ms);
    candidate.start = considered.start;
    candidate.collective = index;
    return candidate;
}

std::vector<SchedulerRun::Candidate> SchedulerRun::candidates_among(std::span<const Index> indices,
                                                                    const TimeLeft& left) const {
    std::vector<Candidate> candidates;
    candidates.reserve(indices.size());
    for (const Index index : indices) candidates.push_back(candidate(index, left));
    return candidates;
}

/// Candidates of one bucket key come together, keys in the order of their first candidates, which need not be among
/// those given.
void SchedulerRun::give_turns(std::span<Candidate> some, std::span<Candidate> others, const TimeLeft& left) const {
    const auto key_of = [&](const Candidate& candidate) { return outlines_[candidate.collective].bucket_key; };
    std::vector<Index> keys;
    for (const std::span<Candidate> part : {some, others}) {
        for (const Candidate& candidate : part) {
            if (std::ranges::find(keys, key_of(candidate)) == keys.end()) keys.push_back(key_of(candidate));
        }
    }
    if (keys.size() < 2) return;
    std::vector<std::optional<Candidate>> first(table_.bucket_key_count);
    for_each_candidate(left, [&](Index index) {
        std::optional<Candidate>& of_key = first[outlines_[index].bucket_key];
        const Candidate considered = candidate(index, left);
        if (!of_key || *of_key > considered) of_key = considered;
    });
    std::ranges::sort(keys, [&](Index one, Index other) { return *first[other] > *first[one]; });
    std::vector<std::uint32_t> turns(table_.bucket_key_count);
    for (std::uint32_t turn = 0; turn < keys.size(); ++turn) turns[keys[turn]] = turn;
    for (const std::span<Candidate> part : {some, others}) {
        for (Candidate& candidate : part) candidate.turn = turns[key_of(candidate)];
    }
}

std::uint32_t SchedulerRun::urgency(Index index) const {
    const Outline& outline = outlines_[index];
    if (outline.blocked_compute == next_compute_ + 1) return 0;
    if (outline.blocked_compute != leads_to_none) return 2;
    return outline.blocks_reduce_scatter ? 1 : 3;
}

/// Whether the oldest collective in flight may be waited for now: it is hidden, and by other nodes than this one.
bool SchedulerRun::oldest_can_be_forced(NodeId by) const {
    const Index oldest = in_flight_.oldest();
    return !would_wait_again(oldest) && collective(oldest).exposed_ms == 0 && !is_hidden_by(oldest, by);
}

bool SchedulerRun::exceeds_memory(Index index) const {
    const Outline& considered = outlines_[index];
    if (considered.blocked_compute == leads_to_none) return false;  // torch assumes that these take no memory
    if (tracker_ && considered.size_bytes > budget_.limit_bytes() - tracker_->current_bytes()) return true;
    return budget_.exceeded_by(considered.size_bytes, next_compute_, considered.blocked_compute);
}

bool SchedulerRun::find_path(Index index, NodeId by) {
    path_.clear();
    // Compute runs in the original order, so its number tells whether it has run.
    if (outlines_[index].compute_needed > next_compute_) return false;
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
