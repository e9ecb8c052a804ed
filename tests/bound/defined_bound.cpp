#include "tests/bound/defined_bound.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/bound/gather_results.h"
#include "core/memory/storage_table.h"

namespace overlap::test {
namespace {

struct Job {
    double head_ms = 0, work_ms = 0, tail_ms = 0;
};

/// When a machine can have done all jobs, each with its tail behind it: the most over all heads and tails.
double done_ms(const std::vector<Job>& jobs) {
    double latest_ms = 0;
    for (const Job& first : jobs)
        for (const Job& last : jobs) {
            double end_ms = first.head_ms;
            bool any = false;
            for (const Job& job : jobs) {
                if (job.head_ms < first.head_ms || job.tail_ms < last.tail_ms) continue;
                end_ms += job.work_ms;
                any = true;
            }
            if (any) latest_ms = std::max(latest_ms, end_ms + last.tail_ms);
        }
    return latest_ms;
}

/// Which nodes need which: what leads to what along the graph, each to itself.
std::vector<std::vector<bool>> reach_of(const Graph& graph) {
    std::vector<std::vector<bool>> leads(graph.node_count(), std::vector<bool>(graph.node_count()));
    for (NodeId node = graph.node_count(); node-- > 0;) {
        leads[node][node] = true;
        for (const NodeId user : graph.users(node))
            for (NodeId to = 0; to < graph.node_count(); ++to)
                if (leads[user][to]) leads[node][to] = true;
    }
    return leads;
}

std::size_t index_of(const StepWork& work, NodeId node) {
    return static_cast<std::size_t>(work.collective_of_node[node]);
}

/// Whether it is made once, as large: by compute or a collective that is no gather, behind heavy compute.
bool is_made(const StepWork& work, NodeId node) {
    if (work.after[node] < 0) return false;
    const bool sends = work.collective_of_node[node] >= 0 && !work.is_wait[node];
    return work.compute_ms[node] > 0 ||
           (sends && work.collectives[index_of(work, node)].kind != CollectiveKind::all_gather);
}

bool holds(const StorageTable& table, NodeId node, StorageIndex storage) {
    return std::ranges::count(table.held_by(node), storage) > 0;
}

/// Of a gather that no heavy compute comes before, what it gathers, before conversions; of others nothing.
NodeId gathered_from(const StepWork& work, NodeId node) {
    const bool gathers = work.collective_of_node[node] >= 0 && !work.is_wait[node] && work.after[node] < 0 &&
                         work.collectives[index_of(work, node)].kind == CollectiveKind::all_gather;
    if (!gathers) return no_node;
    while (work.graph->inputs(node).size() == 1) node = work.graph->inputs(node).front();
    return node;
}

/// Whether a node reads or returns a piece of memory that the graph was not given.
bool is_own(const StepWork& work, const StorageTable& table, NodeId node, StorageIndex storage) {
    const NodeId maker = table.storages()[storage].allocator;
    if (work.graph->op(maker) != NodeOp::call_function || work.graph->target_info(maker).traits.view) return false;
    return holds(table, node, storage) ||
           std::ranges::any_of(work.graph->inputs(node), [&](NodeId input) { return holds(table, input, storage); });
}

/// What is alive whatever the plan while a node runs: what the graph was given; `made(maker)` for the node, and
/// `used(user)` behind it, or made by the node itself; with its `own`, what it reads and returns.
template <typename Made, typename Used>
std::int64_t alive_bytes(const StepWork& work, const StorageTable& table, NodeId node, bool own, Made made, Used used) {
    std::int64_t bytes = 0;
    std::vector<NodeId> gathered;  // a plan may gather once what the graph gathers twice
    for (StorageIndex index = 0; index < table.storages().size(); ++index) {
        const Storage& storage = table.storages()[index];
        const NodeId maker = storage.allocator;
        if (!storage.counted) continue;
        if (own && is_own(work, table, node, index) && gathered_from(work, maker) != no_node) {
            if (std::ranges::count(gathered, gathered_from(work, maker)) > 0) continue;
            gathered.push_back(gathered_from(work, maker));
        }
        const bool is_given = work.graph->op(maker) == NodeOp::placeholder;
        bool is_used = maker == node;
        for (NodeId user = 0; user < work.graph->node_count(); ++user)
            for (const NodeId input : work.graph->inputs(user))
                if (holds(table, input, index) && used(user)) is_used = true;
        const bool stays = work.memory_is_fixed && is_made(work, maker) && made(maker) && is_used;
        if (is_given || stays || (own && is_own(work, table, node, index))) bytes += storage.bytes;
    }
    return bytes;
}

constexpr auto nothing = [](NodeId) { return false; };

/// What each node reads and returns, and what the step returns, all beside what the graph was given.
std::int64_t most_own_bytes(const StepWork& work, const StorageTable& table) {
    std::int64_t most = 0;
    for (NodeId node = 0; node < work.graph->node_count(); ++node)
        if (work.compute_ms[node] > 0 || work.graph->op(node) == NodeOp::output)
            most = std::max(most, alive_bytes(work, table, node, true, nothing, nothing));
    return most;
}

std::int64_t least_peak_in_any_order(const StepWork& work);

class Ordered {
  public:
    Ordered(const StepWork& work, std::optional<std::int64_t> limit)
        : work_(work),
          limit_(limit),
          table_(*work.graph, StorageRule::corrected),
          results_(gather_results(work, table_)),
          head_ms_(work.graph->node_count()) {}

    DefinedBound find() {
        const auto end = static_cast<std::int32_t>(work_.anchors.size());
        for (const NodeId anchor : work_.anchors) alive_.push_back(alive(anchor, false));
        for (std::int32_t anchor = 0; anchor <= end; ++anchor) {
            for (NodeId node = 0; node < head_ms_.size(); ++node)
                if (work_.needed_by[node] == anchor && work_.anchor_of_node[node] < 0) head_ms_[node] = head_ms(node);
            if (anchor == end) break;
            const NodeId node = work_.anchors[static_cast<std::size_t>(anchor)];
            head_ms_[node] = std::max(head_ms(node), done_before(anchor));
        }
        double step_ms = done_before(end);
        for (const LinkWork& collective : work_.collectives)
            step_ms = std::max(step_ms, head_ms_[collective.node] + collective.duration_ms);
        if (limit_) return {step_ms, 0};
        // Plans that keep the order are plans in some order.
        std::int64_t least = least_peak_in_any_order(work_);
        for (NodeId node = 0; node < head_ms_.size(); ++node)
            if (work_.compute_ms[node] > 0) least = std::max(least, alive(node, true));
        return {step_ms, least};
    }

  private:
    std::int64_t alive(NodeId node, bool own) const {
        return alive_bytes(
            work_, table_, node, own, [&](NodeId maker) { return work_.needed_by[maker] <= work_.after[node]; },
            [&](NodeId user) { return work_.after[user] >= work_.needed_by[node]; });
    }

    double end_ms(NodeId node) const { return head_ms_[node] + work_.compute_ms[node]; }

    double head_ms(NodeId node) const {
        double head_ms = 0;
        for (const NodeId input : work_.graph->inputs(node)) head_ms = std::max(head_ms, end_ms(input));
        if (work_.is_again[node]) head_ms = std::max(head_ms, end_ms(work_.made_once));
        if (work_.collective_of_node[node] < 0) return head_ms;
        const LinkWork& collective = work_.collectives[index_of(work_, node)];
        if (work_.is_wait[node]) return std::max(head_ms, head_ms_[collective.node] + collective.duration_ms);
        if (collective.after >= 0)
            head_ms = std::max(
                head_ms, end_ms(work_.anchors[static_cast<std::size_t>(collective.after)]) + collective.preparation_ms);
        return std::max(head_ms, room_ms(node));
    }

    /// When the last heavy compute ends that a gather has no room beside, of what comes before all that needs it.
    double room_ms(NodeId node) const {
        const GatherResult& result = results_[index_of(work_, node)];
        if (!limit_ || result.uses.empty() || !work_.memory_is_fixed) return 0;
        double room_ms = 0;
        for (std::int32_t anchor = 0; anchor < work_.needed_by[node]; ++anchor) {
            const bool is_alive =
                std::ranges::all_of(result.uses, [&](NodeId use) { return work_.after[use] >= anchor; });
            const auto at = static_cast<std::size_t>(anchor);
            if (is_alive && alive_[at] + result.bytes > *limit_) room_ms = end_ms(work_.anchors[at]);
        }
        return room_ms;
    }

    /// When all that the anchor and earlier ones need can have been done, on each machine.
    double done_before(std::int32_t anchor) const {
        std::vector<std::vector<Job>> jobs(1 + work_.links.size());
        for (NodeId node = 0; node < head_ms_.size(); ++node) {
            const bool is_itself = work_.anchor_of_node[node] == anchor && work_.anchor_of_node[node] >= 0;
            if (work_.compute_ms[node] > 0 && work_.needed_by[node] <= anchor && !is_itself)
                jobs[0].push_back({head_ms_[node], work_.compute_ms[node], 0});
        }
        for (const LinkWork& collective : work_.collectives)
            if (collective.needed_by <= anchor)
                jobs[1 + collective.link].push_back(
                    {head_ms_[collective.node] + collective.latency_ms, collective.transfer_ms, 0});
        double end_ms = 0;
        for (const std::vector<Job>& of_machine : jobs) end_ms = std::max(end_ms, done_ms(of_machine));
        return end_ms;
    }

    const StepWork& work_;
    std::optional<std::int64_t> limit_;
    StorageTable table_;
    std::vector<GatherResult> results_;
    std::vector<double> head_ms_;
    std::vector<std::int64_t> alive_;  ///< by anchor
};

class OrderFree {
  public:
    OrderFree(const StepWork& work, std::optional<std::int64_t> limit)
        : work_(work),
          graph_(*work.graph),
          limit_(limit),
          table_(graph_, StorageRule::corrected),
          results_(gather_results(work, table_)),
          leads_(reach_of(graph_)),
          heads_{std::vector<double>(graph_.node_count()), std::vector<double>(work.collectives.size())},
          tails_(heads_) {}

    DefinedBound find() {
        settle(heads_, true);
        settle(tails_, false);
        DefinedBound bound;
        if (!limit_) bound.least_peak_bytes = least_peak_bytes();
        for (const NodeId anchor : work_.anchors) alive_.push_back(alive(anchor, false));
        constexpr int most_rounds = 4;
        for (int round = 0; round < most_rounds && limit_ && hold_for_room(); ++round) settle(heads_, true);
        bound.step_ms = step_ms();
        return bound;
    }

    std::int64_t least_peak_bytes() const {
        std::int64_t least = most_own_bytes(work_, table_);
        for (const NodeId anchor : work_.anchors) least = std::max(least, alive(anchor, true));
        return least;
    }

  private:
    struct Times {
        std::vector<double> nodes, collectives;
    };

    /// Whether the first has to end before the second starts, and what is computed again behind the forward pass.
    bool needs(NodeId later, NodeId earlier) const {
        if (leads_[earlier][later]) return true;
        if (work_.made_once == no_node || !leads_[earlier][work_.made_once]) return false;
        return std::ranges::any_of(work_.again, [&](NodeId again) { return leads_[again][later]; });
    }

    std::vector<NodeId> waits_of(std::size_t collective) const {
        std::vector<NodeId> waits;
        for (NodeId node = 0; node < graph_.node_count(); ++node)
            if (work_.is_wait[node] && index_of(work_, node) == collective) waits.push_back(node);
        return waits;
    }

    static bool raise(double& time_ms, double until_ms) {
        if (until_ms <= time_ms + 1e-12) return false;
        time_ms = until_ms;
        return true;
    }

    /// The rules 1 and 2, until nothing changes.
    void settle(Times& times, bool forward) const {
        bool changed = true;
        while (changed) {
            changed = false;
            for (NodeId node = 0; node < graph_.node_count(); ++node) {
                for (const NodeId other : forward ? graph_.inputs(node) : graph_.users(node))
                    changed |= raise(times.nodes[node], times.nodes[other] + work_.compute_ms[other]);
                for (const NodeId again : work_.again) {
                    const NodeId before = forward ? work_.made_once : again, behind = forward ? again : work_.made_once;
                    changed |= raise(times.nodes[behind], times.nodes[before] + work_.compute_ms[before]);
                }
            }
            for (std::size_t index = 0; index < work_.collectives.size(); ++index) {
                const LinkWork& collective = work_.collectives[index];
                double& time_ms = times.collectives[index];
                if (forward) changed |= raise(time_ms, times.nodes[collective.node]);
                for (const NodeId wait : waits_of(index)) {
                    if (forward)
                        changed |= raise(times.nodes[wait], time_ms + collective.duration_ms);
                    else
                        changed |= raise(time_ms, times.nodes[wait]);
                }
                if (!forward) changed |= raise(times.nodes[collective.node], time_ms + collective.duration_ms);
                changed |= raise(time_ms, served_ms(times, index, forward));
            }
        }
    }

    /// Rule 2: when the machines can have done all that the collective needs; backward, all that needs it.
    double served_ms(const Times& times, std::size_t index, bool forward) const {
        const LinkWork& collective = work_.collectives[index];
        const bool has_heavy =
            forward ? collective.after >= 0 : collective.needed_by < static_cast<std::int32_t>(work_.anchors.size());
        if (!has_heavy) return 0;
        const std::vector<NodeId> waits = waits_of(index);
        const auto behind_a_wait = [&](NodeId node, const std::vector<NodeId>& of) {
            return std::ranges::any_of(of, [&](NodeId wait) { return needs(node, wait); });
        };
        std::vector<std::vector<Job>> jobs(1 + work_.links.size());
        for (NodeId node = 0; node < graph_.node_count(); ++node)
            if (work_.compute_ms[node] > 0 && (forward ? needs(collective.node, node) : behind_a_wait(node, waits)))
                jobs[0].push_back({times.nodes[node], work_.compute_ms[node], 0});
        for (std::size_t other = 0; other < work_.collectives.size(); ++other) {
            const LinkWork& job = work_.collectives[other];
            if (forward ? !behind_a_wait(collective.node, waits_of(other)) : !behind_a_wait(job.node, waits)) continue;
            jobs[1 + job.link].push_back(
                {times.collectives[other] + (forward ? job.latency_ms : 0), job.transfer_ms, 0});
        }
        double end_ms = 0;
        for (const std::vector<Job>& of_machine : jobs) end_ms = std::max(end_ms, done_ms(of_machine));
        return end_ms;
    }

    std::int64_t alive(NodeId anchor, bool own) const {
        return alive_bytes(
            work_, table_, anchor, own, [&](NodeId maker) { return leads_[maker][anchor]; },
            [&](NodeId user) { return comes_after(user, anchor); });
    }

    bool comes_after(NodeId use, NodeId anchor) const {
        return leads_[anchor][use] || graph_.op(use) == NodeOp::output;
    }

    /// Rule 3.
    bool hold_for_room() {
        bool held = false;
        for (std::size_t index = 0; index < results_.size() && work_.memory_is_fixed; ++index) {
            const GatherResult& result = results_[index];
            if (result.uses.empty()) continue;
            for (std::size_t at = 0; at < work_.anchors.size(); ++at) {
                const NodeId anchor = work_.anchors[at];
                const bool all_after =
                    std::ranges::all_of(result.uses, [&](NodeId use) { return comes_after(use, anchor); });
                if (!all_after || leads_[work_.collectives[index].node][anchor]) continue;
                if (alive_[at] + result.bytes > *limit_)
                    held |= raise(heads_.collectives[index], heads_.nodes[anchor] + work_.compute_ms[anchor]);
            }
        }
        return held;
    }

    double step_ms() const {
        std::vector<std::vector<Job>> jobs(1 + work_.links.size());
        double step_ms = 0;
        for (NodeId node = 0; node < graph_.node_count(); ++node)
            if (work_.compute_ms[node] > 0)
                jobs[0].push_back({heads_.nodes[node], work_.compute_ms[node], tails_.nodes[node]});
        for (std::size_t index = 0; index < work_.collectives.size(); ++index) {
            const LinkWork& collective = work_.collectives[index];
            const double head_ms = heads_.collectives[index], tail_ms = tails_.collectives[index];
            step_ms = std::max(step_ms, head_ms + collective.duration_ms + tail_ms);
            jobs[1 + collective.link].push_back({head_ms + collective.latency_ms, collective.transfer_ms, tail_ms});
        }
        for (const std::vector<Job>& of_machine : jobs) step_ms = std::max(step_ms, done_ms(of_machine));
        return step_ms;
    }

    const StepWork& work_;
    const Graph& graph_;
    std::optional<std::int64_t> limit_;
    StorageTable table_;
    std::vector<GatherResult> results_;
    std::vector<std::vector<bool>> leads_;  ///< from the first node to the second
    Times heads_, tails_;
    std::vector<std::int64_t> alive_;  ///< by anchor
};

std::int64_t least_peak_in_any_order(const StepWork& work) {
    return OrderFree(work, {}).least_peak_bytes();
}

}  // namespace

DefinedBound defined_ordered_bound(const StepWork& work, std::optional<std::int64_t> limit) {
    return Ordered(work, limit).find();
}

DefinedBound defined_order_free_bound(const StepWork& work, std::optional<std::int64_t> limit) {
    return OrderFree(work, limit).find();
}

}  // namespace overlap::test
