#include "core/bound/lower_bound.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/bound/bound_trace.h"
#include "core/bound/live_bytes.h"
#include "core/bound/order_free_bound.h"
#include "core/bound/service_queue.h"

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
          holds_(graph_.node_count()) {}

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

    void hold(NodeId node, double until_ms, Hold by) {
        if (until_ms <= head_ms_[node]) return;
        head_ms_[node] = until_ms;
        holds_[node] = by;
    }

    void hold_for_inputs(NodeId node) {
        for (const NodeId input : graph_.inputs(node)) hold(node, compute_end_ms(input), {Hold::Kind::point, 0, input});
    }

    void visit(NodeId node) {
        hold_for_inputs(node);
        if (work_.is_again[node]) hold(node, compute_end_ms(work_.made_once), {Hold::Kind::point, 0, work_.made_once});
        if (const LinkWork* collective = collective_of(node)) {
            if (work_.is_wait[node]) {
                hold(node, head_ms_[collective->node] + collective->duration_ms,
                     {Hold::Kind::point, 0, collective->node});
            } else {
                hold_collective(node, *collective);
            }
        }
        if (work_.compute_ms[node] > 0) queues_[0].add(head_ms_[node], work_.compute_ms[node], node);
    }

    void hold_collective(NodeId node, const LinkWork& collective) {
        if (collective.after >= 0) {
            const NodeId anchor = work_.anchors[static_cast<std::size_t>(collective.after)];
            hold(node, compute_end_ms(anchor) + collective.preparation_ms, {Hold::Kind::point, 0, anchor});
        }
        if (!limit_) return;
        const auto index = static_cast<std::size_t>(work_.collective_of_node[node]);
        const std::int32_t full = live_.last_without_room(index, work_.needed_by[node], *limit_);
        if (full < 0) return;
        const NodeId anchor = work_.anchors[static_cast<std::size_t>(full)];
        hold(node, compute_end_ms(anchor), {Hold::Kind::memory, 0, anchor});
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
                hold(node, queues_[queue].end_ms(), {Hold::Kind::machine, queue, queues_[queue].first_job()});
        }
        queues_[0].add(head_ms_[node], work_.compute_ms[node], node);
    }

    LowerBound finish() {
        double end_ms = 0;
        Hold last;
        const auto hold_end = [&](double until_ms, Hold by) {
            if (until_ms <= end_ms) return;
            end_ms = until_ms;
            last = by;
        };
        for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
            if (!queues_[queue].empty())
                hold_end(queues_[queue].end_ms(), {Hold::Kind::machine, queue, queues_[queue].first_job()});
        }
        for (const LinkWork& collective : work_.collectives)
            hold_end(head_ms_[collective.node] + collective.duration_ms, {Hold::Kind::point, 0, collective.node});
        LowerBound bound;
        bound.ordered_ms = end_ms;
        bound.chain = stretches_back(work_, head_ms_, holds_, end_ms, last);
        std::ranges::reverse(bound.chain);
        if (last.kind == Hold::Kind::machine && !bound.chain.empty())
            bound.chain.back().last = graph_.name(queues_[last.machine].last_job());
        join_compute(bound.chain);
        return bound;
    }

    const StepWork& work_;
    const Graph& graph_;
    const LiveBytes& live_;
    std::optional<std::int64_t> limit_;
    std::vector<ServiceQueue> queues_;  ///< of compute, then of each link
    std::vector<double> head_ms_;       ///< of each node: when it can start
    std::vector<Hold> holds_;
};

}  // namespace

struct BoundUnderLimits::Parts {
    std::shared_ptr<const StepWork> work;
    LiveBytes live;
    OrderFreeBounds order_free;
    bool any_order;

    /// What must be alive at once, and while which node runs. Plans that keep the order are plans in some order.
    LeastAlive least_peak() const {
        const LeastAlive& in_any_order = order_free.least_peak();
        return any_order || live.most().bytes < in_any_order.bytes ? in_any_order : live.most();
    }
    std::string least_peak_node() const {
        const NodeId node = least_peak().node;
        return node == no_node ? std::string() : std::string(work->graph->name(node));
    }
};

BoundUnderLimits::BoundUnderLimits(std::shared_ptr<const StepWork> work, bool any_order, const std::stop_token& stop)
    : parts_(new Parts{work, LiveBytes(*work), OrderFreeBounds(*work, stop), any_order}) {}

BoundUnderLimits::~BoundUnderLimits() = default;

std::int64_t BoundUnderLimits::least_peak_bytes() const {
    return parts_->least_peak().bytes;
}

std::string BoundUnderLimits::least_peak_node() const {
    return parts_->least_peak_node();
}

LowerBound BoundUnderLimits::at(std::optional<std::int64_t> memory_limit) const {
    const std::int64_t least = parts_->least_peak().bytes;
    const std::string node = parts_->least_peak_node();
    if (memory_limit && *memory_limit < least) {
        throw InputError("memory limit", bytes_text(*memory_limit) + " is less than the " + bytes_text(least) +
                                             " that must be alive" +
                                             (node.empty() ? "" : " while " + in_quotes(node) + " runs"));
    }
    LowerBound bound;
    if (!parts_->any_order) bound = OrderedBound(*parts_->work, parts_->live, memory_limit).find();
    OrderFreeBound order_free = parts_->order_free.at(memory_limit);
    bound.order_free_ms = order_free.step_ms;
    bound.order_free_chain = std::move(order_free.chain);
    bound.step_ms = std::max(bound.ordered_ms, bound.order_free_ms);
    // Plans that keep the order are plans in some order, so the other bound holds for them, too.
    if (bound.order_free_ms > bound.ordered_ms) bound.chain = bound.order_free_chain;
    bound.compute_ms = compute_of_every_plan_ms(*parts_->work);
    bound.reason = bound_reason(bound.chain, {bound.step_ms, bound.compute_ms, {}}, parts_->any_order);
    bound.least_peak_bytes = least;
    bound.least_peak_node = node;
    return bound;
}

LowerBound lower_bound(const StepWork& work, std::optional<std::int64_t> memory_limit, bool any_order) {
    if (!work.obstacle.empty()) throw InputError("", work.obstacle);
    const std::shared_ptr<const StepWork> not_owned(std::shared_ptr<void>(), &work);
    return BoundUnderLimits(not_owned, any_order).at(memory_limit);
}

}  // namespace overlap
