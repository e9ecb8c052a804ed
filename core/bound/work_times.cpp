#include "core/bound/work_times.h"

#include <algorithm>

namespace overlap {

void WorkTimes::Jobs::sort() {
    const auto earlier = [](const Job& left, const Job& right) {
        return left.release_ms != right.release_ms ? left.release_ms < right.release_ms : left.point < right.point;
    };
    const auto added = list.begin() + static_cast<std::ptrdiff_t>(sorted);
    std::sort(added, list.end(), earlier);
    std::inplace_merge(list.begin(), added, list.end(), earlier);
    sorted = list.size();
}

WorkTimes::WorkTimes(const StepWork& work, const CollectiveReach& reach, Direction direction)
    : work_(work),
      reach_(reach),
      direction_(direction),
      nodes_(work.graph->node_count()),
      start_ms_(nodes_ + work.collectives.size()),
      holds_(start_ms_.size()),
      jobs_(1 + work.links.size()) {
    find_members();
}

bool WorkTimes::raise(WorkPoint point, double until_ms, Hold hold) {
    if (until_ms <= start_ms_[point]) return false;
    start_ms_[point] = until_ms;
    holds_[point] = hold;
    return true;
}

/// Forward, one collective is needed by another if one of its waits is; backward it needs the other if its start does.
void WorkTimes::find_members() {
    const std::size_t count = work_.collectives.size();
    members_.assign(reach_.blocks() * count, 0);
    for (std::size_t block = 0; block < reach_.blocks(); ++block) {
        const std::span<const std::uint64_t> of_node = is_forward() ? reach_.before(block) : reach_.after(block);
        for (NodeId node = 0; node < nodes_; ++node) {
            if (work_.collective_of_node[node] < 0 || work_.is_wait[node] != is_forward()) continue;
            members_[block * count + static_cast<std::size_t>(work_.collective_of_node[node])] |= of_node[node];
        }
    }
}

void WorkTimes::settle() {
    for (Jobs& jobs : jobs_) jobs = {};
    for (NodeId at = 0; at < nodes_; ++at) visit(is_forward() ? at : static_cast<NodeId>(nodes_) - 1 - at);
}

void WorkTimes::visit(NodeId node) {
    const Graph& graph = *work_.graph;
    for (const NodeId other : is_forward() ? graph.inputs(node) : graph.users(node))
        raise(node, start_ms_[other] + work_.compute_ms[other], {Hold::Kind::point, 0, other});
    visit_computed_again(node);
    if (work_.compute_ms[node] > 0) jobs_[0].list.push_back({start_ms_[node], work_.compute_ms[node], node});
    if (work_.collective_of_node[node] < 0) return;
    const auto index = static_cast<std::size_t>(work_.collective_of_node[node]);
    const WorkPoint point = point_of(index);
    if (!work_.is_wait[node]) {
        visit_start(node, index);
    } else if (is_forward()) {
        raise(node, start_ms_[point] + work_.collectives[index].duration_ms, {Hold::Kind::point, 0, point});
    } else {
        raise(point, start_ms_[node], {Hold::Kind::point, 0, node});
    }
}

/// What is computed again waits until the forward pass has made all of it once.
void WorkTimes::visit_computed_again(NodeId node) {
    const NodeId end = work_.made_once;
    if (is_forward() && work_.is_again[node])
        raise(node, start_ms_[end] + work_.compute_ms[end], {Hold::Kind::point, 0, end});
    if (is_forward() || node != end) return;
    for (const NodeId again : work_.again)
        raise(node, start_ms_[again] + work_.compute_ms[again], {Hold::Kind::point, 0, again});
}

/// All that the collective depends on is known here: forward what it needs, backward what needs one of its waits.
void WorkTimes::visit_start(NodeId node, std::size_t collective) {
    const LinkWork& work = work_.collectives[collective];
    const WorkPoint point = point_of(collective);
    if (is_forward()) raise(point, start_ms_[node], {Hold::Kind::point, 0, node});
    // What has no heavy compute before it has hardly any: the longest path will do.
    const auto end = static_cast<std::int32_t>(work_.anchors.size());
    const bool has_work = is_forward() ? work.after >= 0 : work.needed_by < end;
    for (std::uint32_t machine = 0; has_work && machine < jobs_.size(); ++machine) serve(collective, machine);
    // Forward, data moves once a latency has passed; backward it has moved when the collective ends.
    const double release_ms = start_ms_[point] + (is_forward() ? work.latency_ms : 0);
    jobs_[1 + work.link].list.push_back({release_ms, work.transfer_ms, point});
    if (!is_forward()) raise(node, start_ms_[point] + work.duration_ms, {Hold::Kind::point, 0, point});
}

/// When the machine can have done what the collective needs at the earliest, from the job on since which it does not
/// stand still then.
void WorkTimes::serve(std::size_t collective, std::uint32_t machine) {
    const std::size_t block = collective / CollectiveReach::block_size, bit = collective % CollectiveReach::block_size;
    const std::span<const std::uint64_t> of_node = is_forward() ? reach_.before(block) : reach_.after(block);
    const std::uint64_t* const of_collective = &members_[block * work_.collectives.size()];
    Jobs& jobs = jobs_[machine];
    jobs.sort();
    double sum_ms = 0, end_ms = 0;
    WorkPoint first = 0;
    for (auto job = jobs.list.rbegin(); job != jobs.list.rend(); ++job) {
        const std::uint64_t needed_by = machine == 0 ? of_node[job->point] : of_collective[job->point - nodes_];
        if ((needed_by >> bit & 1) == 0) continue;
        sum_ms += job->work_ms;
        if (job->release_ms + sum_ms <= end_ms) continue;
        end_ms = job->release_ms + sum_ms;
        first = job->point;
    }
    raise(point_of(collective), end_ms, {Hold::Kind::machine, machine, first});
}

}  // namespace overlap
