#include "core/job/links/moving_flows.h"

#include <algorithm>
#include <limits>

namespace overlap::job {

MovingFlows::MovingFlows(const LinkNetwork& network)
    : on_link_(network.bytes_per_ms().size()),
      link_visited_(network.bytes_per_ms().size(), 0),
      max_min_(network.bytes_per_ms()) {}

void MovingFlows::begin(double now_ms, const Route& route, double bytes, std::uint32_t owner) {
    now_ms_ = now_ms;
    if (free_.empty()) {
        free_.push_back(static_cast<FlowIndex>(flows_.size()));
        flows_.emplace_back();
    }
    const FlowIndex index = free_.back();
    free_.pop_back();
    Flow& flow = flows_[index];
    flow.links = route.links;
    flow.most_bytes_per_ms = route.most_bytes_per_ms;
    flow.bytes_per_ms = flow.moved_bytes = 0;
    flow.left_bytes = bytes;
    flow.since_ms = now_ms;
    flow.number = begun_count_++;
    flow.owner = owner;
    for (const LinkIndex link : flow.links) on_link_[link].push_back(index);
    begun_.push_back(index);
}

void MovingFlows::visit(LinkIndex link) {
    if (link_visited_[link]) return;
    link_visited_[link] = 1;
    reached_.push_back(link);
    for (const FlowIndex index : on_link_[link]) {
        if (flows_[index].visited) continue;
        flows_[index].visited = true;
        together_.push_back(index);
    }
}

void MovingFlows::settle() {
    together_.clear();
    reached_.clear();
    for (const FlowIndex index : begun_) {
        flows_[index].visited = true;
        together_.push_back(index);
    }
    for (const LinkIndex link : changed_) visit(link);
    for (std::size_t i = 0; i < together_.size(); ++i)
        for (const LinkIndex link : flows_[together_[i]].links) visit(link);
    for (const LinkIndex link : reached_) link_visited_[link] = 0;
    begun_.clear();
    changed_.clear();
    std::ranges::sort(together_, {}, [&](FlowIndex index) { return flows_[index].number; });
    sharing_.clear();
    for (const FlowIndex index : together_) {
        flows_[index].visited = false;
        sharing_.push_back({flows_[index].links, flows_[index].most_bytes_per_ms, 0});
    }
    max_min_.share(sharing_);
    for (std::size_t i = 0; i < together_.size(); ++i) {
        Flow& flow = flows_[together_[i]];
        if (flow.bytes_per_ms == sharing_[i].bytes_per_ms) continue;
        const double moved = std::min(flow.left_bytes, (now_ms_ - flow.since_ms) * flow.bytes_per_ms);
        flow.left_bytes -= moved;
        flow.moved_bytes += moved;
        flow.since_ms = now_ms_;
        flow.bytes_per_ms = sharing_[i].bytes_per_ms;
        ends_.push({now_ms_ + flow.left_bytes / flow.bytes_per_ms, flow.number, together_[i], ++flow.version});
    }
}

double MovingFlows::next_end_ms() {
    if (!begun_.empty() || !changed_.empty()) settle();
    while (!ends_.empty() && ends_.top().version != flows_[ends_.top().flow].version) ends_.pop();
    return ends_.empty() ? std::numeric_limits<double>::infinity() : ends_.top().at_ms;
}

std::vector<std::uint32_t> MovingFlows::end(double now_ms) {
    now_ms_ = now_ms;
    std::vector<std::uint32_t> owners;
    while (!ends_.empty() && ends_.top().at_ms <= now_ms) {
        const End ended = ends_.top();
        ends_.pop();
        Flow& flow = flows_[ended.flow];
        if (flow.version != ended.version) continue;
        moved_bytes_ += flow.moved_bytes + (now_ms - flow.since_ms) * flow.bytes_per_ms;
        ++flow.version;
        for (const LinkIndex link : flow.links) {
            std::erase(on_link_[link], ended.flow);
            changed_.push_back(link);
        }
        free_.push_back(ended.flow);
        owners.push_back(flow.owner);
    }
    return owners;
}

}  // namespace overlap::job
