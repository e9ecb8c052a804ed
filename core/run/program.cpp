#include "core/run/program.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/cost/control_deps.h"
#include "core/cost/stream_steps.h"
#include "core/predict/kernel_operators.h"
#include "core/run/launched_kernels.h"
#include "core/run/product_scaling.h"

namespace overlap {

namespace {

std::string place_of(const Graph& graph, NodeId node) {
    return "node " + in_quotes(graph.name(node));
}

/// What a control_deps wraps, by its node; nullptr for other nodes.
class WrappedByNode {
  public:
    explicit WrappedByNode(const Graph& graph) : operations_(wrapped_operations(graph)) {}

    const WrappedOperation* find(NodeId node) const {
        const auto found =
            std::lower_bound(operations_.begin(), operations_.end(), node,
                             [](const WrappedOperation& operation, NodeId wanted) { return operation.node < wanted; });
        return found != operations_.end() && found->node == node ? &*found : nullptr;
    }

  private:
    std::vector<WrappedOperation> operations_;
};

class ProgramMaker {
  public:
    ProgramMaker(const Graph& graph, CompiledScope scope)
        : graph_(graph), wrapped_(graph), steps_(stream_steps(graph)), launched_(launched_kernels(graph, scope)) {
        program_.scope = scope;
        program_.unwritten = launched_.unwritten;
    }

    Program make() {
        add_groups();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const StreamStep& step = steps_.of_node[node];
            switch (step.kind) {
                case StreamStep::Kind::given:
                    break;
                case StreamStep::Kind::transfer:
                    add_transfer(steps_.transfers[step.collective]);
                    break;
                case StreamStep::Kind::transfer_wait:
                    add_wait(node, Command::Kind::transfer_wait, step.collective,
                             program_.transfers[step.collective].awaited_at);
                    break;
                case StreamStep::Kind::compute:
                    if (launched_.kernels.inlined[node]) break;
                    if (const FusedKernel* kernel = compiled_kernel(node)) {
                        if (kernel->place == node) add_kernel(*kernel);
                    } else {
                        add_compute(node, step.first_argument);
                    }
                    break;
                case StreamStep::Kind::collective:
                    add_collective(steps_.collectives[step.collective], step.first_argument);
                    break;
                case StreamStep::Kind::wait:
                    add_wait(node, Command::Kind::wait, step.collective,
                             program_.collectives[step.collective].awaited_at);
                    break;
            }
        }
        const auto end = static_cast<std::uint32_t>(program_.commands.size());
        for (CollectiveWork& collective : program_.collectives) {
            if (collective.awaited_at == 0) collective.awaited_at = end;
        }
        for (TransferWork& transfer : program_.transfers) {
            if (transfer.awaited_at == 0) transfer.awaited_at = end;
        }
        return std::move(program_);
    }

  private:
    /// The kernel of core/predict that computes the node; nullptr where the node is one of its own, as traced.
    const FusedKernel* compiled_kernel(NodeId node) const {
        const std::int32_t index = launched_.kernels.kernel_of_node[node];
        if (index < 0 || !launched_.compiled[static_cast<std::size_t>(index)]) return nullptr;
        return &launched_.kernels.kernels[static_cast<std::size_t>(index)];
    }

    /// One launch that reads and writes what the kernel does; or a product that starts from a sum.
    void add_kernel(const FusedKernel& kernel) {
        if (kernel.reads.empty() && kernel.writes.empty()) return;  // numbers that nothing reads
        ComputeWork work;
        work.node = kernel.place;
        work.read_bytes = kernel.bytes_read;
        work.written_bytes = kernel.bytes_written;
        work.kernel = KernelTensors{kernel.nodes, kernel.reads, kernel.writes};
        if (kernel.role == KernelRole::library) {
            const NodeId product = kernel.nodes.front();
            work.compute_class = compute_class(graph_, product);
            work.flops = count_flops(graph_, product, flop_formula(graph_.target(product)), 0);
            work.product = product_of(product, 0);
            work.product.adds = true;
        }
        add_command(Command::Kind::compute, program_.compute.size(), work.node);
        program_.compute.push_back(std::move(work));
    }

    /// What the node's kernel reads and writes: of an argument only the part that it needs, and nothing where memory is
    /// only allocated. @returns whether there is a kernel.
    bool set_bytes(NodeId node, ComputeWork& work) const {
        const std::int32_t index = launched_.kernels.kernel_of_node[node];
        if (index < 0) return false;
        const FusedKernel& kernel = launched_.kernels.kernels[static_cast<std::size_t>(index)];
        work.read_bytes = kernel.bytes_read;
        work.written_bytes = kernel.bytes_written;
        return true;
    }

    void add_command(Command::Kind kind, std::size_t index, NodeId node) {
        program_.commands.push_back({kind, static_cast<std::uint32_t>(index), node});
    }

    void add_groups() {
        for (std::uint32_t index = 0; index < steps_.groups.size(); ++index) {
            const ProcessGroup* group = graph_.header().process_group(steps_.groups[index]);
            if (group && !group->ranks.empty()) {
                check_ranks(*group);
                program_.groups.push_back(*group);
                continue;
            }
            const auto first = std::find_if(steps_.collectives.begin(), steps_.collectives.end(),
                                            [&](const IssuedCollective& issued) { return issued.group == index; });
            throw InputError(place_of(graph_, first->node), "its process group " + in_quotes(steps_.groups[index]) +
                                                                " is not described in process_groups");
        }
    }

    /// What the communication library would refuse, or wait for without end.
    void check_ranks(const ProcessGroup& group) const {
        const std::int64_t world_size = graph_.header().world_size.value_or(0);
        const auto refuse = [&](const std::string& problem) {
            throw InputError("process group " + in_quotes(group.name), problem);
        };
        std::vector<int> ranks = group.ranks;
        std::sort(ranks.begin(), ranks.end());
        if (ranks.front() < 0) refuse("it has the rank " + std::to_string(ranks.front()));
        if (world_size > 0 && ranks.back() >= world_size) {
            refuse("it has the rank " + std::to_string(ranks.back()) + ", and the job has the ranks 0 to " +
                   std::to_string(world_size - 1));
        }
        const auto twice = std::adjacent_find(ranks.begin(), ranks.end());
        if (twice != ranks.end()) refuse("it has the rank " + std::to_string(*twice) + " twice");
    }

    void add_compute(NodeId node, std::size_t first_argument) {
        const WrappedOperation* wrapped = wrapped_.find(node);
        const FlopFormula formula = wrapped ? wrapped->formula : flop_formula(graph_.target(node));
        ComputeWork work;
        work.node = node;
        work.compute_class = wrapped ? compute_class(formula) : compute_class(graph_, node);
        if (work.compute_class == ComputeClass::nothing) return;
        if (!returns_tensor(node) && !graph_.keyword(node, "out")) return;
        if (only_allocates(graph_, node)) return;
        if (wrapped || !set_bytes(node, work)) add_all_bytes(node, first_argument, work);
        if (formula != FlopFormula::none) work.flops = count_flops(graph_, node, formula, first_argument);
        if (is_product_of_experts(wrapped ? wrapped->operator_name : graph_.target(node))) {
            work.flops = flops_of_experts(node, first_argument);
            if (const auto product = product_of_experts(node, first_argument)) {
                work.product = *product;
                work.of_experts = true;
            }
        }
        if (work.compute_class == ComputeClass::matrix_multiply) {
            work.product = product_of(node, first_argument + (formula == FlopFormula::matrix_multiply_add ? 1 : 0));
            if (!wrapped) work.product.scaling = scaling_of(graph_, node);
        }
        // The arguments of a wrapped attention are not all there: its subgraph has the numbers.
        if (work.compute_class == ComputeClass::attention && !wrapped) {
            if (const auto attention = attention_of(graph_, node, graph_.target(node), first_argument)) {
                work.attention = static_cast<std::uint32_t>(program_.attentions.size());
                program_.attentions.push_back(*attention);
            }
        }
        add_command(Command::Kind::compute, program_.compute.size(), node);
        program_.compute.push_back(work);
    }

    /// Of what a control_deps wraps a graph does not have the arguments that are no tensors; what writes into tensors
    /// that it is given (`out`) returns none, and core/predict has no kernel for it.
    void add_all_bytes(NodeId node, std::size_t first_argument, ComputeWork& work) const {
        const Value* given = graph_.keyword(node, "out");
        work.written_bytes = graph_.output_bytes(node) + (given ? bytes_of(*given) : 0);
        if (!given) work.read_bytes += bytes_of(graph_.record(node).kwargs);
        const std::span<const Value> arguments = graph_.children(graph_.record(node).args);
        for (std::size_t index = first_argument; index < arguments.size(); ++index) {
            work.read_bytes += bytes_of(arguments[index]);
        }
    }

    /// Shapes were checked by count_flops().
    ProductShape product_of(NodeId node, std::size_t first_argument) const {
        const TensorMeta& left = *tensor_argument(node, first_argument);
        const TensorMeta& right = *tensor_argument(node, first_argument + 1);
        const std::span<const std::int64_t> left_sizes = graph_.shape(left);
        const std::span<const std::int64_t> right_sizes = graph_.shape(right);
        ProductShape product;
        product.batch = left_sizes.size() == 3 ? left_sizes[0] : 1;
        product.rows = left_sizes[left_sizes.size() - 2];
        product.inner = left_sizes.back();
        product.columns = right_sizes.back();
        product.dtype = left.dtype;
        product.left_transposed = is_transposed(left);
        product.right_transposed = is_transposed(right);
        return product;
    }

    /// Whether columns are what lies together in memory.
    bool is_transposed(const TensorMeta& matrix) const {
        const std::span<const std::int64_t> sizes = graph_.shape(matrix), strides = graph_.stride(matrix);
        const std::size_t last = sizes.size() - 1;
        return sizes[last] > 1 && sizes[last - 1] > 1 && strides[last] > 1 && strides[last - 1] == 1;
    }

    /// Several products in one node, one an expert. torch's flop counter does not count them, so cost models take such
    /// a node for one that moves bytes; a device has their work to do all the same.
    static bool is_product_of_experts(std::string_view operation) {
        return operation.find("grouped_mm") != std::string_view::npos;
    }

    /// As one product with a batch of experts. Rows are shared evenly: how many each expert has is known in a step
    /// only, and what is left over by the division is no work.
    std::optional<ProductShape> product_of_experts(NodeId node, std::size_t first_argument) const {
        const TensorMeta* left = tensor_argument(node, first_argument);
        const TensorMeta* right = tensor_argument(node, first_argument + 1);
        const TensorMeta* ends = tensor_argument(node, first_argument + 2);
        if (!left || !right || left->rank != 2 || right->rank < 2) return std::nullopt;
        const std::span<const std::int64_t> left_sizes = graph_.shape(*left), right_sizes = graph_.shape(*right);
        ProductShape product;
        product.batch = right->rank == 3 ? right_sizes[0] : ends && ends->rank == 1 ? graph_.shape(*ends)[0] : 0;
        if (product.batch < 1) return std::nullopt;
        product.rows = right->rank == 3 ? left_sizes[0] / product.batch : left_sizes[0];
        product.inner = right->rank == 3 ? left_sizes[1] : left_sizes[1] / product.batch;
        product.columns = right_sizes.back();
        product.dtype = left->dtype;
        product.left_transposed = is_transposed(*left);
        product.right_transposed = is_transposed(*right);
        if (product.rows < 1 || product.inner < 1 || product.columns < 1) return std::nullopt;
        return product;
    }

    /// Experts share the rows, or the inner dimension where both factors are matrices, so each is passed once.
    double flops_of_experts(NodeId node, std::size_t first_argument) const {
        const TensorMeta* left = tensor_argument(node, first_argument);
        const TensorMeta* right = tensor_argument(node, first_argument + 1);
        if (!left || !right || left->rank < 2 || right->rank < 2) return 0;
        const std::span<const TensorMeta> results = graph_.outputs(node);
        if (results.empty()) return 0;
        const auto inner = static_cast<double>(graph_.shape(*left).back());
        if (left->rank == 2 && right->rank == 2) {
            return 2 * static_cast<double>(graph_.element_count(*left)) *
                   static_cast<double>(graph_.shape(*right).back());
        }
        return 2 * static_cast<double>(graph_.element_count(results[0])) * inner;
    }

    void add_collective(const IssuedCollective& issued, std::size_t first_argument) {
        if (issued.kind == CollectiveKind::point_to_point) {
            throw InputError(place_of(graph_, issued.node),
                             std::string(graph_.target(issued.node)) + " is no collective that can be run");
        }
        CollectiveWork work;
        work.node = issued.node;
        work.kind = issued.kind;
        work.group = issued.group;
        work.bytes = issued.bytes;
        work.reduction = reduction_of(issued, first_argument);
        add_messages(first_argument, work);
        add_command(Command::Kind::collective, program_.collectives.size(), issued.node);
        program_.collectives.push_back(std::move(work));
    }

    /// Inputs in the order of the first argument, outputs in the order of the node's; a coalesced collective has as
    /// many of both.
    void add_messages(std::size_t first_argument, CollectiveWork& work) const {
        std::vector<const TensorMeta*> inputs;
        if (const Value* argument = collective_input(graph_, work.node, first_argument)) {
            for_each_node(graph_.values(), *argument, [&](NodeId source) {
                const std::span<const TensorMeta> outputs = graph_.outputs(source);
                if (!outputs.empty() && outputs[0].is_tensor) inputs.push_back(&outputs[0]);
            });
        }
        const std::span<const TensorMeta> outputs = graph_.outputs(work.node);
        if (inputs.empty() || inputs.size() != outputs.size()) {
            throw InputError(place_of(graph_, work.node), "it takes " + std::to_string(inputs.size()) +
                                                              " tensors and returns " + std::to_string(outputs.size()) +
                                                              ", expected as many of both and one at least");
        }
        for (std::size_t index = 0; index < inputs.size(); ++index) {
            work.messages.push_back(
                {graph_.element_count(*inputs[index]), graph_.element_count(outputs[index]), inputs[index]->dtype});
        }
    }

    std::string reduction_of(const IssuedCollective& issued, std::size_t first_argument) const {
        if (issued.kind != CollectiveKind::all_reduce && issued.kind != CollectiveKind::reduce_scatter) return {};
        const Value* argument = graph_.argument(issued.node, first_argument + 1);
        if (!argument) argument = graph_.keyword(issued.node, "reduce_op");
        return argument && argument->is(ValueKind::string) ? std::string(graph_.text(argument->string)) : "sum";
    }

    void add_transfer(const IssuedTransfer& issued) {
        TransferWork work;
        work.node = issued.node;
        work.to_host = issued.to_host;
        work.bytes = issued.bytes;
        const auto index = static_cast<std::uint32_t>(program_.transfers.size());
        work.source = issued.to_host ? index : source_of(issued.node);
        add_command(Command::Kind::transfer, index, issued.node);
        program_.transfers.push_back(work);
    }

    /// The copy to the host that leads to what a reload takes.
    std::uint32_t source_of(NodeId reload) const {
        const Value* argument = graph_.argument(reload, 0);
        if (argument && argument->is(ValueKind::node) && argument->node < reload) {
            const StreamStep& step = steps_.of_node[argument->node];
            const bool copies = step.kind == StreamStep::Kind::transfer || step.kind == StreamStep::Kind::transfer_wait;
            if (copies && program_.transfers[step.collective].to_host) return step.collective;
        }
        throw InputError(place_of(graph_, reload), "what it brings back was not copied to the host in this graph");
    }

    /// @param awaited_at of what is awaited: its first wait is kept.
    void add_wait(NodeId node, Command::Kind kind, std::uint32_t index, std::uint32_t& awaited_at) {
        if (awaited_at == 0) awaited_at = static_cast<std::uint32_t>(program_.commands.size());
        add_command(kind, index, node);
    }

    bool returns_tensor(NodeId node) const {
        const std::span<const TensorMeta> outputs = graph_.outputs(node);
        return std::any_of(outputs.begin(), outputs.end(), [](const TensorMeta& output) { return output.is_tensor; });
    }

    /// The first tensor of an argument; nullptr where it has none.
    const TensorMeta* tensor_argument(NodeId node, std::size_t index) const {
        const Value* argument = graph_.argument(node, index);
        if (!argument || !argument->is(ValueKind::node)) return nullptr;
        const std::span<const TensorMeta> outputs = graph_.outputs(argument->node);
        return outputs.empty() || !outputs[0].is_tensor ? nullptr : &outputs[0];
    }

    std::int64_t bytes_of(const Value& value) const {
        std::int64_t bytes = 0;
        for_each_node(graph_.values(), value, [&](NodeId source) { bytes += graph_.output_bytes(source); });
        return bytes;
    }

    const Graph& graph_;
    WrappedByNode wrapped_;
    StreamSteps steps_;
    LaunchedKernels launched_;
    Program program_;
};

}  // namespace

const Value* collective_input(const Graph& graph, NodeId node, std::size_t first_argument) {
    if (const Value* argument = graph.argument(node, first_argument)) return argument;
    if (const Value* argument = graph.keyword(node, "input")) return argument;
    return graph.keyword(node, "inputs");
}

Program make_program(const Graph& graph, CompiledScope scope) {
    return ProgramMaker(graph, scope).make();
}

std::vector<GroupTotals> totals_of(const Program& program) {
    std::vector<GroupTotals> totals(program.groups.size());
    for (const CollectiveWork& collective : program.collectives) {
        ++totals[collective.group].collectives;
        totals[collective.group].bytes += collective.bytes;
    }
    return totals;
}

}  // namespace overlap
