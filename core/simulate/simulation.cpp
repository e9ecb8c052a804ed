#include "core/simulate/simulation.h"

#include <algorithm>
#include <optional>

#include "core/cost/control_deps.h"
#include "core/simulate/exposure.h"

namespace overlap {

namespace {

/// Streams and their clocks while the nodes of a graph pass by.
class StreamModel {
  public:
    StreamModel(const Graph& graph, std::span<const double> times_ms, const SimulationOptions& options)
        : graph_(graph), times_ms_(times_ms), launch_ms_(options.launch_us / 1e3), wrapped_(wrapped_operations(graph)) {
        result_.nodes.resize(graph.node_count());
        result_.collective_of_node.assign(graph.node_count(), -1);
        is_wait_.resize(graph.node_count());
    }

    void run(const std::stop_token& stop) {
        constexpr NodeId nodes_between_checks = 4096;
        auto wrapped = wrapped_.begin();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (node % nodes_between_checks == 0 && stop.stop_requested()) return;
            const NodeOp op = graph_.op(node);
            if (op == NodeOp::placeholder || op == NodeOp::get_attr || op == NodeOp::output) {
                compute(node);
                continue;
            }
            host_ms_ += launch_ms_;
            if (wrapped != wrapped_.end() && wrapped->node == node) {
                constexpr std::size_t first = WrappedOperation::first_argument;
                step(node, wrapped->starts, wrapped->is_wait, wrapped->process_group, first);
                ++wrapped;
            } else if (op == NodeOp::call_function) {
                const TargetInfo& info = graph_.target_info(node);
                step(node, info.starts, info.is_wait, {}, 0);
            } else {
                compute(node);
            }
        }
        if (result_.nodes.empty()) return;
        for (const GroupStream& stream : streams_) result_.step_ms = std::max(result_.step_ms, stream.free_ms);
        result_.step_ms = std::max(result_.step_ms, compute_free_ms_);
        find_causes(graph_, times_ms_, previous_on_stream_, is_wait_, result_);
    }

    Simulation take() { return std::move(result_); }

  private:
    struct GroupStream {
        double free_ms = 0;
        std::int32_t last_collective = -1;
    };

    void step(NodeId node, CollectiveKind starts, bool is_wait, std::string_view wrapped_group, std::size_t first) {
        if (starts != CollectiveKind::none) {
            communicate(node, starts, first == 0 ? graph_.group_name(node) : wrapped_group, first);
        } else if (const std::int32_t awaited = is_wait ? awaited_collective(node, first) : -1; awaited >= 0) {
            wait(node, result_.collectives[static_cast<std::size_t>(awaited)]);
        } else {
            compute(node);
        }
    }

    void compute(NodeId node) {
        const double start_ms = std::max(compute_free_ms_, host_ms_);
        result_.nodes[node] = {start_ms, start_ms + times_ms_[node]};
        result_.compute_ms += times_ms_[node];
        // What takes no time leaves no trace on the stream, wherever the host has got to.
        if (times_ms_[node] > 0) compute_free_ms_ = start_ms + times_ms_[node];
    }

    void communicate(NodeId node, CollectiveKind kind, std::string_view group_name, std::size_t first) {
        CollectiveTiming collective;
        collective.start = node;
        collective.kind = kind;
        collective.group = group_index(group_name);
        collective.bytes = std::max(argument_bytes(node, first), graph_.output_bytes(node));
        collective.issue_ms = host_ms_;
        collective.ready_ms = compute_free_ms_;
        GroupStream& stream = streams_[collective.group];
        collective.start_ms = std::max({host_ms_, stream.free_ms, compute_free_ms_});
        collective.end_ms = collective.start_ms + times_ms_[node];
        const auto index = static_cast<std::int32_t>(result_.collectives.size());
        previous_on_stream_.push_back(stream.last_collective);
        stream = {collective.end_ms, index};
        GroupTiming& group = result_.groups[collective.group];
        group.comm_ms += times_ms_[node];
        ++group.collectives;
        result_.nodes[node] = {collective.start_ms, collective.end_ms};
        result_.collective_of_node[node] = index;
        result_.collectives.push_back(collective);
    }

    void wait(NodeId node, CollectiveTiming& collective) {
        const double arrived_ms = std::max(compute_free_ms_, host_ms_);
        const double released_ms = std::max(arrived_ms, collective.end_ms);
        result_.nodes[node] = {arrived_ms, released_ms};
        compute_free_ms_ = released_ms;
        is_wait_[node] = true;
        if (collective.wait != no_node) return;
        collective.wait = node;
        collective.exposed_ms = released_ms - arrived_ms;
        result_.exposed_ms += collective.exposed_ms;
        result_.groups[collective.group].exposed_ms += collective.exposed_ms;
    }

    /// The collective that a wait awaits, through at most one getitem; -1 when there is none in this graph.
    std::int32_t awaited_collective(NodeId wait, std::size_t first) const {
        const Value* awaited = graph_.argument(wait, first);
        if (!awaited || !awaited->is(ValueKind::node)) return -1;
        NodeId source = awaited->node;
        if (graph_.target_info(source).is_getitem) {
            awaited = graph_.argument(source, 0);
            if (!awaited || !awaited->is(ValueKind::node)) return -1;
            source = awaited->node;
        }
        return result_.collective_of_node[source];
    }

    std::int64_t argument_bytes(NodeId node, std::size_t index) const {
        const Value* input = graph_.argument(node, index);
        std::int64_t bytes = 0;
        if (input) for_each_node(graph_.values(), *input, [&](NodeId source) { bytes += graph_.output_bytes(source); });
        return bytes;
    }

    std::uint32_t group_index(std::string_view name) {
        for (std::uint32_t index = 0; index < result_.groups.size(); ++index) {
            if (result_.groups[index].process_group == name) return index;
        }
        GroupTiming group;
        group.process_group = name;
        result_.groups.push_back(std::move(group));
        streams_.emplace_back();
        return static_cast<std::uint32_t>(result_.groups.size() - 1);
    }

    const Graph& graph_;
    std::span<const double> times_ms_;
    double launch_ms_;
    std::vector<WrappedOperation> wrapped_;
    double host_ms_ = 0;
    double compute_free_ms_ = 0;
    std::vector<GroupStream> streams_;
    std::vector<std::int32_t> previous_on_stream_;
    std::vector<bool> is_wait_;
    Simulation result_;
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
