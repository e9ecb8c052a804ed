#include "core/cost/stream_steps.h"

#include <algorithm>

#include "core/cost/control_deps.h"
#include "core/cost/host_transfers.h"

namespace overlap {

namespace {

class StepFinder {
  public:
    explicit StepFinder(const Graph& graph) : graph_(graph), wrapped_(wrapped_operations(graph)), transfers_(graph) {
        steps_.of_node.resize(graph.node_count());
    }

    StreamSteps find() {
        auto wrapped = wrapped_.begin();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const NodeOp op = graph_.op(node);
            if (op == NodeOp::placeholder || op == NodeOp::get_attr || op == NodeOp::output) {
                steps_.of_node[node].kind = StreamStep::Kind::given;
            } else if (wrapped != wrapped_.end() && wrapped->node == node) {
                steps_.of_node[node].first_argument = WrappedOperation::first_argument;
                add(node, wrapped->starts, wrapped->is_wait, wrapped->process_group);
                ++wrapped;
            } else if (transfers_.any() && transfers_.kind(node) != HostTransfers::Kind::none) {
                add_transfer(node, transfers_.kind(node));
            } else if (op == NodeOp::call_function) {
                const TargetInfo& info = graph_.target_info(node);
                const bool starts = info.starts != CollectiveKind::none;
                add(node, info.starts, info.is_wait, starts ? graph_.group_name(node) : std::string_view());
            }
        }
        return std::move(steps_);
    }

  private:
    void add(NodeId node, CollectiveKind starts, bool is_wait, std::string_view group) {
        StreamStep& step = steps_.of_node[node];
        if (starts != CollectiveKind::none) {
            step.kind = StreamStep::Kind::collective;
            step.collective = static_cast<std::uint32_t>(steps_.collectives.size());
            add_collective(node, starts, group, step.first_argument);
        } else if (is_wait) {
            const NodeId source = awaited(node, step.first_argument);
            if (source == no_node || steps_.of_node[source].kind != StreamStep::Kind::collective) return;
            step.kind = StreamStep::Kind::wait;
            step.collective = steps_.of_node[source].collective;
            IssuedCollective& collective = steps_.collectives[step.collective];
            if (collective.wait == no_node) collective.wait = node;
        }
    }

    void add_transfer(NodeId node, HostTransfers::Kind kind) {
        StreamStep& step = steps_.of_node[node];
        if (kind != HostTransfers::Kind::wait) {
            step.kind = StreamStep::Kind::transfer;
            step.collective = static_cast<std::uint32_t>(steps_.transfers.size());
            const bool to_host = kind == HostTransfers::Kind::to_host;
            steps_.transfers.push_back({node, no_node, to_host, graph_.output_bytes(node)});
            return;
        }
        const Value* argument = graph_.argument(node, 0);
        const NodeId source = argument && argument->is(ValueKind::node) ? argument->node : no_node;
        if (source == no_node || steps_.of_node[source].kind != StreamStep::Kind::transfer) return;
        step.kind = StreamStep::Kind::transfer_wait;
        step.collective = steps_.of_node[source].collective;
        NodeId& wait = steps_.transfers[step.collective].wait;
        if (wait == no_node) wait = node;
    }

    void add_collective(NodeId node, CollectiveKind kind, std::string_view group, std::size_t first_argument) {
        IssuedCollective collective;
        collective.node = node;
        collective.kind = kind;
        collective.group = group_index(group);
        collective.bytes = std::max(argument_bytes(node, first_argument), graph_.output_bytes(node));
        collective.previous = last_of_group_[collective.group];
        last_of_group_[collective.group] = static_cast<std::int32_t>(steps_.collectives.size());
        steps_.collectives.push_back(collective);
    }

    /// The node that a wait awaits, through at most one getitem; no_node where its argument is none.
    NodeId awaited(NodeId wait, std::size_t first_argument) const {
        const Value* argument = graph_.argument(wait, first_argument);
        if (!argument || !argument->is(ValueKind::node)) return no_node;
        if (!graph_.target_info(argument->node).is_getitem) return argument->node;
        argument = graph_.argument(argument->node, 0);
        return argument && argument->is(ValueKind::node) ? argument->node : no_node;
    }

    std::int64_t argument_bytes(NodeId node, std::size_t index) const {
        const Value* input = graph_.argument(node, index);
        std::int64_t bytes = 0;
        if (input) for_each_node(graph_.values(), *input, [&](NodeId source) { bytes += graph_.output_bytes(source); });
        return bytes;
    }

    std::uint32_t group_index(std::string_view name) {
        const auto known = std::find(steps_.groups.begin(), steps_.groups.end(), name);
        if (known != steps_.groups.end()) return static_cast<std::uint32_t>(known - steps_.groups.begin());
        steps_.groups.emplace_back(name);
        last_of_group_.push_back(-1);
        return static_cast<std::uint32_t>(steps_.groups.size() - 1);
    }

    const Graph& graph_;
    std::vector<WrappedOperation> wrapped_;
    HostTransfers transfers_;
    std::vector<std::int32_t> last_of_group_;
    StreamSteps steps_;
};

}  // namespace

StreamSteps stream_steps(const Graph& graph) {
    return StepFinder(graph).find();
}

}  // namespace overlap
