// What happens when a node could hide communication: which collectives start before it.

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/passes/scheduling/scheduler_run.h"

namespace overlap::scheduling {

bool SchedulerRun::Candidate::operator>(const Candidate& other) const {
    return std::tuple(turn, urgency, blocked_compute, -hideable_ms, start) >
           std::tuple(other.turn, other.urgency, other.blocked_compute, -other.hideable_ms, other.start);
}

void SchedulerRun::start_hidden_collectives(NodeId by, TimeLeft& left) {
    if (unscheduled_count_ == 0 || std::ranges::none_of(left, [](double time_ms) { return time_ms > 0; })) return;
    find_startable(left);
    if (!may_change_something(by)) return;

    // Ranks are those of the beginning.
    const TimeLeft left_at_first = left;
    const std::int64_t largest_held_back = largest_held_back_;
    const CollectiveSet held_back_at_first = largest_held_back > 0 ? held_back_ : CollectiveSet();
    const std::vector<std::uint32_t> turns = turns_of_keys(left_at_first);
    std::vector<Candidate> candidates = ranked(startable_, left_at_first, turns);
    bool has_held_back = false;
    std::optional<Candidate> last;
    // Torch tries one after the other. Those without effect are skipped.
    for (;;) {
        const bool can_force = !in_flight_.empty() && oldest_can_be_forced(by);
        if (can_force && !has_held_back && largest_held_back > free_in_flight_bytes()) {
            std::vector<Index> more;
            held_back_at_first.until_one_outside(reached_from(by), [&](Index index) {
                more.push_back(index);
                return false;
            });
            const std::vector<Candidate> more_ranked = ranked(more, left_at_first, turns);
            candidates.insert(candidates.end(), more_ranked.begin(), more_ranked.end());
            has_held_back = true;
        }
        std::optional<Candidate> next;
        for (const Candidate& candidate : candidates) {
            if (left[candidate.group] <= 0 || scheduled_[candidate.start]) continue;
            if ((last && !(candidate > *last)) || (next && candidate > *next)) continue;
            if (has_effect(candidate.collective, by, can_force)) next = candidate;
        }
        if (!next) return;
        last = next;
        const Index index = next->collective;
        const double available_ms = left[next->group];
        if (!make_room(index, by) || !find_path(index, by)) continue;
        run_path(by);
        start_collective(index);
        Collective& started = collective(index);
        if (blocks_compute(started.start)) {
            budget_.add(started.size_bytes, next_compute_, first_compute_[started.start]);
        }
        const double amount = std::min(available_ms, started.exposed_ms);
        started.exposed_ms -= amount;
        started.hiding.push_back(by);
        left[started.group] -= amount;
        if (std::ranges::all_of(left, [](double time_ms) { return time_ms == 0; })) return;
    }
}

/// False when even the smallest candidates that could start are too large.
bool SchedulerRun::may_one_have_effect(bool can_force) const {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const std::int64_t room = can_force ? none - 1 : free_in_flight_bytes();
    if (smallest_.blocks_none <= room) return true;
    const std::int64_t memory = tracker_ ? budget_.limit_bytes() - tracker_->current_bytes() : none - 1;
    if (smallest_.blocks_next <= std::min(room, memory)) return true;
    // What is prefetched for a later compute node is held at the next one too.
    return smallest_.blocks_later <= std::min(room, memory) &&
           !budget_.exceeded_by(smallest_.blocks_later, next_compute_, next_compute_ + 1);
}

/// Whether trying a candidate would change anything now: it starts, or others are waited for to make room.
bool SchedulerRun::has_effect(Index index, NodeId by, bool can_force) {
    if (outlines_[index].size_bytes > free_in_flight_bytes()) {
        return can_force && !exceeds_memory(index) && !leads_to(by, index);
    }
    return outlines_[index].compute_needed <= next_compute_ && !exceeds_memory(index) && find_path(index, by) &&
           std::ranges::find(path_, by) == path_.end();
}

/// Collectives that an attempt considers: the first ones, in record order, of groups with time left, not too far ahead.
template <typename Visit>
void SchedulerRun::for_each_candidate(const TimeLeft& left, Visit&& visit) const {
    std::int64_t candidates = 0;
    near_.until_one([&](Index index) {
        if (left[outlines_[index].group] <= 0) return false;
        visit(index);
        return ++candidates >= limits_.collective_distance;
    });
}

/// Finds the candidates that need no compute that has not run. As long as nothing starts and no compute runs, they are
/// those of the previous attempt.
void SchedulerRun::find_startable(const TimeLeft& left) {
    bool is_known = startable_unscheduled_ == unscheduled_count_ && startable_compute_ == next_compute_;
    for (Index group = 0; group < left.size() && is_known; ++group) {
        is_known = startable_groups_[group] == (left[group] > 0);
    }
    if (is_known) return;
    startable_unscheduled_ = unscheduled_count_;
    startable_compute_ = next_compute_;
    for (Index group = 0; group < left.size(); ++group) startable_groups_[group] = left[group] > 0;
    startable_.clear();
    smallest_ = {};
    held_back_.clear();
    largest_held_back_ = 0;
    several_keys_ = false;
    Index key = no_index;
    for_each_candidate(left, [&](Index index) {
        const Outline& outline = outlines_[index];
        if (outline.compute_needed <= next_compute_) {
            startable_.push_back(index);
            std::int64_t& smallest = outline.blocked_compute == leads_to_none  ? smallest_.blocks_none
                                     : outline.blocked_compute > next_compute_ ? smallest_.blocks_later
                                                                               : smallest_.blocks_next;
            smallest = std::min(smallest, outline.size_bytes);
        } else {
            held_back_.add(index);
            largest_held_back_ = std::max(largest_held_back_, outline.size_bytes);
        }
        several_keys_ |= key != no_index && key != outline.bucket_key;
        key = outline.bucket_key;
    });
}

/// False when no candidate can start and trying them has no side effect, which holds for most attempts. Their ranks
/// do not matter then.
bool SchedulerRun::may_change_something(NodeId by) {
    const bool can_force = !in_flight_.empty() && oldest_can_be_forced(by);
    if (may_one_have_effect(can_force) &&
        std::ranges::any_of(startable_, [&](Index index) { return has_effect(index, by, can_force); }))
        return true;
    if (!can_force || largest_held_back_ <= free_in_flight_bytes()) return false;
    // A candidate that cannot start may cause waits for others to make room, unless it depends on `by`.
    bool changes = false;
    held_back_.until_one_outside(reached_from(by),
                                 [&](Index index) { return changes = has_effect(index, by, can_force); });
    return changes;
}

/// Waits for hidden collectives until this one fits among those in flight. It does not depend on `by`, so that no wait
/// is in vain: has_effect() asks that.
/// @returns whether it fits and has not been started meanwhile.
bool SchedulerRun::make_room(Index index, NodeId by) {
    const Collective& considered = collective(index);
    if (free_in_flight_bytes() >= considered.size_bytes) return true;
    while (!in_flight_.empty() && free_in_flight_bytes() < considered.size_bytes && oldest_can_be_forced(by)) {
        handle_wait(collective(in_flight_.oldest()).wait);
    }
    return !scheduled_[considered.start] && free_in_flight_bytes() >= considered.size_bytes;
}

SchedulerRun::Candidate SchedulerRun::candidate(Index index, const TimeLeft& left) const {
    const Outline& outline = outlines_[index];
    Candidate candidate;
    candidate.urgency = urgency(index);
    candidate.blocked_compute = outline.blocked_compute;
    candidate.hideable_ms = std::min(left[outline.group], outline.estimated_ms);
    candidate.start = outline.start;
    candidate.collective = index;
    candidate.group = outline.group;
    return candidate;
}

std::vector<SchedulerRun::Candidate> SchedulerRun::ranked(std::span<const Index> indices, const TimeLeft& left,
                                                          const std::vector<std::uint32_t>& turns) const {
    std::vector<Candidate> candidates;
    candidates.reserve(indices.size());
    for (const Index index : indices) {
        candidates.push_back(candidate(index, left));
        candidates.back().turn = turns[outlines_[index].bucket_key];
    }
    return candidates;
}

/// Candidates of one bucket key come together, keys in the order of their first candidates.
std::vector<std::uint32_t> SchedulerRun::turns_of_keys(const TimeLeft& left) const {
    std::vector<std::uint32_t> turns(table_.bucket_key_count);
    if (!limits_.prioritize_bucketing || !several_keys_) return turns;
    // The first criterion is a number; the others are used where it does not decide between two keys.
    constexpr std::uint64_t absent = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint64_t> first(table_.bucket_key_count, absent);
    for_each_candidate(left, [&](Index index) {
        std::uint64_t& of_key = first[outlines_[index].bucket_key];
        of_key = std::min(of_key, std::uint64_t{urgency(index)} << 32 | outlines_[index].blocked_compute);
    });
    std::vector<Index> keys;
    for (Index key = 0; key < first.size(); ++key) {
        if (first[key] != absent) keys.push_back(key);
    }
    std::ranges::sort(keys, {}, [&](Index key) { return first[key]; });
    const bool leaves_choice = std::ranges::adjacent_find(keys, [&](Index one, Index other) {
                                   return first[one] == first[other];
                               }) != keys.end();
    if (leaves_choice) {
        std::vector<std::optional<Candidate>> best(table_.bucket_key_count);
        for_each_candidate(left, [&](Index index) {
            std::optional<Candidate>& of_key = best[outlines_[index].bucket_key];
            const Candidate considered = candidate(index, left);
            if (!of_key || *of_key > considered) of_key = considered;
        });
        std::ranges::sort(keys, [&](Index one, Index other) { return *best[other] > *best[one]; });
    }
    for (std::uint32_t turn = 0; turn < keys.size(); ++turn) turns[keys[turn]] = turn;
    return turns;
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
    // Compute runs in the original order, so its number shows whether it has run.
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

/// Other collectives are not started for this, and waits only when nothing is lost by it.
bool SchedulerRun::may_run_on_path(NodeId node, NodeId by) const {
    if (traits_[node].compute || table_.by_start[node] != no_index) return false;
    const Index awaited = table_.by_wait[node];
    if (awaited == no_index) return !traits_[node].communication_text;
    return !would_wait_again(awaited) && collective(awaited).exposed_ms == 0 && !is_hidden_by(awaited, by);
}

void SchedulerRun::run_path(NodeId by) {
    // Waits run nested attempts, which search their own paths.
    const std::vector<NodeId> path = path_;
    for (const NodeId node : path) {
        const Index awaited = table_.by_wait[node];
        if (awaited == no_index) {
            schedule(node);
        } else if (!scheduled_[node]) {  // else forced by the wait for a later collective of its group
            if (is_hidden_by(awaited, by)) {
                throw InputError("node " + in_quotes(graph_.name(node)),
                                 "the scheduler would wait for a collective that the node at hand hides, and PyTorch "
                                 "raises an AssertionError");
            }
            handle_wait(node);
        }
    }
}

void SchedulerRun::find_reach() {
    reach_.resize(graph_.node_count());
    std::vector<SharedSets::Set> through(graph_.node_count());  // with the node itself
    for (NodeId node = graph_.node_count(); node-- > 0;) {
        reach_sets_.begin();
        for (const NodeId user : graph_.users(node)) reach_sets_.unite(through[user]);
        reach_[node] = through[node] = reach_sets_.end();
        if (table_.by_start[node] == no_index) continue;
        reach_sets_.begin();
        reach_sets_.unite(reach_[node]);
        reach_sets_.add(table_.by_start[node]);
        through[node] = reach_sets_.end();
    }
}

/// The collectives that depend on a node.
std::span<const std::uint64_t> SchedulerRun::reached_from(NodeId node) {
    if (reach_.empty()) find_reach();
    return reach_sets_.words(reach_[node]);
}

bool SchedulerRun::leads_to(NodeId node, Index index) {
    return reached_from(node)[index / 64] >> index % 64 & 1;
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
