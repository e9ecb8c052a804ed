#include "core/run/operands.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/cost/stream_steps.h"

namespace overlap {

namespace {

class OperandFinder {
  public:
    OperandFinder(const Graph& graph, const MemoryPlan& memory)
        : graph_(graph), memory_(memory), steps_(stream_steps(graph)) {}

    Operands of_compute(const ComputeWork& work) const {
        if (work.kernel) return of_kernel(work);
        const NodeId node = work.node;
        Operands operands;
        const std::span<const Value> arguments = graph_.children(graph_.record(node).args);
        for (std::size_t index = steps_.of_node[node].first_argument; index < arguments.size(); ++index) {
            add_inputs(arguments[index], operands);
        }
        const Value* written = graph_.keyword(node, "out");
        if (!written) add_inputs(graph_.record(node).kwargs, operands);
        add_outputs(node, operands.outputs);
        if (written) {
            for_each_node(graph_.values(), *written, [&](NodeId given) { add_outputs(given, operands.outputs); });
        }
        return operands;
    }

    Operands of_collective(NodeId node) const {
        Operands operands;
        const std::size_t first = steps_.of_node[node].first_argument;
        if (const Value* input = collective_input(graph_, node, first)) add_inputs(*input, operands);
        add_outputs(node, operands.outputs);
        return operands;
    }

    /// @throws InputError where the tensor is not in the pool as a whole.
    PoolSpan of_transfer(const TransferWork& work) const {
        Operands operands;
        if (work.to_host) {
            if (const Value* copied = graph_.argument(work.node, 0)) add_inputs(*copied, operands);
        } else {
            add_outputs(work.node, operands.inputs);
        }
        if (work.bytes == 0) return {};
        if (operands.inputs.empty() || operands.inputs.front().bytes < work.bytes) {
            throw InputError("node " + in_quotes(graph_.name(work.node)),
                             "the tensor that it copies is not in device memory as a whole");
        }
        return {operands.inputs.front().offset, work.bytes};
    }

    std::array<PoolSpan, attention_role_count> of_attention(const AttentionWork& work) const {
        std::array<PoolSpan, attention_role_count> spans{};
        for (std::size_t role = 0; role < spans.size(); ++role) {
            const AttentionPlace& place = work.places[role];
            if (place.node == no_node) continue;
            const std::uint32_t buffer = memory_.of_output[memory_.first_of_node[place.node] + place.output];
            if (buffer == MemoryPlan::no_buffer) continue;
            const TensorMeta& tensor = graph_.outputs(place.node)[place.output];
            const std::int64_t element = dtype_info(tensor.dtype).bytes;
            const std::int64_t start = tensor.storage_offset * element;
            const std::int64_t bytes = work.shape.tensors[role].extent() * element;
            const Buffer& memory = memory_.buffers[buffer];
            if (start >= 0 && start + bytes <= memory.bytes) spans[role] = {memory.offset + start, bytes};
        }
        return spans;
    }

  private:
    /// What the kernel reads, each tensor or part of it once, and what it writes. Of a product that starts from a sum:
    /// the other term, then the factors.
    Operands of_kernel(const ComputeWork& work) const {
        Operands operands;
        if (work.product.adds) {
            const NodeId product = work.kernel->members.front();
            for (const NodeId term : graph_.inputs(work.node)) {
                if (term != product) add_outputs(term, operands.inputs);
            }
            add_inputs(graph_.record(product).args, operands);
            add_outputs(work.node, operands.outputs);
            return operands;
        }
        for (const BufferRead& read : work.kernel->reads) add_read(read, operands.inputs);
        for (const BufferWrite& write : work.kernel->writes) {
            const std::size_t first = operands.outputs.size();
            add_outputs(write.node, operands.outputs);
            cut(operands.outputs, first, write.bytes);
        }
        return operands;
    }

    /// The tensors of the view that is read, or of the whole buffer where the view has none.
    void add_read(const BufferRead& read, std::vector<PoolSpan>& spans) const {
        const std::size_t first = spans.size();
        add_outputs(read.part, spans);
        if (spans.size() == first) add_outputs(read.node, spans);
        cut(spans, first, read.bytes);
    }

    /// From span `first` on no more than `bytes`: of a normalisation only the numbers of its rows are kept.
    static void cut(std::vector<PoolSpan>& spans, std::size_t first, std::int64_t bytes) {
        for (std::size_t index = first; index < spans.size(); ++index) {
            spans[index].bytes = std::min(spans[index].bytes, bytes);
            bytes -= spans[index].bytes;
        }
        while (spans.size() > first && spans.back().bytes == 0) spans.pop_back();
    }

    void add_inputs(const Value& value, Operands& operands) const {
        for_each_node(graph_.values(), value, [&](NodeId source) { add_outputs(source, operands.inputs); });
    }

    void add_outputs(NodeId node, std::vector<PoolSpan>& spans) const {
        const std::span<const TensorMeta> outputs = graph_.outputs(node);
        for (std::size_t index = 0; index < outputs.size(); ++index) {
            const std::uint32_t buffer = memory_.of_output[memory_.first_of_node[node] + index];
            if (buffer != MemoryPlan::no_buffer) spans.push_back(span_of(memory_.buffers[buffer], outputs[index]));
        }
    }

    PoolSpan span_of(const Buffer& buffer, const TensorMeta& tensor) const {
        const std::int64_t start =
            std::clamp<std::int64_t>(tensor.storage_offset * dtype_info(tensor.dtype).bytes, 0, buffer.bytes);
        return {buffer.offset + start, std::min(graph_.tensor_bytes(tensor), buffer.bytes - start)};
    }

    const Graph& graph_;
    const MemoryPlan& memory_;
    StreamSteps steps_;
};

}  // namespace

std::vector<PoolSpan> longest_spans(const std::vector<PoolSpan>& spans, std::size_t most) {
    if (spans.size() <= most) return spans;
    std::vector<std::size_t> places(spans.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t left, std::size_t right) { return spans[left].bytes > spans[right].bytes; });
    places.resize(most);
    std::sort(places.begin(), places.end());
    std::vector<PoolSpan> longest;
    for (const std::size_t place : places) longest.push_back(spans[place]);
    return longest;
}

ProgramOperands find_operands(const Graph& graph, const Program& program, const MemoryPlan& memory) {
    const OperandFinder finder(graph, memory);
    ProgramOperands operands;
    for (const ComputeWork& work : program.compute) operands.compute.push_back(finder.of_compute(work));
    for (const AttentionWork& work : program.attentions) operands.attentions.push_back(finder.of_attention(work));
    for (const CollectiveWork& work : program.collectives) {
        operands.collectives.push_back(finder.of_collective(work.node));
    }
    for (const TransferWork& work : program.transfers) operands.transfers.push_back(finder.of_transfer(work));
    return operands;
}

}  // namespace overlap
