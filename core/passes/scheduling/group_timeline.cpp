#include "core/passes/scheduling/group_timeline.h"

namespace overlap::scheduling {

GroupTimeline::GroupTimeline(const CollectiveTable& table, Index group, std::span<const NodeId> candidates,
                             const std::vector<bool>& is_compute, const std::vector<bool>& hides,
                             AugmentedGraph& graph) {
    const auto is_of_group = [&](Index index) { return index != no_index && table.collectives[index].group == group; };
    for (const NodeId node : candidates) {
        Event event;
        event.node = node;
        if (is_of_group(table.by_start[node])) {
            event.kind = Event::Kind::start;
        } else if (is_of_group(table.by_wait[node])) {
            event.kind = Event::Kind::wait;
        } else if (!is_compute[node] && !hides[node]) {
            continue;
        }
        const auto position = static_cast<std::uint32_t>(events_.size());
        if (position > 0) {
            event.previous = position - 1;
            events_.back().next = position;
            graph.add(node, events_.back().node);
        }
        events_.push_back(event);
    }
}

GroupTimeline::Place GroupTimeline::take_out(NodeId node, std::uint32_t position, AugmentedGraph& graph) {
    Event& event = events_[position];
    const Place place{position, event.previous, event.next};
    if (place.previous != no_index) events_[place.previous].next = place.next;
    if (place.next != no_index) events_[place.next].previous = place.previous;
    event.previous = event.next = no_index;
    if (place.previous != no_index) graph.remove(node, events_[place.previous].node);
    if (place.next != no_index) graph.remove(events_[place.next].node, node);
    if (place.previous != no_index && place.next != no_index) {
        graph.add(events_[place.next].node, events_[place.previous].node);
    }
    return place;
}

void GroupTimeline::put_back(NodeId node, const Place& place, AugmentedGraph& graph) {
    Event& event = events_[place.event];
    event.previous = place.previous;
    event.next = place.next;
    if (place.previous != no_index) {
        events_[place.previous].next = place.event;
        graph.add(node, events_[place.previous].node);
    }
    if (place.next != no_index) {
        events_[place.next].previous = place.event;
        // With neighbours on both sides, the reference omits the dependency of the next event.
        if (place.previous == no_index) {
            graph.add(events_[place.next].node, node);
        } else {
            graph.remove(events_[place.next].node, events_[place.previous].node);
        }
    }
}

std::vector<GroupTimeline> build_timelines(const Graph& graph, const CollectiveTable& table,
                                           std::span<const NodeId> order, AugmentedGraph& augmented) {
    std::vector<bool> is_compute(graph.node_count()), hides_any(graph.node_count());
    std::vector<std::vector<bool>> hides(table.groups.size(), std::vector<bool>(graph.node_count()));
    for (const Collective& collective : table.collectives) {
        for (const NodeId node : collective.hiding) {
            hides_any[node] = true;
            hides[collective.group][node] = true;
        }
    }
    std::vector<NodeId> candidates;
    for (const NodeId node : order) {
        is_compute[node] = graph.op(node) == NodeOp::call_function && graph.target_info(node).traits.compute;
        if (is_compute[node] || hides_any[node] || table.by_start[node] != no_index ||
            table.by_wait[node] != no_index) {
            candidates.push_back(node);
        }
    }
    std::vector<GroupTimeline> timelines;
    for (Index group = 0; group < table.groups.size(); ++group) {
        timelines.emplace_back(table, group, candidates, is_compute, hides[group], augmented);
    }
    for (const Collective& collective : table.collectives) {
        if (collective.exposed_ms != 0) continue;
        for (const NodeId node : collective.hiding) {
            augmented.add(node, collective.start);
            augmented.add(collective.wait, node);
        }
    }
    return timelines;
}

}  // namespace overlap::scheduling
