#include "core/search/order_free_bound.h"

#include <algorithm>
#include <queue>
#include <vector>

#include "core/search/compute_reach.h"

namespace overlap {
namespace {

struct Job {
    double head_ms = 0, work_ms = 0, tail_ms = 0;
};

/// Jackson's preemptive schedule, the longest tail first, is optimal for one machine; its length bounds any schedule.
double preemptive_length_ms(std::vector<Job> jobs) {
    std::ranges::sort(jobs, {}, &Job::head_ms);
    const auto shorter_tail = [&](std::size_t left, std::size_t right) {
        return jobs[left].tail_ms != jobs[right].tail_ms ? jobs[left].tail_ms < jobs[right].tail_ms : left > right;
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(shorter_tail)> ready(shorter_tail);
    double now_ms = 0, length_ms = 0;
    for (std::size_t next = 0; next < jobs.size() || !ready.empty();) {
        if (ready.empty()) now_ms = std::max(now_ms, jobs[next].head_ms);
        while (next < jobs.size() && jobs[next].head_ms <= now_ms) ready.push(next++);
        Job& job = jobs[ready.top()];
        const double until_ms =
            next < jobs.size() ? std::min(now_ms + job.work_ms, jobs[next].head_ms) : now_ms + job.work_ms;
        job.work_ms -= until_ms - now_ms;
        const bool is_done = until_ms == now_ms || job.work_ms <= 0 || next == jobs.size();
        now_ms = until_ms;
        if (!is_done) continue;
        length_ms = std::max(length_ms, now_ms + job.tail_ms);
        ready.pop();
    }
    return length_ms;
}

class OrderFree {
  public:
    explicit OrderFree(const StepWork& work)
        : work_(work), graph_(*work.graph), reach_(compute_reach(work)), jobs_(1 + work.links.size()) {}

    double bound_ms() {
        find_heads();
        find_tails();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (work_.compute_ms[node] > 0)
                jobs_[0].push_back({head_ms_[node], work_.compute_ms[node], tail_ms_[node]});
        }
        double bound_ms = 0;
        for (std::size_t index = 0; index < work_.collectives.size(); ++index) {
            const LinkWork& collective = work_.collectives[index];
            const double head_ms = start_ms_[index], tail_ms = after_ms_[index];
            bound_ms = std::max(bound_ms, head_ms + collective.duration_ms + tail_ms);
            jobs_[1 + collective.link].push_back({head_ms + collective.latency_ms, collective.transfer_ms, tail_ms});
        }
        for (std::vector<Job>& jobs : jobs_) bound_ms = std::max(bound_ms, preemptive_length_ms(std::move(jobs)));
        return bound_ms;
    }

  private:
    std::size_t collective_of(NodeId node) const { return static_cast<std::size_t>(work_.collective_of_node[node]); }

    /// Of each node when it can start, and from it what it lets start.
    void find_heads() {
        head_ms_.assign(graph_.node_count(), 0);
        start_ms_.assign(work_.collectives.size(), 0);
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            double& head_ms = head_ms_[node];
            for (const NodeId input : graph_.inputs(node))
                head_ms = std::max(head_ms, head_ms_[input] + work_.compute_ms[input]);
            if (work_.collective_of_node[node] < 0) continue;
            const std::size_t index = collective_of(node);
            if (work_.is_wait[node]) {
                head_ms = std::max(head_ms, start_ms_[index] + work_.collectives[index].duration_ms);
            } else {
                head_ms = start_ms_[index] = std::max(head_ms, reach_.before_ms[index]);
            }
        }
    }

    /// Of each node what comes after its end; of a collective after the end of its wait.
    void find_tails() {
        tail_ms_.assign(graph_.node_count(), 0);
        after_ms_ = reach_.after_ms;
        for (NodeId node = graph_.node_count(); node-- > 0;) {
            double& tail_ms = tail_ms_[node];
            for (const NodeId user : graph_.users(node))
                tail_ms = std::max(tail_ms, tail_ms_[user] + work_.compute_ms[user]);
            if (work_.collective_of_node[node] < 0) continue;
            const std::size_t index = collective_of(node);
            if (work_.is_wait[node]) {
                after_ms_[index] = std::max(after_ms_[index], tail_ms);
            } else {
                tail_ms = std::max(tail_ms, work_.collectives[index].duration_ms + after_ms_[index]);
            }
        }
    }

    const StepWork& work_;
    const Graph& graph_;
    ComputeReach reach_;
    std::vector<double> head_ms_, tail_ms_;    ///< by node
    std::vector<double> start_ms_, after_ms_;  ///< by collective
    std::vector<std::vector<Job>> jobs_;       ///< of compute, then of each link
};

}  // namespace

double order_free_bound_ms(const StepWork& work) {
    return OrderFree(work).bound_ms();
}

}  // namespace overlap
