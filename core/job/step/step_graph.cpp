#include "core/job/step/step_graph.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/job/step/stopped.h"

namespace overlap::job {

NodeIndex StepGraph::add_node(std::uint32_t rank, double ms) {
    ms_.push_back(ms);
    rank_.push_back(rank);
    rendezvous_.push_back(no_rendezvous);
    return node_count() - 1;
}

void StepGraph::add_dependency(NodeIndex node, NodeIndex on, double delay_ms) {
    waiting_.push_back(node);
    on_.push_back(on);
    delay_ms_.push_back(delay_ms);
}

std::uint32_t StepGraph::add_rendezvous(std::span<const NodeIndex> members, bool complete) {
    const std::uint32_t index = rendezvous_count();
    for (const NodeIndex member : members) rendezvous_[member] = index;
    members_.insert(members_.end(), members.begin(), members.end());
    first_member_.push_back(static_cast<std::uint32_t>(members_.size()));
    complete_.push_back(complete ? 1 : 0);
    return index;
}

void StepGraph::reserve(std::size_t nodes, std::size_t dependencies) {
    ms_.reserve(nodes);
    rank_.reserve(nodes);
    rendezvous_.reserve(nodes);
    waiting_.reserve(dependencies);
    on_.reserve(dependencies);
    delay_ms_.reserve(dependencies);
}

void StepGraph::finish() {
    first_dependency_.assign(ms_.size() + 1, 0);
    for (const NodeIndex node : waiting_) ++first_dependency_[node + 1];
    for (std::size_t i = 1; i < first_dependency_.size(); ++i) first_dependency_[i] += first_dependency_[i - 1];
    std::vector<std::uint32_t> next(first_dependency_.begin(), first_dependency_.end() - 1);
    std::vector<NodeIndex> on(on_.size());
    std::vector<double> delay(on_.size());
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const std::uint32_t place = next[waiting_[i]]++;
        on[place] = on_[i];
        delay[place] = delay_ms_[i];
    }
    on_ = std::move(on);
    delay_ms_ = std::move(delay);
    waiting_ = {};
}

void StepGraph::set_times(std::vector<double> ms, std::vector<double> delay_ms) {
    ms_ = std::move(ms);
    delay_ms_ = std::move(delay_ms);
}

StepOrder order_of(const StepGraph& graph, const std::function<bool(std::uint32_t)>& admits,
                   const std::stop_token& stop) {
    const std::uint32_t nodes = graph.node_count();
    // Who waits for a node: dependencies turned round.
    std::vector<std::uint32_t> first(nodes + 1, 0);
    for (const NodeIndex on : graph.on()) ++first[on + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    std::vector<NodeIndex> followers(graph.on().size());
    std::vector<std::uint32_t> waits(nodes);
    for (NodeIndex node = 0; node < nodes; ++node) {
        waits[node] = graph.first_dependency(node + 1) - graph.first_dependency(node);
        for (std::uint32_t i = graph.first_dependency(node); i < graph.first_dependency(node + 1); ++i)
            followers[next[graph.on()[i]]++] = node;
    }
    std::vector<std::uint32_t> absent(graph.rendezvous_count());
    for (std::uint32_t i = 0; i < graph.rendezvous_count(); ++i) {
        absent[i] = static_cast<std::uint32_t>(graph.members(i).size()) + (graph.complete(i) ? 0 : 1);
    }
    StepOrder order;
    order.items.reserve(nodes);
    order.done.assign(nodes, 0);
    std::uint32_t done = 0;
    std::vector<NodeIndex> ready;
    ready.reserve(nodes);
    for (NodeIndex node = 0; node < nodes; ++node)
        if (waits[node] == 0) ready.push_back(node);
    const auto end = [&](NodeIndex node) {
        order.done[node] = 1;
        ++done;
        for (std::uint32_t i = first[node]; i < first[node + 1]; ++i)
            if (--waits[followers[i]] == 0) ready.push_back(followers[i]);
    };
    for (std::size_t i = 0; i < ready.size(); ++i) {
        if (i % steps_between_looks == 0) require_not_stopped(stop);
        const NodeIndex node = ready[i];
        const std::uint32_t rendezvous = graph.rendezvous_of(node);
        if (rendezvous == no_rendezvous) {
            order.items.push_back(node);
            end(node);
        } else if (--absent[rendezvous] == 0 && (!admits || admits(rendezvous))) {
            order.items.push_back(nodes + rendezvous);
            for (const NodeIndex member : graph.members(rendezvous)) end(member);
        }
    }
    order.all = done == nodes;
    return order;
}

void run_step(const StepGraph& graph, const StepOrder& order, std::span<const double> ms,
              std::span<const double> delay_ms, StepTimes& times, const std::stop_token& stop) {
    const std::uint32_t nodes = graph.node_count();
    times.issued.assign(nodes, 0);
    times.start.assign(nodes, 0);
    times.end.assign(nodes, 0);
    times.step_ms = 0;
    const std::span<const NodeIndex> on = graph.on();
    const auto issue = [&](NodeIndex node) {
        double at = 0;
        for (std::uint32_t i = graph.first_dependency(node); i < graph.first_dependency(node + 1); ++i)
            at = std::max(at, times.end[on[i]] + delay_ms[i]);
        times.issued[node] = at;
        return at;
    };
    const auto run = [&](NodeIndex node, double start) {
        times.start[node] = start;
        times.end[node] = start + ms[node];
        times.step_ms = std::max(times.step_ms, times.end[node]);
    };
    for (std::size_t i = 0; i < order.items.size(); ++i) {
        if (i % steps_between_looks == 0) require_not_stopped(stop);
        const std::uint32_t item = order.items[i];
        if (item < nodes) {
            run(item, issue(item));
            continue;
        }
        const std::span<const NodeIndex> members = graph.members(item - nodes);
        double start = 0;
        for (const NodeIndex member : members) start = std::max(start, issue(member));
        for (const NodeIndex member : members) run(member, start);
    }
}

StepTimes run_step(const StepGraph& graph, const StepOrder& order, const std::stop_token& stop) {
    StepTimes times;
    run_step(graph, order, graph.ms(), graph.delay_ms(), times, stop);
    return times;
}

StepTimes run_whole_step(const StepGraph& graph, const StepOrder& order) {
    if (!order.all) throw InputError("", "the job cannot run, so nothing has a time; overlap job check says why");
    return run_step(graph, order);
}

}  // namespace overlap::job
