#include "core/run/program.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/cost/control_deps.h"
#include "core/graph/error.h"
#include "core/graph/quote.h"

namespace overlap {

namespace {

std::string place_of(const Graph& graph, NodeId node) {
    return "node " + in_quotes(graph.name(node));
}

/// What of a node counts: its own operator, or the one that a control_deps wraps.
struct Operation {
    NodeId node = no_node;
    ComputeClass compute_class = ComputeClass::nothing;
    CollectiveKind starts = CollectiveKind::none;
    bool is_wait = false;
    FlopFormula formula = FlopFormula::none;
    std::string_view group;
    std::size_t first_argument = 0;
};

Operation operation_of(const Graph& graph, NodeId node) {
    Operation operation;
    operation.node = node;
    if (graph.op(node) != NodeOp::call_function) return operation;
    const TargetInfo& info = graph.target_info(node);
    operation.compute_class = compute_class(graph, node);
    operation.starts = info.starts;
    operation.is_wait = info.is_wait;
    operation.formula = flop_formula(graph.target(node));
    operation.group = graph.group_name(node);
    return operation;
}

Operation operation_of(const WrappedOperation& wrapped) {
    Operation operation;
    operation.node = wrapped.node;
    operation.starts = wrapped.starts;
    operation.is_wait = wrapped.is_wait;
    operation.formula = wrapped.formula;
    operation.group = wrapped.process_group;
    operation.first_argument = WrappedOperation::first_argument;
    if (wrapped.starts != CollectiveKind::none) {
        operation.compute_class = ComputeClass::communication;
    } else if (!wrapped.is_wait) {
        operation.compute_class = compute_class(wrapped.formula);
    }
    return operation;
}

class ProgramMaker {
  public:
    explicit ProgramMaker(const Graph& graph) : graph_(graph), collective_of_node_(graph.node_count(), -1) {}

    Program make() {
        const std::vector<WrappedOperation> wrapped = wrapped_operations(graph_);
        auto next_wrapped = wrapped.begin();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const bool wraps = next_wrapped != wrapped.end() && next_wrapped->node == node;
            add(wraps ? operation_of(*next_wrapped) : operation_of(graph_, node));
            if (wraps) ++next_wrapped;
        }
        const auto end = static_cast<std::uint32_t>(program_.commands.size());
        for (CollectiveWork& collective : program_.collectives) {
            if (collective.awaited_at == 0) collective.awaited_at = end;
        }
        return std::move(program_);
    }

  private:
    void add(const Operation& operation) {
        if (operation.compute_class == ComputeClass::communication) {
            add_collective(operation);
        } else if (operation.is_wait) {
            add_wait(operation);
        } else if (operation.compute_class != ComputeClass::nothing && returns_tensor(operation.node)) {
            add_compute(operation);
        }
    }

    void add_command(Command::Kind kind, std::size_t index, NodeId node) {
        program_.commands.push_back({kind, static_cast<std::uint32_t>(index), node});
    }

    void add_compute(const Operation& operation) {
        ComputeWork work;
        work.node = operation.node;
        work.compute_class = operation.compute_class;
        work.written_bytes = graph_.output_bytes(operation.node);
        const std::span<const Value> arguments = graph_.children(graph_.record(operation.node).args);
        for (std::size_t index = operation.first_argument; index < arguments.size(); ++index) {
            work.read_bytes += bytes_of(arguments[index]);
        }
        work.read_bytes += bytes_of(graph_.record(operation.node).kwargs);
        if (operation.formula != FlopFormula::none) {
            work.flops = count_flops(graph_, operation.node, operation.formula, operation.first_argument);
        }
        if (work.compute_class == ComputeClass::matrix_multiply) work.product = product_of(operation);
        add_command(Command::Kind::compute, program_.compute.size(), operation.node);
        program_.compute.push_back(work);
    }

    /// Shapes were checked by count_flops().
    MatrixProduct product_of(const Operation& operation) const {
        const std::size_t bias = operation.formula == FlopFormula::matrix_multiply_add ? 1 : 0;
        const TensorMeta& left = *tensor_argument(operation.node, operation.first_argument + bias);
        const std::span<const std::int64_t> left_sizes = graph_.shape(left);
        const std::span<const std::int64_t> right_sizes =
            graph_.shape(*tensor_argument(operation.node, operation.first_argument + bias + 1));
        MatrixProduct product;
        product.batch = left_sizes.size() == 3 ? left_sizes[0] : 1;
        product.rows = left_sizes[left_sizes.size() - 2];
        product.inner = left_sizes.back();
        product.columns = right_sizes.back();
        product.dtype = left.dtype;
        return product;
    }

    void add_collective(const Operation& operation) {
        CollectiveWork work;
        work.node = operation.node;
        work.kind = operation.starts;
        if (work.kind == CollectiveKind::point_to_point || work.kind == CollectiveKind::none) {
            throw InputError(place_of(graph_, operation.node),
                             std::string(graph_.target(operation.node)) + " is no collective that can be run");
        }
        work.group = group_index(operation);
        work.reduction = reduction_of(operation);
        add_messages(operation, work);
        collective_of_node_[operation.node] = static_cast<std::int32_t>(program_.collectives.size());
        add_command(Command::Kind::collective, program_.collectives.size(), operation.node);
        program_.collectives.push_back(std::move(work));
    }

    /// Inputs in the order of the first argument, outputs in the order of the node's; a coalesced collective has as
    /// many of both.
    void add_messages(const Operation& operation, CollectiveWork& work) const {
        std::vector<const TensorMeta*> inputs;
        if (const Value* argument = input_of(operation)) {
            for_each_node(graph_.values(), *argument, [&](NodeId source) {
                const std::span<const TensorMeta> outputs = graph_.outputs(source);
                if (!outputs.empty() && outputs[0].is_tensor) inputs.push_back(&outputs[0]);
            });
        }
        const std::span<const TensorMeta> outputs = graph_.outputs(operation.node);
        if (inputs.empty() || inputs.size() != outputs.size()) {
            throw InputError(place_of(graph_, operation.node),
                             "it takes " + std::to_string(inputs.size()) + " tensors and returns " +
                                 std::to_string(outputs.size()) + ", expected as many of both and one at least");
        }
        std::int64_t input_bytes = 0;
        for (std::size_t index = 0; index < inputs.size(); ++index) {
            work.messages.push_back(
                {graph_.element_count(*inputs[index]), graph_.element_count(outputs[index]), inputs[index]->dtype});
            input_bytes += graph_.tensor_bytes(*inputs[index]);
        }
        work.bytes = std::max(input_bytes, graph_.output_bytes(operation.node));
    }

    const Value* input_of(const Operation& operation) const {
        if (const Value* argument = graph_.argument(operation.node, operation.first_argument)) return argument;
        if (const Value* argument = graph_.keyword(operation.node, "input")) return argument;
        return graph_.keyword(operation.node, "inputs");
    }

    std::string reduction_of(const Operation& operation) const {
        if (operation.starts != CollectiveKind::all_reduce && operation.starts != CollectiveKind::reduce_scatter) {
            return {};
        }
        const Value* argument = graph_.argument(operation.node, operation.first_argument + 1);
        if (!argument) argument = graph_.keyword(operation.node, "reduce_op");
        return argument && argument->is(ValueKind::string) ? std::string(graph_.text(argument->string)) : "sum";
    }

    void add_wait(const Operation& operation) {
        const Value* awaited = graph_.argument(operation.node, operation.first_argument);
        if (!awaited || !awaited->is(ValueKind::node)) return;
        NodeId source = awaited->node;
        if (graph_.target_info(source).is_getitem) {
            awaited = graph_.argument(source, 0);
            if (!awaited || !awaited->is(ValueKind::node)) return;
            source = awaited->node;
        }
        const std::int32_t collective = collective_of_node_[source];
        if (collective < 0) return;
        CollectiveWork& work = program_.collectives[static_cast<std::size_t>(collective)];
        if (work.awaited_at == 0) work.awaited_at = static_cast<std::uint32_t>(program_.commands.size());
        add_command(Command::Kind::wait, static_cast<std::size_t>(collective), operation.node);
    }

    std::uint32_t group_index(const Operation& operation) {
        for (std::uint32_t index = 0; index < program_.groups.size(); ++index) {
            if (program_.groups[index].name == operation.group) return index;
        }
        const ProcessGroup* group = graph_.header().process_group(operation.group);
        if (!group || group->ranks.empty()) {
            throw InputError(place_of(graph_, operation.node),
                             "its process group " + in_quotes(operation.group) + " is not described in process_groups");
        }
        program_.groups.push_back(*group);
        return static_cast<std::uint32_t>(program_.groups.size() - 1);
    }

    bool returns_tensor(NodeId node) const {
        const std::span<const TensorMeta> outputs = graph_.outputs(node);
        return std::any_of(outputs.begin(), outputs.end(), [](const TensorMeta& output) { return output.is_tensor; });
    }

    const TensorMeta* tensor_argument(NodeId node, std::size_t index) const {
        const Value* argument = graph_.argument(node, index);
        return argument && argument->is(ValueKind::node) ? &graph_.outputs(argument->node)[0] : nullptr;
    }

    std::int64_t bytes_of(const Value& value) const {
        std::int64_t bytes = 0;
        for_each_node(graph_.values(), value, [&](NodeId source) { bytes += graph_.output_bytes(source); });
        return bytes;
    }

    const Graph& graph_;
    std::vector<std::int32_t> collective_of_node_;
    Program program_;
};

}  // namespace

std::string_view command_kind_name(Command::Kind kind) {
    switch (kind) {
        case Command::Kind::compute:
            return "compute";
        case Command::Kind::collective:
            return "collective";
        case Command::Kind::wait:
            return "wait";
    }
    return "compute";
}

Program make_program(const Graph& graph) {
    return ProgramMaker(graph).make();
}

}  // namespace overlap
