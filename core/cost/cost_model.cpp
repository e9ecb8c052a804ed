#include "core/cost/cost_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/base/rounding.h"
#include "core/cost/compute_class.h"
#include "core/cost/control_deps.h"
#include "core/cost/flop_formulas.h"
#include "core/cost/flop_rate.h"
#include "core/cost/fused_products.h"
#include "core/cost/fused_values.h"
#include "core/cost/host_transfers.h"

namespace overlap {

namespace {

constexpr double ms_per_s = 1e3;

std::string place_of(const Graph& graph, NodeId node) {
    return "node \"" + std::string(graph.name(node)) + "\"";
}

/// How the model prices the nodes of one target.
struct TargetCost {
    enum class Rule : std::uint8_t { free, collective, flops_only, roofline };
    Rule rule = Rule::free;
    FlopFormula formula = FlopFormula::none;
    ComputeClass compute_class = ComputeClass::nothing;
};

TargetCost target_cost(const Graph& graph, NodeId node) {
    using Rule = TargetCost::Rule;
    const FlopFormula formula = flop_formula(graph.target(node));
    const ComputeClass of_node = compute_class(graph, node);
    switch (of_node) {
        case ComputeClass::nothing:
            return {};
        case ComputeClass::communication:
            return {Rule::collective, FlopFormula::none, of_node};
        default:
            return {graph.target(node).starts_with("higher_order.") ? Rule::flops_only : Rule::roofline, formula,
                    of_node};
    }
}

/// Bytes of the tensors that `value` mentions; each mention counts.
std::int64_t bytes_of(const Graph& graph, const Value& value) {
    std::int64_t bytes = 0;
    for_each_node(graph.values(), value, [&](NodeId node) { bytes += graph.output_bytes(node); });
    return bytes;
}

double time_over(const CostParameters::LinkRate& rate, std::int64_t bytes) {
    return rate.latency_ms + static_cast<double>(bytes) / rate.bytes_per_s * ms_per_s;
}

CostParameters::LinkRate fastest_rate(const CostParameters::Link& link, CollectiveKind kind, std::int64_t bytes) {
    const auto of_kind = link.kinds.find(kind);
    if (of_kind == link.kinds.end() || of_kind->second.empty()) return {link.latency_ms, link.bytes_per_s};
    return *std::ranges::min_element(of_kind->second, {},
                                     [&](const CostParameters::LinkRate& rate) { return time_over(rate, bytes); });
}

/// What the rates of a device are multiplied by, and what each kernel takes beside its work.
struct ClassFactors {
    double flops_efficiency = 1, memory_efficiency = 1;
    double overhead_ms = 0;
};

/// By ComputeClass. A class that the cost model does not list has the device's two efficiencies.
std::array<ClassFactors, compute_class_count> class_factors(const CostParameters& cost) {
    std::array<ClassFactors, compute_class_count> factors;
    factors.fill({cost.flops_efficiency, cost.memory_efficiency, 0});
    for (const auto& [name, given] : cost.classes) {
        const std::optional<ComputeClass> known = compute_class_by_name(name);
        if (!known) {
            throw InputError("cost_model.classes", "there is no class of compute " + in_quotes(name) +
                                                       suggest_names(name, compute_class_names()));
        }
        factors[static_cast<std::size_t>(*known)] = {given.efficiency, given.efficiency, given.overhead_ms};
    }
    return factors;
}

/// The model of one graph, with what repeats from node to node looked up once.
class AnalyticModel {
  public:
    explicit AnalyticModel(const Graph& graph) : graph_(graph) {
        if (!graph.header().cost) return;
        factors_ = class_factors(*graph.header().cost);
    }

    double time_ms(NodeId node) {
        if (graph_.op(node) != NodeOp::call_function) return 0;
        const TargetCost cost = cost_of(node);
        switch (cost.rule) {
            case TargetCost::Rule::free:
                return 0;
            case TargetCost::Rule::collective:
                return collective(node, graph_.group_name(node), graph_.target_info(node).starts, 0);
            case TargetCost::Rule::flops_only: {
                if (!has_tensor(node)) return 0;
                const ClassFactors& factors = factors_of(cost.compute_class);
                return round_to_six_decimals(flops_ms(node, cost.formula, 0, factors) + factors.overhead_ms);
            }
            case TargetCost::Rule::roofline: {
                if (!has_tensor(node)) return 0;
                const NodeRecord& record = graph_.record(node);
                return roofline(node, bytes_of(graph_, record.args) + bytes_of(graph_, record.kwargs), cost.formula, 0,
                                factors_of(cost.compute_class));
            }
        }
        return 0;
    }

    /// The time of what a control_deps wraps.
    double time_ms(const WrappedOperation& operation) {
        const NodeId node = operation.node;
        if (operation.is_wait || !has_tensor(node)) return 0;
        constexpr std::size_t first = WrappedOperation::first_argument;
        if (operation.starts != CollectiveKind::none)
            return collective(node, operation.process_group, operation.starts, first);
        if (is_view_of_input(operation)) return 0;
        std::int64_t bytes = 0;
        const std::span<const Value> arguments = graph_.children(graph_.record(node).args);
        for (std::size_t index = first; index < arguments.size(); ++index) bytes += bytes_of(graph_, arguments[index]);
        return roofline(node, bytes, operation.formula, first, factors_of(compute_class(operation.formula)));
    }

    double link_time_ms(std::string_view process_group, CollectiveKind kind, std::int64_t bytes, NodeId node) const {
        const CostParameters::Link* link = cost_parameters(node).link(process_group);
        if (!link) {
            throw InputError(node == no_node ? std::string("cost_model.links") : place_of(graph_, node),
                             "the cost model has no link for process group \"" + std::string(process_group) + "\"");
        }
        return collective_time_ms(*link, kind, bytes);
    }

    /// Pieces of products beside pieces of their collective, as long as the pieces' kernels are as fast as the whole's.
    double time_ms(NodeId node, const FusedProduct& fused) {
        return round_to_six_decimals(parts_of(node, fused).time_ms());
    }

    FusedProductTimes parts_of(NodeId node, const FusedProduct& fused) {
        const CostParameters& cost = cost_parameters(node);
        const ClassFactors& factors = factors_of(compute_class(FlopFormula::matrix_multiply));
        const auto rows = static_cast<double>(fused.rows), inner = static_cast<double>(fused.inner);
        double products_ms = 0;
        for (const std::int64_t columns : fused.columns) {
            const auto wide = static_cast<double>(columns);
            const double bytes =
                (rows * inner + inner * wide + rows * wide) * static_cast<double>(dtype_info(fused.dtype).bytes);
            const double flops_rate = peak_flops_per_s(node, fused.dtype) * factors.flops_efficiency;
            const double memory_rate = cost.memory_bytes_per_s * factors.memory_efficiency;
            products_ms +=
                std::max(bytes / memory_rate, 2 * rows * inner * wide / flops_rate) * ms_per_s + factors.overhead_ms;
        }
        FusedProductTimes parts{node, 0, 0, products_ms, fused.ranks};
        parts.communication_ms = link_time_ms(fused.process_group, fused.kind, fused.whole_bytes, node);
        parts.latency_ms = std::min(parts.communication_ms, collective_latency_ms(*cost.link(fused.process_group),
                                                                                  fused.kind, fused.whole_bytes));
        return parts;
    }

    /// @throws InputError always: without sizes there is no time.
    double time_without_sizes(NodeId node) const {
        cost_parameters(node);
        throw InputError(place_of(graph_, node),
                         "the graph has no value of it, and its sizes do not follow from the nodes before, so its time "
                         "is not known");
    }

    /// True where a missing time cannot stand for a zero.
    bool always_takes_time(NodeId node) {
        const TargetCost cost = cost_of(node);
        return cost.rule == TargetCost::Rule::collective || cost.formula != FlopFormula::none;
    }

  private:
    const CostParameters& cost_parameters(NodeId node) const {
        if (graph_.header().cost) return *graph_.header().cost;
        throw InputError(node == no_node ? std::string() : place_of(graph_, node),
                         "the graph has no cost_model, so the time of a node without estimate_ms is not known",
                         ErrorCode::no_cost_model);
    }

    const TargetCost& cost_of(NodeId node) {
        const std::uint32_t target = graph_.record(node).target;
        if (target >= targets_.size()) targets_.resize(target + 1);
        if (!targets_[target]) targets_[target] = target_cost(graph_, node);
        return *targets_[target];
    }

    bool has_tensor(NodeId node) const {
        const std::span<const TensorMeta> outputs = graph_.outputs(node);
        return std::any_of(outputs.begin(), outputs.end(), [](const TensorMeta& output) { return output.is_tensor; });
    }

    /// The wrapped operator is known by a node's name only; that it aliases its input and writes nothing identifies a
    /// view.
    bool is_view_of_input(const WrappedOperation& operation) const {
        if (operation.formula != FlopFormula::none || operation.operator_name.ends_with('_')) return false;
        const Value* input = graph_.argument(operation.node, WrappedOperation::first_argument);
        if (!input || !input->is(ValueKind::node) || graph_.outputs(input->node).empty()) return false;
        const TensorMeta& base = graph_.outputs(input->node)[0];
        const std::span<const TensorMeta> outputs = graph_.outputs(operation.node);
        return base.is_tensor && std::all_of(outputs.begin(), outputs.end(), [&](const TensorMeta& output) {
                   return !output.is_tensor || output.storage == base.storage;
               });
    }

    double collective(NodeId node, std::string_view process_group, CollectiveKind kind, std::size_t first) const {
        const Value* input = graph_.argument(node, first);
        if (!input) input = graph_.keyword(node, "input");
        if (!input) input = graph_.keyword(node, "inputs");
        const std::int64_t input_bytes = input ? bytes_of(graph_, *input) : 0;
        return link_time_ms(process_group, kind, std::max(input_bytes, graph_.output_bytes(node)), node);
    }

    double roofline(NodeId node, std::int64_t argument_bytes, FlopFormula formula, std::size_t first,
                    const ClassFactors& factors) {
        const double memory_rate = cost_parameters(node).memory_bytes_per_s * factors.memory_efficiency;
        const double bytes = static_cast<double>(argument_bytes + graph_.output_bytes(node));
        double time_ms = bytes / memory_rate * ms_per_s;
        if (formula != FlopFormula::none) time_ms = std::max(time_ms, flops_ms(node, formula, first, factors));
        return round_to_six_decimals(time_ms + factors.overhead_ms);
    }

    const ClassFactors& factors_of(ComputeClass compute_class) const {
        return factors_[static_cast<std::size_t>(compute_class)];
    }

    double flops_ms(NodeId node, FlopFormula formula, std::size_t first, const ClassFactors& factors) {
        const double flops = count_flops(graph_, node, formula, first);
        const std::span<const TensorMeta> outputs = graph_.outputs(node);
        const auto output =
            std::find_if(outputs.begin(), outputs.end(), [](const TensorMeta& o) { return o.is_tensor; });
        return flops / (peak_flops_per_s(node, output->dtype) * factors.flops_efficiency) * ms_per_s;
    }

    double peak_flops_per_s(NodeId node, Dtype dtype) {
        std::optional<double>& rate = flop_rates_[static_cast<std::size_t>(dtype)];
        if (!rate) rate = flop_rate(cost_parameters(node), dtype);
        return *rate;
    }

    const Graph& graph_;
    std::array<ClassFactors, compute_class_count> factors_;
    std::vector<std::optional<TargetCost>> targets_;
    std::array<std::optional<double>, 256> flop_rates_;  // by dtype, an eight-bit number
};

}  // namespace

double analytic_time_ms(const Graph& graph, NodeId node) {
    return AnalyticModel(graph).time_ms(node);
}

std::vector<double> analytic_times_ms(const Graph& graph) {
    AnalyticModel model(graph);
    std::vector<double> times(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) times[node] = model.time_ms(node);
    return times;
}

double collective_time_ms(const Graph& graph, std::string_view process_group, CollectiveKind kind, std::int64_t bytes) {
    return AnalyticModel(graph).link_time_ms(process_group, kind, bytes, no_node);
}

double collective_time_ms(const CostParameters::Link& link, CollectiveKind kind, std::int64_t bytes) {
    return round_to_six_decimals(time_over(fastest_rate(link, kind, bytes), bytes));
}

double collective_latency_ms(const CostParameters::Link& link, CollectiveKind kind, std::int64_t bytes) {
    return fastest_rate(link, kind, bytes).latency_ms;
}

void price_fused_products(const Graph& graph, bool estimates_count, std::vector<double>& times_ms) {
    const FusedProducts products(graph);
    if (!products.any()) return;
    AnalyticModel model(graph);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (!products.is_fused(node)) continue;
        if (estimates_count && graph.metadata(node).estimate_ms) continue;
        const std::optional<FusedProduct> fused = products.find(node);
        times_ms[node] = fused ? model.time_ms(node, *fused) : model.time_without_sizes(node);
    }
}

std::vector<FusedProductTimes> times_of_fused_products(const Graph& graph) {
    std::vector<FusedProductTimes> times;
    const FusedProducts products(graph);
    if (!products.any() || !graph.header().cost) return times;
    AnalyticModel model(graph);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const std::optional<FusedProduct> fused = products.find(node);
        if (!fused || !graph.header().cost->link(fused->process_group)) continue;
        try {
            times.push_back(model.parts_of(node, *fused));
        } catch (const InputError&) {  // the model has no rate for its type: its own time is all that is known
        }
    }
    return times;
}

std::vector<double> node_times_ms(const Graph& graph) {
    const FusedValues values(graph);
    AnalyticModel model(values.graph());
    bool any_estimate = false;
    for (NodeId node = 0; node < graph.node_count() && !any_estimate; ++node) {
        any_estimate = graph.metadata(node).estimate_ms.has_value();
    }
    const bool zeros_are_left_out = any_estimate && !graph.header().cost;
    const std::vector<WrappedOperation> wrapped = wrapped_operations(graph);
    auto next_wrapped = wrapped.begin();
    std::vector<double> times(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const bool wraps = next_wrapped != wrapped.end() && next_wrapped->node == node;
        if (const std::optional<double>& estimate = graph.metadata(node).estimate_ms) {
            times[node] = *estimate;
        } else if (wraps) {
            const bool takes_time =
                next_wrapped->starts != CollectiveKind::none || next_wrapped->formula != FlopFormula::none;
            if (!zeros_are_left_out || takes_time) times[node] = model.time_ms(*next_wrapped);
        } else if (values.adds(node)) {
            times[node] = 0;  // as PyTorch has it; fused products come below
        } else if (!zeros_are_left_out || model.always_takes_time(node)) {
            times[node] = model.time_ms(node);
        }
        if (wraps) ++next_wrapped;
        if (!std::isfinite(times[node]) || times[node] < 0) {
            throw InputError(place_of(graph, node), "its time is " + std::to_string(times[node]) +
                                                        " ms, expected a finite number that is not negative");
        }
    }
    price_host_transfers(graph, times);
    price_fused_products(graph, true, times);
    return times;
}

void check_cost_model(const Graph& graph) {
    if (graph.header().cost) class_factors(*graph.header().cost);
}

double node_flops(const Graph& graph, NodeId node) {
    if (graph.op(node) != NodeOp::call_function) return 0;
    return count_flops(graph, node, flop_formula(graph.target(node)));
}

}  // namespace overlap
