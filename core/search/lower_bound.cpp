#include "core/search/lower_bound.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/search/live_bytes.h"
#include "core/search/order_free_bound.h"
#include "core/search/service_queue.h"

namespace overlap {
namespace {

/// Goes through the work by the anchors that need it: what the first anchor needs, then the anchor, then what the
/// second needs beyond that. So all that a time depends on is known when it is asked for.
class OrderedBound {
  public:
    OrderedBound(const StepWork& work, const LiveBytes& live, std::optional<std::int64_t> limit)
        : work_(work),
          graph_(*work.graph),
          live_(live),
          limit_(limit),
          queues_(1 + work.links.size()),
          head_ms_(graph_.node_count()),
          reasons_(graph_.node_count()) {}

    LowerBound find() {
        const auto end = static_cast<std::int32_t>(work_.anchors.size());
        const Groups nodes = grouped(graph_.node_count(), [&](std::size_t node) { return work_.needed_by[node]; });
        const Groups collectives =
            grouped(work_.collectives.size(), [&](std::size_t index) { return work_.collectives[index].needed_by; });
        for (std::int32_t anchor = 0; anchor <= end; ++anchor) {
            for (const std::uint32_t node : nodes.of(anchor)) {
                if (work_.anchor_of_node[node] < 0) visit(node);
            }
            for (const std::uint32_t index : collectives.of(anchor)) enqueue(work_.collectives[index]);
            if (anchor < end) visit_anchor(work_.anchors[static_cast<std::size_t>(anchor)]);
        }
        return finish();
    }

  private:
    /// What holds a node back: another node, or a queue of work from one of its jobs on.
    struct Reason {
        enum class Kind : std::uint8_t { none, node, queue, memory } kind = Kind::none;
        std::uint32_t queue = 0;
        NodeId node = no_node;
    };

    /// Indices by the anchor that needs them, in order within each.
    struct Groups {
        std::vector<std::uint32_t> members, offsets;
        std::span<const std::uint32_t> of(std::int32_t anchor) const {
            const auto at = static_cast<std::size_t>(anchor);
            return std::span(members).subspan(offsets[at], offsets[at + 1] - offsets[at]);
        }
    };

    template <typename NeededBy>
    Groups grouped(std::size_t count, const NeededBy& needed_by) const {
        Groups groups;
        groups.offsets.assign(work_.anchors.size() + 2, 0);
        for (std::size_t index = 0; index < count; ++index)
            ++groups.offsets[static_cast<std::size_t>(needed_by(index)) + 1];
        for (std::size_t at = 1; at < groups.offsets.size(); ++at) groups.offsets[at] += groups.offsets[at - 1];
        std::vector<std::uint32_t> next(groups.offsets.begin(), groups.offsets.end() - 1);
        groups.members.resize(count);
        for (std::size_t index = 0; index < count; ++index)
            groups.members[next[static_cast<std::size_t>(needed_by(index))]++] = static_cast<std::uint32_t>(index);
        return groups;
    }

    const LinkWork* collective_of(NodeId node) const {
        const std::int32_t index = work_.collective_of_node[node];
        return index < 0 ? nullptr : &work_.collectives[static_cast<std::size_t>(index)];
    }

    double compute_end_ms(NodeId node) const { return head_ms_[node] + work_.compute_ms[node]; }

    void hold(NodeId node, double until_ms, Reason reason) {
        if (until_ms <= head_ms_[node]) return;
        head_ms_[node] = until_ms;
        reasons_[node] = reason;
    }

    void hold_for_inputs(NodeId node) {
        for (const NodeId input : graph_.inputs(node))
            hold(node, compute_end_ms(input), {Reason::Kind::node, 0, input});
    }

    void visit(NodeId node) {
        hold_for_inputs(node);
        if (const LinkWork* collective = collective_of(node)) {
            if (work_.is_wait[node]) {
                hold(node, head_ms_[collective->node] + collective->duration_ms,
                     {Reason::Kind::node, 0, collective->node});
            } else {
                hold_collective(node, *collective);
            }
        }
        if (work_.compute_ms[node] > 0) queues_[0].add(head_ms_[node], work_.compute_ms[node], node);
    }

    void hold_collective(NodeId node, const LinkWork& collective) {
        if (collective.after >= 0) {
            const NodeId anchor = work_.anchors[static_cast<std::size_t>(collective.after)];
            hold(node, compute_end_ms(anchor) + collective.preparation_ms, {Reason::Kind::node, 0, anchor});
        }
        if (!limit_) return;
        const auto index = static_cast<std::size_t>(work_.collective_of_node[node]);
        const std::int32_t full = live_.last_without_room(index, work_.needed_by[node], *limit_);
        if (full < 0) return;
        const NodeId anchor = work_.anchors[static_cast<std::size_t>(full)];
        hold(node, compute_end_ms(anchor), {Reason::Kind::memory, 0, anchor});
    }

    void enqueue(const LinkWork& collective) {
        queues_[1 + collective.link].add(head_ms_[collective.node] + collective.latency_ms, collective.transfer_ms,
                                         collective.node);
    }

    /// It cannot start before everything that it and earlier anchors need has been done.
    void visit_anchor(NodeId node) {
        hold_for_inputs(node);
        for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
            if (!queues_[queue].empty())
                hold(node, queues_[queue].end_ms(), {Reason::Kind::queue, queue, queues_[queue].first_job()});
        }
        queues_[0].add(head_ms_[node], work_.compute_ms[node], node);
    }

    LowerBound finish() {
        double end_ms = 0;
        Reason reason;
        const auto hold_end = [&](double until_ms, Reason because) {
            if (until_ms <= end_ms) return;
            end_ms = until_ms;
            reason = because;
        };
        for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
            if (!queues_[queue].empty())
                hold_end(queues_[queue].end_ms(), {Reason::Kind::queue, queue, queues_[queue].first_job()});
        }
        for (const LinkWork& collective : work_.collectives)
            hold_end(head_ms_[collective.node] + collective.duration_ms, {Reason::Kind::node, 0, collective.node});
        LowerBound bound;
        bound.ordered_ms = end_ms;
        bound.chain = chain_to(end_ms, reason);
        return bound;
    }

    /// From the end back to the start: every stretch begins where what holds its first node ends.
    std::vector<BoundStep> chain_to(double end_ms, Reason reason) const {
        std::vector<BoundStep> chain;
        std::string last;
        while (reason.kind != Reason::Kind::none) {
            const NodeId node = reason.node;
            BoundStep step;
            const LinkWork* collective = work_.is_wait[node] ? nullptr : collective_of(node);
            if (reason.kind == Reason::Kind::queue) {
                step.kind = reason.queue == 0 ? BoundStep::Kind::compute : BoundStep::Kind::link;
                if (reason.queue > 0) step.groups = work_.links[reason.queue - 1];
            } else if (collective) {
                step.kind = BoundStep::Kind::collective;
                step.groups = work_.links[collective->link];
            } else if (reason.kind == Reason::Kind::memory) {
                step.kind = BoundStep::Kind::memory;
            }
            step.start_ms = head_ms_[node];
            step.end_ms = end_ms;
            step.first = graph_.name(node);
            step.last = last.empty() ? step.first : last;
            add(std::move(step), chain);
            end_ms = head_ms_[node];
            last = graph_.name(node);
            reason = reasons_[node];
        }
        std::ranges::reverse(chain);
        return chain;
    }

    /// Stretches of compute that follow one another are one.
    static void add(BoundStep step, std::vector<BoundStep>& chain) {
        if (step.end_ms <= step.start_ms) return;
        const bool joins = !chain.empty() && step.kind == BoundStep::Kind::compute && chain.back().kind == step.kind;
        if (!joins) return chain.push_back(std::move(step));
        chain.back().start_ms = step.start_ms;
        chain.back().first = std::move(step.first);
    }

    const StepWork& work_;
    const Graph& graph_;
    const LiveBytes& live_;
    std::optional<std::int64_t> limit_;
    std::vector<ServiceQueue> queues_;  ///< of compute, then of each link
    std::vector<double> head_ms_;       ///< of each node: when it can start
    std::vector<Reason> reasons_;
};

}  // namespace

struct BoundUnderLimits::Parts {
    std::shared_ptr<const StepWork> work;
    LiveBytes live;
    double order_free_ms;
    bool any_order;
};

BoundUnderLimits::BoundUnderLimits(std::shared_ptr<const StepWork> work, bool any_order)
    : parts_(new Parts{work, LiveBytes(*work), order_free_bound_ms(*work), any_order}) {}

BoundUnderLimits::~BoundUnderLimits() = default;

std::int64_t BoundUnderLimits::least_peak_bytes() const {
    return parts_->live.most();
}

LowerBound BoundUnderLimits::at(std::optional<std::int64_t> memory_limit) const {
    const StepWork& work = *parts_->work;
    const LiveBytes& live = parts_->live;
    if (parts_->any_order) {
        // What must be alive at once follows from the order.
        LowerBound bound;
        bound.step_ms = bound.order_free_ms = parts_->order_free_ms;
        bound.reason = bound_reason({}, bound.step_ms);
        return bound;
    }
    const std::string node =
        live.most_at() < 0 ? "" : std::string(work.graph->name(work.anchors[static_cast<std::size_t>(live.most_at())]));
    if (memory_limit && *memory_limit < live.most()) {
        throw InputError("memory limit", bytes_text(*memory_limit) + " is less than the " + bytes_text(live.most()) +
                                             " that must be alive" +
                                             (node.empty() ? "" : " while " + in_quotes(node) + " runs"));
    }
    LowerBound bound = OrderedBound(work, live, memory_limit).find();
    bound.order_free_ms = parts_->order_free_ms;
    bound.step_ms = std::max(bound.ordered_ms, bound.order_free_ms);
    bound.reason = bound_reason(bound.chain, bound.step_ms);
    bound.least_peak_bytes = live.most();
    bound.least_peak_node = node;
    return bound;
}

LowerBound lower_bound(const StepWork& work, std::optional<std::int64_t> memory_limit) {
    if (!work.obstacle.empty()) throw InputError("", work.obstacle);
    return BoundUnderLimits(std::shared_ptr<const StepWork>(std::shared_ptr<void>(), &work)).at(memory_limit);
}

}  // namespace overlap
