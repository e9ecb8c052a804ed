#include "core/job/step/step_flows.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "core/job/links/moving_flows.h"

namespace overlap::job {

namespace {

constexpr std::uint32_t none = 0xffffffffu;

class Run {
  public:
    Run(const StepGraph& graph, const LinkNetwork& network, const StepFlows& flows, FlowTimes& times,
        std::span<const double> message_factor, std::span<const double> collective_factor)
        : graph_(graph), network_(network), flows_(flows), times_(times), moving_(network) {
        for (std::size_t i = 0; i < flows.messages.size(); ++i)
            add(flows.messages[i].load, message_factor.empty() ? 1 : message_factor[i]);
        for (std::size_t i = 0; i < flows.collectives.size(); ++i)
            add(flows.collectives[i].load, collective_factor.empty() ? 1 : collective_factor[i]);
    }

    void run() {
        prepare();
        while (true) {
            for (std::size_t i = 0; i < ready_.size(); ++i) issue(ready_[i]);
            ready_.clear();
            const double event_ms = events_.empty() ? std::numeric_limits<double>::infinity() : events_.top().at_ms;
            const double flow_ms = moving_.next_end_ms();
            now_ms_ = std::min(event_ms, flow_ms);
            if (now_ms_ == std::numeric_limits<double>::infinity()) break;
            if (flow_ms <= now_ms_)
                for (const std::uint32_t transfer : moving_.end(now_ms_))
                    if (--transfers_[transfer].moving == 0) end_phase(transfer);
            while (!events_.empty() && events_.top().at_ms <= now_ms_) {
                const Event event = events_.top();
                events_.pop();
                switch (event.kind) {
                    case Event::Kind::node_ends:
                        end(event.index);
                        break;
                    case Event::Kind::message_arrives:
                        arrive(event.index);
                        break;
                    case Event::Kind::flows_begin:
                        begin_flows(event.index);
                        break;
                }
            }
        }
        times_.bytes = moving_.moved_bytes();
    }

  private:
    struct Event {
        enum class Kind : std::uint8_t { node_ends, message_arrives, flows_begin };
        double at_ms;
        std::uint64_t number;
        Kind kind;
        std::uint32_t index;
        bool operator>(const Event& other) const {
            return at_ms != other.at_ms ? at_ms > other.at_ms : number > other.number;
        }
    };
    /// Messages, then collectives.
    struct Transfer {
        std::uint32_t load = 0, phase = 0, moving = 0;
        double factor = 1, began_ms = 0;
    };

    void add(std::uint32_t load, double factor) { transfers_.push_back({load, 0, 0, factor, 0}); }

    void prepare() {
        const std::uint32_t nodes = graph_.node_count();
        const std::span<const NodeIndex> on = graph_.on();
        first_.assign(nodes + 1, 0);
        for (const NodeIndex node : on) ++first_[node + 1];
        for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        followers_.resize(on.size());
        node_of_.resize(on.size());
        waits_.resize(nodes);
        for (NodeIndex node = 0; node < nodes; ++node) {
            waits_[node] = graph_.first_dependency(node + 1) - graph_.first_dependency(node);
            for (std::uint32_t i = graph_.first_dependency(node); i < graph_.first_dependency(node + 1); ++i) {
                followers_[next[on[i]]++] = i;
                node_of_[i] = node;
            }
            if (waits_[node] == 0) ready_.push_back(node);
        }
        for (std::uint32_t i = 0; i < graph_.rendezvous_count(); ++i)
            absent_.push_back(static_cast<std::uint32_t>(graph_.members(i).size()) + (graph_.complete(i) ? 0 : 1));
        message_of_.assign(on.size(), none);
        for (std::uint32_t i = 0; i < flows_.messages.size(); ++i) message_of_[flows_.messages[i].dependency] = i;
        collective_of_.assign(nodes, none);
        for (std::uint32_t i = 0; i < flows_.collectives.size(); ++i)
            collective_of_[flows_.collectives[i].member] = static_cast<std::uint32_t>(flows_.messages.size()) + i;
    }

    void at(double ms, Event::Kind kind, std::uint32_t index) { events_.push({ms, count_++, kind, index}); }

    void issue(NodeIndex node) {
        const std::uint32_t rendezvous = graph_.rendezvous_of(node);
        if (rendezvous == no_rendezvous) return start({&node, 1});
        if (--absent_[rendezvous] == 0) start(graph_.members(rendezvous));
    }

    /// All of `members` are there.
    void start(std::span<const NodeIndex> members) {
        const std::uint32_t transfer = collective_of_[members.front()];
        if (transfer != none) return begin_phase(transfer);
        for (const NodeIndex member : members) at(now_ms_ + times_.ms[member], Event::Kind::node_ends, member);
    }

    void end(NodeIndex node) {
        for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            const std::uint32_t dependency = followers_[i];
            if (message_of_[dependency] != none)
                begin_phase(message_of_[dependency]);
            else if (times_.delay_ms[dependency] > 0)
                at(now_ms_ + times_.delay_ms[dependency], Event::Kind::message_arrives, dependency);
            else
                arrive(dependency);
        }
    }

    void arrive(std::uint32_t dependency) {
        if (--waits_[node_of_[dependency]] == 0) ready_.push_back(node_of_[dependency]);
    }

    const std::vector<FlowPhase>& load(std::uint32_t transfer) const { return flows_.loads[transfers_[transfer].load]; }

    void begin_phase(std::uint32_t index) {
        Transfer& transfer = transfers_[index];
        if (transfer.phase == 0) transfer.began_ms = now_ms_;
        if (transfer.phase == load(index).size()) return end_transfer(index);
        double latency_ms = 0;
        const FlowPhase& phase = load(index)[transfer.phase];
        for (const FlowLoad& flow : phase.flows)
            latency_ms = std::max(latency_ms, network_.route(flow.from, flow.to).latency_ms);
        at(now_ms_ + phase.steps * latency_ms, Event::Kind::flows_begin, index);
    }

    void begin_flows(std::uint32_t index) {
        Transfer& transfer = transfers_[index];
        for (const FlowLoad& flow : load(index)[transfer.phase].flows) {
            const double bytes = flow.bytes * transfer.factor;
            if (bytes <= 0) continue;
            moving_.begin(now_ms_, network_.route(flow.from, flow.to), bytes, index);
            ++transfer.moving;
        }
        if (transfer.moving == 0) end_phase(index);
    }

    void end_phase(std::uint32_t index) {
        ++transfers_[index].phase;
        begin_phase(index);
    }

    void end_transfer(std::uint32_t index) {
        const double took_ms = now_ms_ - transfers_[index].began_ms;
        if (index < flows_.messages.size()) {
            const std::uint32_t dependency = flows_.messages[index].dependency;
            times_.delay_ms[dependency] = took_ms;
            return arrive(dependency);
        }
        const NodeIndex member = flows_.collectives[index - flows_.messages.size()].member;
        const std::uint32_t rendezvous = graph_.rendezvous_of(member);
        const std::span<const NodeIndex> members =
            rendezvous == no_rendezvous ? std::span<const NodeIndex>(&member, 1) : graph_.members(rendezvous);
        for (const NodeIndex of : members) {
            times_.ms[of] = took_ms;
            end(of);
        }
    }

    const StepGraph& graph_;
    const LinkNetwork& network_;
    const StepFlows& flows_;
    FlowTimes& times_;
    MovingFlows moving_;
    std::vector<Transfer> transfers_;
    std::vector<std::uint32_t> first_, followers_, node_of_, waits_, absent_, message_of_, collective_of_;
    std::vector<NodeIndex> ready_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::uint64_t count_ = 0;
    double now_ms_ = 0;
};

}  // namespace

FlowTimes run_flows(const StepGraph& graph, const LinkNetwork& network, const StepFlows& flows,
                    std::span<const double> ms, std::span<const double> delay_ms,
                    std::span<const double> message_factor, std::span<const double> collective_factor) {
    FlowTimes times{{ms.begin(), ms.end()}, {delay_ms.begin(), delay_ms.end()}, 0};
    Run(graph, network, flows, times, message_factor, collective_factor).run();
    return times;
}

}  // namespace overlap::job
