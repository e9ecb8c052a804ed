#include "core/predict/optimizer_step.h"

#include <string>

#include "core/base/error.h"
#include "core/cost/compute_class.h"
#include "core/graph/direction.h"

namespace overlap {
namespace {

/// Times that a gradient's bytes are moved: once by the norm, twice by scaling, seven times by AdamW.
constexpr std::int64_t passes_over_gradients = 10;
/// Adding a gradient to another reads both and writes one.
constexpr std::int64_t passes_to_add = 3;
constexpr double ms_per_s = 1e3;

bool has_backward(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (is_backward(graph, node)) return true;
    }
    return false;
}

bool is_gradient(const Graph& graph, NodeId node) {
    if (graph.op(node) != NodeOp::call_function || graph.outputs(node).size() != 1) return false;
    const TensorMeta& tensor = graph.outputs(node)[0];
    const std::string_view dtype = tensor.is_tensor ? dtype_info(tensor.dtype).name : std::string_view();
    return tensor.is_tensor && tensor.rank > 0 && (dtype.starts_with("float") || dtype.starts_with("bfloat"));
}

double memory_rate(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    if (!cost) {
        throw InputError("", "the time of the optimizer follows from a cost model, and the graph has none",
                         ErrorCode::no_cost_model);
    }
    return cost->memory_bytes_per_s * class_cost(*cost, ComputeClass::memory).efficiency;
}

}  // namespace

OptimizerStep optimizer_step(const Graph& graph) {
    OptimizerStep step;
    if (graph.node_count() == 0 || !has_backward(graph)) return step;
    const NodeId output = graph.node_count() - 1;
    if (graph.op(output) != NodeOp::output) return step;
    std::int64_t gradient_bytes = 0;
    for (const NodeId node : graph.inputs(output)) {
        if (!is_gradient(graph, node)) continue;
        step.gradients += graph.element_count(graph.outputs(node)[0]);
        gradient_bytes += graph.output_bytes(node);
    }
    if (step.gradients == 0) return step;
    step.bytes = passes_over_gradients * gradient_bytes;
    step.time_ms = static_cast<double>(step.bytes) / memory_rate(graph) * ms_per_s;
    return step;
}

double accumulated_step_ms(double step_ms, std::int64_t microbatches, const OptimizerStep& beside) {
    const double add_ms = beside.time_ms * passes_to_add / passes_over_gradients;
    const auto count = static_cast<double>(microbatches);
    return count * step_ms + (count - 1) * add_ms + beside.time_ms;
}

}  // namespace overlap
