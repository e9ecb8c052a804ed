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

/// What is alive whatever the plan: `made(maker)` for an anchor, `used(user)` behind it, or made by the anchor itself.
template <typename Made, typename Used>
std::int64_t alive_bytes(const StepWork& work, const StorageTable& table, NodeId anchor, Made made, Used used) {
    std::int64_t bytes = 0;
    for (StorageIndex index = 0; index < table.storages().size(); ++index) {
        const Storage& storage = table.storages()[index];
        const NodeId maker = storage.allocator;
        if (!storage.counted) continue;
        if (work.graph->op(maker) == NodeOp::placeholder) {
            bytes += storage.bytes;
            continue;
        }
        if (anchor == no_node || !work.memory_is_fixed) continue;
        if (work.compute_ms[maker] <= 0 || work.after[maker] < 0 || !made(maker)) continue;
        bool is_used = maker == anchor;
        for (NodeId user = 0; user < work.graph->node_count(); ++user)
            for (const NodeId input : work.graph->inputs(user))
                if (std::ranges::count(table.held_by(input), index) > 0 && used(user)) is_used = true;
        if (is_used) bytes += storage.bytes;
    }
    return bytes;
}

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
        for (std::int32_t anchor = 0; anchor < end; ++anchor)
            alive_.push_back(alive_bytes(
                work_, table_, work_.anchors[static_cast<std::size_t>(anchor)],
                [&](NodeId maker) { return work_.needed_by[maker] <= anchor; },
                [&](NodeId user) { return work_.after[user] >= anchor; }));
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
        const std::int64_t inputs = alive_bytes(
            work_, table_, no_node, [](NodeId) { return true; }, [](NodeId) { return true; });
        return {step_ms, alive_.empty() ? 0 : std::max(inputs, *std::ranges::max_element(alive_))};
    }

  private:
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
        bound.least_peak_bytes = alive_bytes(
            work_, table_, no_node, [](NodeId) { return true; }, [](NodeId) { return true; });
        for (const NodeId anchor : work_.anchors) {
            alive_.push_back(alive(anchor));
            bound.least_peak_bytes = std::max(bound.least_peak_bytes, alive_.back());
        }
        constexpr int most_rounds = 4;
        for (int round = 0; round < most_rounds && limit_ && hold_for_room(); ++round) settle(heads_, true);
        bound.step_ms = step_ms();
        return bound;
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

    std::int64_t alive(NodeId anchor) const {
        return alive_bytes(
            work_, table_, anchor, [&](NodeId maker) { return leads_[maker][anchor]; },
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

}  // namespace

DefinedBound defined_ordered_bound(const StepWork& work, std::optional<std::int64_t> limit) {
    return Ordered(work, limit).find();
}

DefinedBound defined_order_free_bound(const StepWork& work, std::optional<std::int64_t> limit) {
    return OrderFree(work, limit).find();
}

}  // namespace overlap::test
