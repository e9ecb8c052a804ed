#include "core/simulate/contention.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/cost/cost_model.h"
#include "core/cost/stream_steps.h"
#include "core/simulate/activity.h"
#include "core/simulate/simulation_totals.h"

namespace overlap {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

void check_factor(double factor, std::string_view name) {
    if (std::isfinite(factor) && factor >= 0) return;
    throw InputError("contention", std::string(name) + " is " + std::to_string(factor) +
                                       ", expected a finite number that is not negative");
}

constexpr std::string_view copy_engine_operators = "symm_mem._low_contention_";

/// The link of each group; groups that share one have the same number.
std::vector<std::uint32_t> links_of(const StreamSteps& steps, const Contention& contention) {
    std::map<std::string_view, std::uint32_t> shared;
    for (std::uint32_t link = 0; link < contention.shared_links.size(); ++link) {
        for (const std::string& group : contention.shared_links[link]) {
            if (!shared.emplace(group, link).second) {
                throw InputError("contention, shared_links",
                                 "process group " + in_quotes(group) + " stands there twice");
            }
        }
    }
    auto next = static_cast<std::uint32_t>(contention.shared_links.size());
    std::vector<std::uint32_t> links;
    for (const std::string& group : steps.groups) {
        const auto found = shared.find(group);
        links.push_back(found == shared.end() ? next++ : found->second);
    }
    return links;
}

/// Events in the order of time: a start, an end, or a change of rates is one.
class FluidModel {
  public:
    FluidModel(const Graph& graph, std::span<const double> times_ms, const Contention& contention,
               const SimulationOptions& options)
        : graph_(graph),
          times_ms_(times_ms),
          contention_(contention),
          launch_ms_(options.launch_us / 1e3),
          steps_(stream_steps(graph)),
          classes_(compute_classes(graph)),
          streams_(steps_.groups.size()),
          links_(links_of(steps_, contention)),
          transferring_on_link_(steps_.groups.size() + contention.shared_links.size()) {
        result_.simulation = untimed_simulation(graph, steps_);
        result_.times_ms.assign(times_ms.begin(), times_ms.end());
        ended_.resize(steps_.collectives.size());
        by_copy_engines_.reserve(steps_.collectives.size());
        for (const IssuedCollective& collective : steps_.collectives)
            by_copy_engines_.push_back(graph.target(collective.node).starts_with(copy_engine_operators));
    }

    void run(const std::stop_token& stop) {
        constexpr std::uint32_t events_between_checks = 4096;
        for (std::uint32_t event = 0;; ++event) {
            if (event % events_between_checks == 0 && stop.stop_requested()) return;
            while (start_what_can()) {
            }
            set_rates();
            const double next_ms = next_event_ms();
            if (next_ms == never) break;
            now_ms_ = next_ms;
            end_what_is_done();
        }
        finish_simulation(graph_, steps_, result_.times_ms, result_.simulation);
    }

    ContendedSimulation take() { return std::move(result_); }

  private:
    struct GroupStream {
        std::deque<std::uint32_t> queue;  ///< collectives that were issued and wait, in order
        double free_ms = 0;
        std::int32_t current = -1;
        bool transferring = false;  ///< the latency of `current` is over
        Activity activity;
    };

    Simulation& simulation() { return result_.simulation; }

    /// Takes what the present time allows; true when something happened, after which more may be possible.
    bool start_what_can() {
        bool progress = follow_host();
        for (GroupStream& stream : streams_) progress = begin_collective(stream) || progress;
        return progress;
    }

    /// Goes through the nodes until compute is busy, has to wait, or the host has not come that far.
    bool follow_host() {
        const NodeId before = next_;
        while (next_ < graph_.node_count() && !compute_.running()) {
            if (!follow(next_)) break;
            ++next_;
        }
        return next_ != before;
    }

    /// @returns false when the node cannot be passed at the present time.
    bool follow(NodeId node) {
        const StreamStep& step = steps_.of_node[node];
        const double host_ms = step.kind == StreamStep::Kind::given ? host_ms_ : host_ms_ + launch_ms_;
        const double reached_ms = std::max(compute_free_ms_, host_ms);
        switch (step.kind) {
            case StreamStep::Kind::given:
            case StreamStep::Kind::compute:
                if (times_ms_[node] > 0) {
                    if (reached_ms > now_ms_) return pending(reached_ms);
                    compute_.begin(reached_ms, times_ms_[node], 1);
                    computing_ = node;
                }
                simulation().nodes[node] = {reached_ms, reached_ms};
                break;
            case StreamStep::Kind::collective: {
                CollectiveTiming& collective = simulation().collectives[step.collective];
                collective.issue_ms = host_ms;
                collective.ready_ms = compute_free_ms_;
                streams_[collective.group].queue.push_back(step.collective);
                break;
            }
            case StreamStep::Kind::wait:
                if (!ended_[step.collective]) return false;
                compute_free_ms_ = std::max(reached_ms, simulation().collectives[step.collective].end_ms);
                simulation().nodes[node] = {reached_ms, compute_free_ms_};
                result_.times_ms[node] = 0;
                break;
            case StreamStep::Kind::transfer: {
                TransferTiming& transfer = simulation().transfers[step.collective];
                transfer.start_ms = std::max({host_ms, transfers_free_ms_, compute_free_ms_});
                transfer.end_ms = transfers_free_ms_ = transfer.start_ms + times_ms_[node];
                simulation().nodes[node] = {transfer.start_ms, transfer.end_ms};
                break;
            }
            case StreamStep::Kind::transfer_wait:
                compute_free_ms_ = std::max(reached_ms, simulation().transfers[step.collective].end_ms);
                simulation().nodes[node] = {reached_ms, compute_free_ms_};
                result_.times_ms[node] = 0;
                break;
        }
        host_ms_ = host_ms;
        return true;
    }

    bool pending(double at_ms) {
        compute_pending_ms_ = at_ms;
        return false;
    }

    bool begin_collective(GroupStream& stream) {
        if (stream.current >= 0 || stream.queue.empty()) return false;
        const std::uint32_t index = stream.queue.front();
        CollectiveTiming& collective = simulation().collectives[index];
        const double start_ms = std::max({collective.issue_ms, stream.free_ms, collective.ready_ms});
        if (start_ms > now_ms_) return false;
        stream.queue.pop_front();
        stream.current = static_cast<std::int32_t>(index);
        collective.start_ms = start_ms;
        const double latency_ms = std::min(latency_of(collective), times_ms_[collective.start]);
        if (latency_ms > 0) {
            stream.activity.begin(start_ms, latency_ms, 1);
        } else {
            begin_transfer(stream, start_ms, times_ms_[collective.start]);
        }
        return true;
    }

    void begin_transfer(GroupStream& stream, double start_ms, double work_ms) {
        stream.transferring = true;
        ++transferring_on_link_[link_of(stream)];
        stream.activity.begin(start_ms, work_ms, 1);
    }

    std::uint32_t link_of(const GroupStream& stream) const {
        return links_[static_cast<std::size_t>(&stream - streams_.data())];
    }

    double latency_of(const CollectiveTiming& collective) const {
        if (!graph_.header().cost) return 0;
        const CostParameters::Link* link = graph_.header().cost->link(steps_.groups[collective.group]);
        return link ? collective_latency_ms(*link, collective.kind, collective.bytes) : 0;
    }

    /// Links are shared evenly, compute takes its part of a transfer, and then transfers theirs of compute.
    void set_rates() {
        const double under_compute = compute_.running() ? 1 / (1 + contention_.communication_slowdown) : 1;
        // Copies go through memory alike, but leave multiprocessors alone.
        const bool needs_multiprocessors = compute_.running() && classes_[computing_] != ComputeClass::memory;
        double load = 0;
        for (GroupStream& stream : streams_) {
            if (!stream.transferring) continue;
            const double rate = under_compute / transferring_on_link_[link_of(stream)];
            change_transfer(stream, rate);
            const bool copied = by_copy_engines_[static_cast<std::size_t>(stream.current)];
            load += copied && needs_multiprocessors ? rate * copy_engine_share : rate;
        }
        if (!compute_.running()) return;
        compute_.set_rate(now_ms_, 1 / (1 + contention_.slowdown_of(classes_[computing_]) * load));
    }

    void change_transfer(GroupStream& stream, double rate) {
        const TransferSegment segment = segment_of(stream);
        if (stream.activity.set_rate(now_ms_, rate)) add(segment);
    }

    /// What `stream` has moved at its present rate.
    TransferSegment segment_of(const GroupStream& stream) const {
        return {static_cast<std::uint32_t>(stream.current), stream.activity.since_ms(), now_ms_,
                stream.activity.rate()};
    }

    void add(const TransferSegment& segment) {
        if (segment.end_ms > segment.start_ms) result_.transfers.push_back(segment);
    }

    double next_event_ms() {
        double next_ms = compute_.running() ? compute_.end_ms() : never;
        if (!compute_.running() && compute_pending_ms_ > now_ms_) next_ms = compute_pending_ms_;
        for (const GroupStream& stream : streams_) {
            if (stream.current >= 0) {
                next_ms = std::min(next_ms, stream.activity.end_ms());
            } else if (!stream.queue.empty()) {
                const CollectiveTiming& collective = simulation().collectives[stream.queue.front()];
                next_ms = std::min(next_ms, std::max({collective.issue_ms, stream.free_ms, collective.ready_ms}));
            }
        }
        return next_ms;
    }

    void end_what_is_done() {
        if (compute_.running() && compute_.end_ms() <= now_ms_) {
            compute_.finish();
            NodeTiming& timing = simulation().nodes[computing_];
            timing.end_ms = compute_.end_ms();
            // Equal to the last bit where nothing slowed it.
            if (timing.end_ms != timing.start_ms + times_ms_[computing_]) {
                result_.times_ms[computing_] = timing.end_ms - timing.start_ms;
            }
            compute_free_ms_ = timing.end_ms;
        }
        for (GroupStream& stream : streams_) {
            if (stream.current >= 0 && stream.activity.end_ms() <= now_ms_) end_phase(stream);
        }
    }

    void end_phase(GroupStream& stream) {
        const auto index = static_cast<std::uint32_t>(stream.current);
        CollectiveTiming& collective = simulation().collectives[index];
        if (!stream.transferring) {
            const double rest_ms = times_ms_[collective.start] - (now_ms_ - collective.start_ms);
            if (rest_ms > 0) return begin_transfer(stream, now_ms_, rest_ms);
        } else {
            add(segment_of(stream));
            --transferring_on_link_[link_of(stream)];
        }
        collective.end_ms = now_ms_;
        simulation().nodes[collective.start] = {collective.start_ms, collective.end_ms};
        result_.times_ms[collective.start] = collective.end_ms - collective.start_ms;
        ended_[index] = true;
        stream.free_ms = now_ms_;
        stream.current = -1;
        stream.transferring = false;
        stream.activity.finish();
    }

    const Graph& graph_;
    std::span<const double> times_ms_;
    const Contention& contention_;
    double launch_ms_;
    StreamSteps steps_;
    std::vector<ComputeClass> classes_;
    std::vector<GroupStream> streams_;
    std::vector<std::uint32_t> links_;
    std::vector<std::uint32_t> transferring_on_link_;
    std::vector<bool> ended_, by_copy_engines_;  ///< by collective
    ContendedSimulation result_;

    double now_ms_ = 0, host_ms_ = 0, compute_free_ms_ = 0;
    double transfers_free_ms_ = 0;   ///< of copies between device and host, which nothing slows
    double compute_pending_ms_ = 0;  ///< when compute can begin what comes next, if the host is behind
    NodeId next_ = 0, computing_ = no_node;
    Activity compute_;
};

}  // namespace

bool Contention::none() const {
    const auto shared = [](const std::vector<std::string>& groups) { return groups.size() > 1; };
    return communication_slowdown == 0 && std::ranges::none_of(shared_links, shared) &&
           std::all_of(compute_slowdown.begin(), compute_slowdown.end(), [](double factor) { return factor == 0; });
}

Contention contention_of(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    if (!cost || !cost->contention) {
        throw InputError("cost_model", std::string(cost ? "it has no factors of contention" : "the graph has none") +
                                           "; a calibration gives them");
    }
    Contention contention;
    for (const auto& [name, slowdown] : cost->contention->compute_slowdown) {
        const std::optional<ComputeClass> known = compute_class_by_name(name);
        if (!known) {
            throw InputError(
                "cost_model.contention.compute_slowdown",
                "there is no class of compute " + in_quotes(name) + suggest_names(name, compute_class_names()));
        }
        contention.compute_slowdown[static_cast<std::size_t>(*known)] = slowdown;
    }
    contention.communication_slowdown = cost->contention->communication_slowdown;
    contention.shared_links = cost->contention->shared_links;
    return contention;
}

ContendedSimulation simulate_with_contention(const Graph& graph, std::span<const double> times_ms,
                                             const Contention& contention, const SimulationOptions& options,
                                             std::stop_token stop) {
    for (std::size_t index = 0; index < contention.compute_slowdown.size(); ++index) {
        check_factor(contention.compute_slowdown[index], compute_class_name(static_cast<ComputeClass>(index)));
    }
    check_factor(contention.communication_slowdown, "communication_slowdown");
    FluidModel model(graph, times_ms, contention, options);
    model.run(stop);
    return model.take();
}

}  // namespace overlap
