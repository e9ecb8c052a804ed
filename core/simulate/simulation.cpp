#include "core/simulate/simulation.h"

#include <algorithm>

#include "core/cost/stream_steps.h"
#include "core/simulate/simulation_totals.h"

namespace overlap {

namespace {

/// Streams and their clocks while the nodes of a graph pass by.
class StreamModel {
  public:
    StreamModel(const Graph& graph, std::span<const double> times_ms, const SimulationOptions& options)
        : graph_(graph),
          times_ms_(times_ms),
          launch_ms_(options.launch_us / 1e3),
          steps_(stream_steps(graph)),
          result_(untimed_simulation(graph, steps_)),
          stream_free_ms_(steps_.groups.size()) {}

    void run(const std::stop_token& stop) {
        constexpr NodeId nodes_between_checks = 4096;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (node % nodes_between_checks == 0 && stop.stop_requested()) return;
            const StreamStep& step = steps_.of_node[node];
            if (step.kind != StreamStep::Kind::given) host_ms_ += launch_ms_;
            switch (step.kind) {
                case StreamStep::Kind::given:
                case StreamStep::Kind::compute:
                    compute(node);
                    break;
                case StreamStep::Kind::collective:
                    communicate(node, result_.collectives[step.collective]);
                    break;
                case StreamStep::Kind::wait:
                    wait(node, result_.collectives[step.collective].end_ms);
                    break;
                case StreamStep::Kind::transfer:
                    transfer(node, result_.transfers[step.collective]);
                    break;
                case StreamStep::Kind::transfer_wait:
                    wait(node, result_.transfers[step.collective].end_ms);
                    break;
            }
        }
        finish_simulation(graph_, steps_, times_ms_, result_);
    }

    Simulation take() { return std::move(result_); }

  private:
    void compute(NodeId node) {
        const double start_ms = std::max(compute_free_ms_, host_ms_);
        result_.nodes[node] = {start_ms, start_ms + times_ms_[node]};
        // What takes no time leaves no trace on the stream, wherever the host has got to.
        if (times_ms_[node] > 0) compute_free_ms_ = start_ms + times_ms_[node];
    }

    void communicate(NodeId node, CollectiveTiming& collective) {
        double& free_ms = stream_free_ms_[collective.group];
        collective.issue_ms = host_ms_;
        collective.ready_ms = compute_free_ms_;
        collective.start_ms = std::max({host_ms_, free_ms, compute_free_ms_});
        collective.end_ms = collective.start_ms + times_ms_[node];
        free_ms = collective.end_ms;
        result_.nodes[node] = {collective.start_ms, collective.end_ms};
    }

    /// torch's stream of copies waits for what compute was given before.
    void transfer(NodeId node, TransferTiming& transfer) {
        transfer.start_ms = std::max({host_ms_, transfers_free_ms_, compute_free_ms_});
        transfer.end_ms = transfers_free_ms_ = transfer.start_ms + times_ms_[node];
        result_.nodes[node] = {transfer.start_ms, transfer.end_ms};
    }

    void wait(NodeId node, double end_ms) {
        const double arrived_ms = std::max(compute_free_ms_, host_ms_);
        compute_free_ms_ = std::max(arrived_ms, end_ms);
        result_.nodes[node] = {arrived_ms, compute_free_ms_};
    }

    const Graph& graph_;
    std::span<const double> times_ms_;
    double launch_ms_;
    StreamSteps steps_;
    Simulation result_;
    double host_ms_ = 0;
    double compute_free_ms_ = 0;
    double transfers_free_ms_ = 0;
    std::vector<double> stream_free_ms_;
};

}  // namespace

std::string_view exposure_cause_name(ExposureCause cause) {
    switch (cause) {
        case ExposureCause::none:
            return "none";
        case ExposureCause::producer_late:
            return "producer_late";
        case ExposureCause::window_too_short:
            return "window_too_short";
        case ExposureCause::group_busy:
            return "group_busy";
        case ExposureCause::order_of_issue:
            return "order_of_issue";
    }
    return "none";
}

Simulation simulate(const Graph& graph, std::span<const double> times_ms, const SimulationOptions& options,
                    std::stop_token stop) {
    StreamModel model(graph, times_ms, options);
    model.run(stop);
    return model.take();
}

}  // namespace overlap
