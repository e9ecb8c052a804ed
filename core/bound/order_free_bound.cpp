#include "core/bound/order_free_bound.h"

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "core/bound/collective_reach.h"
#include "core/bound/order_free_live.h"
#include "core/bound/work_times.h"

namespace overlap {
namespace {

struct Job {
    double head_ms = 0, work_ms = 0, tail_ms = 0;
    WorkPoint point = 0;
};

/// How long one machine takes at least, and why: from when the first job can start it works without a pause, and after
/// it the last one's tail follows.
struct Length {
    double length_ms = 0;
    WorkPoint first = 0, last = 0;
};

/// Jackson's preemptive schedule, the longest tail first, is optimal for one machine; its length bounds any schedule.
class PreemptiveSchedule {
  public:
    explicit PreemptiveSchedule(std::vector<Job> jobs) : jobs_(std::move(jobs)) {}

    Length length() {
        std::ranges::sort(jobs_, [](const Job& left, const Job& right) {
            return left.head_ms != right.head_ms ? left.head_ms < right.head_ms : left.point < right.point;
        });
        const auto shorter_tail = [&](std::size_t left, std::size_t right) {
            return jobs_[left].tail_ms != jobs_[right].tail_ms ? jobs_[left].tail_ms < jobs_[right].tail_ms
                                                               : left > right;
        };
        std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(shorter_tail)> ready(shorter_tail);
        double now_ms = 0, longest_ms = 0;
        std::size_t critical = 0;  // the stretch that ends with the job whose tail ends last
        for (std::size_t next = 0; next < jobs_.size() || !ready.empty();) {
            if (ready.empty()) now_ms = std::max(now_ms, jobs_[next].head_ms);
            while (next < jobs_.size() && jobs_[next].head_ms <= now_ms) ready.push(next++);
            Job& job = jobs_[ready.top()];
            const double until_ms =
                next < jobs_.size() ? std::min(now_ms + job.work_ms, jobs_[next].head_ms) : now_ms + job.work_ms;
            stretches_.push_back({now_ms, until_ms, ready.top()});
            job.work_ms -= until_ms - now_ms;
            const bool is_done = until_ms == now_ms || job.work_ms <= 0 || next == jobs_.size();
            now_ms = until_ms;
            if (!is_done) continue;
            if (now_ms + job.tail_ms > longest_ms) {
                longest_ms = now_ms + job.tail_ms;
                critical = stretches_.size() - 1;
            }
            ready.pop();
        }
        return stretches_.empty() ? Length{} : Length{longest_ms, first_before(critical), point_at(critical)};
    }

  private:
    struct Stretch {
        double start_ms, end_ms;
        std::size_t job;
    };

    WorkPoint point_at(std::size_t stretch) const { return jobs_[stretches_[stretch].job].point; }

    /// Back from the critical job as long as the machine works on jobs with tails no shorter: the first of them starts
    /// when it can, or it would have gone before one with a shorter tail.
    WorkPoint first_before(std::size_t critical) const {
        const double tail_ms = jobs_[stretches_[critical].job].tail_ms;
        std::size_t first = critical;
        while (first > 0 && stretches_[first - 1].end_ms == stretches_[first].start_ms &&
               jobs_[stretches_[first - 1].job].tail_ms >= tail_ms)
            --first;
        return point_at(first);
    }

    std::vector<Job> jobs_;
    std::vector<Stretch> stretches_;
};

}  // namespace

struct OrderFreeBounds::Parts {
    Parts(const StepWork& of, const std::stop_token& stop)
        : work(of),
          live(of),
          reach(of),
          heads(of, reach, WorkTimes::Direction::forward),
          tails(of, reach, WorkTimes::Direction::backward) {
        if (!stop.stop_requested()) heads.settle();
        if (!stop.stop_requested()) tails.settle();
    }

    WorkPoint point_of(std::size_t collective) const {
        return static_cast<WorkPoint>(work.graph->node_count() + collective);
    }

    const StepWork& work;
    OrderFreeLive live;
    CollectiveReach reach;
    WorkTimes heads, tails;  ///< without a limit
    OrderFreeBound unlimited{};
};

namespace {

/// With a limit, what has to end before there is room holds gathers.
/// @returns whether it holds any.
bool hold_for_room(const StepWork& work, const OrderFreeLive& live, std::int64_t limit, WorkTimes& heads) {
    constexpr int most_rounds = 4;  // what is held may hold others
    bool any = false;
    for (int round = 0; round < most_rounds; ++round) {
        bool raised = false;
        for (std::size_t index = 0; index < work.collectives.size(); ++index) {
            const auto point = static_cast<WorkPoint>(work.graph->node_count() + index);
            for (const NodeId node : live.without_room(index, limit))
                raised |= heads.raise(point, heads.at(node) + work.compute_ms[node], {Hold::Kind::memory, 0, node});
        }
        if (!raised) break;
        any = true;
        heads.settle();
    }
    return any;
}

/// What leads to the end of the step, in order of time.
struct End {
    double step_ms = 0;
    std::uint32_t machine = 0;
    WorkPoint first = 0, last = 0;
    bool alone = false;  ///< one collective, which others wait for
};

End latest_end(const StepWork& work, const WorkTimes& heads, const WorkTimes& tails) {
    std::vector<std::vector<Job>> jobs(1 + work.links.size());
    const std::size_t nodes = work.graph->node_count();
    for (NodeId node = 0; node < nodes; ++node)
        if (work.compute_ms[node] > 0) jobs[0].push_back({heads.at(node), work.compute_ms[node], tails.at(node), node});
    End end;
    for (std::size_t index = 0; index < work.collectives.size(); ++index) {
        const LinkWork& collective = work.collectives[index];
        const auto point = static_cast<WorkPoint>(nodes + index);
        const double head_ms = heads.at(point), tail_ms = tails.at(point);
        const double alone_ms = head_ms + collective.duration_ms + tail_ms;
        if (alone_ms > end.step_ms) end = {alone_ms, 1 + collective.link, point, point, true};
        jobs[1 + collective.link].push_back({head_ms + collective.latency_ms, collective.transfer_ms, tail_ms, point});
    }
    for (std::uint32_t machine = 0; machine < jobs.size(); ++machine) {
        const Length length = PreemptiveSchedule(std::move(jobs[machine])).length();
        if (length.length_ms > end.step_ms) end = {length.length_ms, machine, length.first, length.last, false};
    }
    return end;
}

std::vector<BoundStep> chain_of(const StepWork& work, const WorkTimes& heads, const WorkTimes& tails, const End& end) {
    if (end.step_ms <= 0) return {};
    const Hold machine{end.alone ? Hold::Kind::point : Hold::Kind::machine, end.machine, end.first};
    const double after_ms = tails.at(end.last);
    std::vector<BoundStep> chain = stretches_back(work, heads.all(), heads.holds(), end.step_ms - after_ms, machine);
    std::ranges::reverse(chain);
    if (!chain.empty())
        chain.back().last = work.graph->name(end.last < work.graph->node_count()
                                                 ? end.last
                                                 : work.collectives[end.last - work.graph->node_count()].node);
    // What follows is found from the end of the step, so its last stretch comes first, and its ends are exchanged.
    for (BoundStep& step : stretches_back(work, tails.all(), tails.holds(), after_ms, tails.holds()[end.last])) {
        std::swap(step.first, step.last);
        step.start_ms = end.step_ms - std::exchange(step.end_ms, end.step_ms - step.start_ms);
        chain.push_back(std::move(step));
    }
    join_compute(chain);
    return chain;
}

OrderFreeBound bound_of(const StepWork& work, const WorkTimes& heads, const WorkTimes& tails) {
    const End end = latest_end(work, heads, tails);
    return {end.step_ms, chain_of(work, heads, tails, end)};
}

}  // namespace

OrderFreeBounds::OrderFreeBounds(const StepWork& work, const std::stop_token& stop) {
    auto parts = std::make_unique<Parts>(work, stop);
    if (!stop.stop_requested()) parts->unlimited = bound_of(work, parts->heads, parts->tails);
    parts_ = std::move(parts);
}

OrderFreeBounds::~OrderFreeBounds() = default;

const LeastAlive& OrderFreeBounds::least_peak() const {
    return parts_->live.most();
}

OrderFreeBound OrderFreeBounds::at(std::optional<std::int64_t> memory_limit) const {
    if (!memory_limit) return parts_->unlimited;
    WorkTimes heads = parts_->heads;
    if (!hold_for_room(parts_->work, parts_->live, *memory_limit, heads)) return parts_->unlimited;
    return bound_of(parts_->work, heads, parts_->tails);
}

}  // namespace overlap
