#include "core/passes/scheduling/bucket_search.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/passes/bucketing/eligibility.h"

namespace overlap::scheduling {

BucketSearch::BucketSearch(const Graph& source, const CollectiveTable& table, std::span<const NodeId> order,
                           StaticAncestors& ancestors, std::vector<GroupTimeline>& timelines, AugmentedGraph& graph)
    : source_(source),
      table_(table),
      ancestors_(ancestors),
      timelines_(timelines),
      graph_(graph),
      positions_(source.node_count()),
      hides_(source.node_count()),
      event_of_(source.node_count(), no_index),
      hiding_range_(table.collectives.size()),
      left_apart_(table.collectives.size()) {
    for (std::uint32_t position = 0; position < order.size(); ++position) positions_[order[position]] = position;
    for (const Collective& collective : table.collectives) {
        CollectiveSet& waits = waits_before_hiding_.emplace_back(table.collectives.size());
        for (const NodeId node : collective.hiding) waits.add(ancestors.waits_before(node));
        if (collective.exposed_ms != 0) continue;
        for (const NodeId node : collective.hiding) hides_[node] = true;
    }
}

std::vector<Bucket> BucketSearch::find(const BucketLimits& limits) {
    const std::vector<bool> internode = internode_groups();
    std::vector<Bucket> buckets;
    for (Index group = 0; group < table_.groups.size(); ++group) {
        if (limits.only_internode && !internode[group]) continue;
        enter_group(group);
        std::vector<Index> keys;  // in order of first appearance
        std::vector<std::vector<Index>> members(table_.bucket_key_count);
        for (Index index = 0; index < table_.collectives.size(); ++index) {
            const Index key = collective(index).bucket_key;
            if (collective(index).group != group || key == table_.unbucketed_key) continue;
            if (members[key].empty()) keys.push_back(key);
            members[key].push_back(index);
        }
        const bool exposed_first = limits.exposed_first.value_or(internode[group]);
        for (const Index key : keys) find_in(ordered(members[key], exposed_first), exposed_first, limits, buckets);
    }
    return buckets;
}

/// Groups whose first all-gather gathers a parameter, whatever the later ones gather
/// (`identify_internode_group_names`).
std::vector<bool> BucketSearch::internode_groups() const {
    std::vector<bool> looked_at(table_.groups.size()), internode(table_.groups.size());
    std::optional<BucketingEligibility> placeholders;
    for (const Collective& collective : table_.collectives) {
        const std::string_view target = source_.target(collective.start);
        if (target != "_c10d_functional.all_gather_into_tensor.default" &&
            target != "_c10d_functional.all_gather_into_tensor_out.default") {
            continue;
        }
        if (looked_at[collective.group]) continue;
        looked_at[collective.group] = true;
        if (!placeholders) placeholders.emplace(source_);
        internode[collective.group] = placeholders->only_placeholder(collective.start) != no_node;
    }
    return internode;
}

void BucketSearch::enter_group(Index group) {
    timeline_ = &timelines_[group];
    for (std::uint32_t position = 0; position < timeline_->events().size(); ++position) {
        event_of_[timeline_->event(position).node] = position;
    }
    for (Index index = 0; index < table_.collectives.size(); ++index) {
        if (collective(index).group != group) continue;
        Interval& range = hiding_range_[index] = {no_index, 0};
        for (const NodeId node : collective(index).hiding) {
            range.first = std::min(range.first, event_of_[node]);
            range.last = std::max(range.last, event_of_[node]);
        }
    }
}

std::vector<Index> BucketSearch::ordered(std::vector<Index> members, bool exposed_first) const {
    const auto hidden_share = [&](Index index) {
        const Collective& of = collective(index);
        return exposed_first && of.estimated_ms > 0 ? (of.estimated_ms - of.exposed_ms) / of.estimated_ms : 0.0;
    };
    std::ranges::sort(members, {},
                      [&](Index index) { return std::pair(hidden_share(index), positions_[collective(index).start]); });
    return members;
}

void BucketSearch::find_in(std::span<const Index> members, bool exposed_first, const BucketLimits& limits,
                           std::vector<Bucket>& buckets) {
    constexpr int most_failures = 20;  // in a row; torch uses the number for the distance of positions too
    const auto position = [&](Index index) { return std::int64_t{positions_[collective(index).start]}; };
    std::vector<bool> used(table_.collectives.size());
    for (std::size_t seed_place = 0; seed_place < members.size(); ++seed_place) {
        const Index seed = members[seed_place];
        if (used[seed]) continue;
        if (hides_another(seed)) {
            if (left_apart_[seed].other == no_index) left_apart_[seed] = {Apart::hides_another, no_index};
            continue;
        }
        Growing bucket;
        bucket.collectives = bucket.starts_before = bucket.waits_before = bucket.waits_before_hiding =
            CollectiveSet(table_.collectives.size());
        include(bucket, seed);
        used[seed] = true;
        int failures = 0;
        const std::size_t behind = members.size() - seed_place - 1;
        const auto distance = std::min(behind, static_cast<std::size_t>(limits.collective_distance));
        for (const Index candidate : members.subspan(seed_place + 1, distance)) {
            // Checked before anything else: one that is too large ends the search even if it is used already.
            if (bucket.bytes + collective(candidate).size_bytes > limits.bucket_bytes) {
                leave_apart(seed, candidate, Apart::too_large);
                break;
            }
            if (used[candidate]) continue;
            if (exposed_first && std::abs(position(candidate) - position(seed)) > most_failures) {
                leave_apart(seed, candidate, Apart::too_far);
                continue;
            }
            if (can_add(bucket, candidate)) {
                include(bucket, candidate);
                used[candidate] = true;
                failures = 0;
            } else {
                leave_apart(seed, candidate, refusal_);
                if (++failures >= most_failures) break;
            }
        }
        if (bucket.members.size() > 1) buckets.push_back(std::move(bucket.members));
    }
}

void BucketSearch::include(Growing& bucket, Index member) const {
    bucket.members.push_back(member);
    bucket.bytes += collective(member).size_bytes;
    bucket.collectives.add(member);
    bucket.starts_before.add(ancestors_.starts_before(collective(member).start));
    bucket.waits_before.add(ancestors_.waits_before(collective(member).wait));
    bucket.waits_before_hiding.add(waits_before_hiding_[member].words());
    bucket.first_hiding = std::min(bucket.first_hiding, hiding_range_[member].first);
    bucket.last_hiding = std::max(bucket.last_hiding, hiding_range_[member].last);
}

bool BucketSearch::hides_another(Index index) const {
    return hides_[collective(index).start] || hides_[collective(index).wait];
}

/// A reason found by comparing is more specific than "too far" or "too large", and replaces it.
void BucketSearch::leave_apart(Index seed, Index candidate, Apart reason) {
    const auto says_little = [](Apart known) {
        return known == Apart::not_tried || known == Apart::too_far || known == Apart::too_large;
    };
    for (const auto& [of, other] : {std::pair(seed, candidate), std::pair(candidate, seed)}) {
        LeftApart& known = left_apart_[of];
        if (known.reason == Apart::not_tried || (says_little(known.reason) && !says_little(reason))) {
            known = {reason, other};
        }
    }
}

bool BucketSearch::can_add(const Growing& bucket, Index candidate) {
    refusal_ = Apart::hides_another;
    if (hides_another(candidate)) return false;
    refusal_ = Apart::depends;
    if (depends_on_bucket(bucket, candidate)) return false;
    refusal_ = Apart::exposes_hidden;
    const Index existing = bucket.members.front();
    for (const bool keep_existing_start : {true, false}) {
        for (const bool keep_existing_wait : {false, true}) {
            const NodeId start = collective(keep_existing_start ? existing : candidate).start;
            const NodeId wait = collective(keep_existing_wait ? existing : candidate).wait;
            if (!keeps_hidden(bucket, candidate, event_of_[start], event_of_[wait])) continue;
            if (place(existing, candidate, keep_existing_start, keep_existing_wait)) return true;
            refusal_ = Apart::cycle;
        }
    }
    return false;
}

/// Whether a member and the candidate depend on each other before anything moves (`_has_ancestor_conflicts`).
bool BucketSearch::depends_on_bucket(const Growing& bucket, Index candidate) const {
    const NodeId start = collective(candidate).start, wait = collective(candidate).wait;
    return bucket.starts_before.has(candidate) || bucket.collectives.intersects(ancestors_.starts_before(start)) ||
           bucket.waits_before.has(candidate) || bucket.collectives.intersects(ancestors_.waits_before(wait)) ||
           bucket.waits_before_hiding.has(candidate) ||
           bucket.collectives.intersects(waits_before_hiding_[candidate].words());
}

/// Whether nothing that is hidden becomes exposed when the bucket starts and is waited for at these events
/// (`_preserves_hiding_intervals`).
bool BucketSearch::keeps_hidden(const Growing& bucket, Index candidate, std::uint32_t start, std::uint32_t wait) {
    const Interval& range = hiding_range_[candidate];
    const std::uint32_t first_hiding = std::min(bucket.first_hiding, range.first);
    const bool is_hidden = first_hiding != no_index;
    if (is_hidden && !(start < first_hiding && std::max(bucket.last_hiding, range.last) < wait)) return false;

    running_.assign(1, {start, wait});
    hidden_.clear();
    // Of several that hide one collective, the first is enclosed soonest.
    if (is_hidden) hidden_.push_back({start, first_hiding});
    const Collective& existing = collective(bucket.members.front());
    const Collective& added = collective(candidate);
    const std::uint32_t latest_start = std::max(event_of_[added.start], event_of_[existing.start]);
    const std::uint32_t earliest_wait = std::min(event_of_[added.wait], event_of_[existing.wait]);
    for (std::uint32_t event = timeline_->event(start).next; event != no_index && event < latest_start;
         event = timeline_->event(event).next) {
        collect(bucket, candidate, event);
    }
    for (std::uint32_t event = timeline_->event(wait).previous; event != no_index && event > earliest_wait;
         event = timeline_->event(event).previous) {
        collect(bucket, candidate, event);
    }
    for (const Interval& hidden : hidden_) {
        for (const Interval& running : running_) {
            if (running.first < hidden.first && hidden.last < running.last) return false;
        }
    }
    return true;
}

/// Notes when the collective of an event runs and when it is hidden, unless it is of the bucket.
void BucketSearch::collect(const Growing& bucket, Index candidate, std::uint32_t event) {
    const Event& met = timeline_->event(event);
    if (met.kind == Event::Kind::compute) return;
    const Index index = met.kind == Event::Kind::start ? table_.by_start[met.node] : table_.by_wait[met.node];
    const Collective& other = collective(index);
    const bool is_own = index == candidate || bucket.collectives.has(index);
    if (is_own && (met.node == other.start || met.node == other.wait)) return;
    const std::uint32_t start = event_of_[other.start];
    running_.push_back({start, event_of_[other.wait]});
    if (hiding_range_[index].first != no_index) hidden_.push_back({start, hiding_range_[index].first});
}

/// Merges the candidate with the bucket at one place of the timeline, if no dependency forbids it
/// (`_try_timeline_position`). A failed attempt leaves the same state as in the reference.
bool BucketSearch::place(Index existing, Index candidate, bool keep_existing_start, bool keep_existing_wait) {
    const Collective& old = collective(existing);
    const Collective& added = collective(candidate);
    const NodeId moved_start = keep_existing_start ? added.start : old.start;
    const NodeId moved_wait = keep_existing_wait ? added.wait : old.wait;
    const std::uint32_t start = event_of_[keep_existing_start ? old.start : added.start];
    const std::uint32_t wait = event_of_[keep_existing_wait ? old.wait : added.wait];

    const auto start_place = timeline_->take_out(moved_start, event_of_[moved_start], graph_);
    if (graph_.are_connected(old.start, added.start)) {
        timeline_->put_back(moved_start, start_place, graph_);
        return false;
    }
    graph_.merge(old.start, added.start);
    const auto wait_place = timeline_->take_out(moved_wait, event_of_[moved_wait], graph_);
    if (graph_.are_connected(old.wait, added.wait)) {
        timeline_->put_back(moved_wait, wait_place, graph_);
        graph_.split(added.start);
        timeline_->put_back(moved_start, start_place, graph_);
        return false;
    }
    graph_.merge(old.wait, added.wait);
    event_of_[added.start] = event_of_[old.start] = start;
    event_of_[added.wait] = event_of_[old.wait] = wait;
    return true;
}

}  // namespace overlap::scheduling
