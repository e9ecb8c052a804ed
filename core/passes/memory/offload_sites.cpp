#include "core/passes/memory/offload_sites.h"

#include <algorithm>

#include "core/passes/memory/layers.h"
#include "core/passes/pass_support.h"

namespace overlap::memory {

namespace {

class Collector {
  public:
    Collector(const Graph& graph, const MemoryOperators& operators)
        : graph_(graph), operators_(operators), seen_(graph.node_count(), no_node) {}

    OffloadSite site(NodeId node) {
        OffloadSite site;
        site.node = node;
        for (const NodeId user : graph_.users(node)) {
            if (backward(user)) site.backward_users.push_back(user);
        }
        site.last_forward_user = node;
        walk(site);
        std::ranges::sort(site.views);
        for (const NodeId user : site.backward_users) meet(site, user);
        for (const auto& [view, user] : site.view_users) meet(site, user);
        return site;
    }

  private:
    /// A value whose users are walked, and the next of them.
    struct Walk {
        NodeId value;
        std::size_t next = 0;
    };

    bool backward(NodeId node) const { return is_backward(graph_.metadata(node)); }

    static void meet(OffloadSite& site, NodeId user) {
        site.first_backward_user = std::min(site.first_backward_user, user);
    }

    /// Depth first along the users of the node and of its forward views.
    void walk(OffloadSite& site) {
        stack_.assign(1, Walk{site.node});
        while (!stack_.empty()) {
            Walk& top = stack_.back();
            const NodeId value = top.value;
            if (top.next == graph_.users(value).size()) {
                stack_.pop_back();
                continue;
            }
            const NodeId user = graph_.users(value)[top.next++];
            const NodeRecord& record = graph_.record(user);
            if (record.op != NodeOp::call_function) continue;
            if (backward(user)) {
                if (value != site.node) site.view_users.emplace_back(value, user);
                continue;
            }
            if (!operators_.has(record, MemoryOperators::transfer)) {
                site.last_forward_user = std::max(site.last_forward_user, user);
            }
            if (!operators_.has(record, MemoryOperators::view_packet) || seen_[user] == site.node) continue;
            seen_[user] = site.node;
            site.views.push_back(user);
            stack_.push_back({user});
        }
    }

    const Graph& graph_;
    const MemoryOperators& operators_;
    std::vector<NodeId> seen_;  ///< by view: the last site that has met it
    std::vector<Walk> stack_;
};

}  // namespace

std::vector<OffloadSite> offload_sites(const Graph& graph, const MemoryOperators& operators,
                                       const std::vector<RecomputeTag>& tags, std::string_view pass) {
    std::vector<OffloadSite> sites;
    if (std::ranges::find(tags, RecomputeTag::must_cpu_offload) == tags.end()) return sites;
    Collector collector(graph, operators);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (tags[node] != RecomputeTag::must_cpu_offload) continue;
        if (operators.has(graph.record(node), MemoryOperators::view_packet)) {
            refuse_node(pass, graph.name(node),
                        "it is to be offloaded, but is a view of other memory, and torchtitan raises an "
                        "AssertionError");
        }
        OffloadSite site = collector.site(node);
        if (site.first_backward_user == no_node) continue;
        sites.push_back(std::move(site));
    }
    for (const OffloadSite& site : sites) {
        if (!only_tensor(graph, site.node)) {
            refuse_node(pass, graph.name(site.node),
                        "it is to be offloaded, but its value is no tensor, and torchtitan raises an error");
        }
    }
    return sites;
}

}  // namespace overlap::memory
