#include "core/cost/compute_class.h"

#include "core/cost/control_deps.h"

namespace overlap {

std::string_view compute_class_name(ComputeClass compute_class) {
    switch (compute_class) {
        case ComputeClass::nothing:
            return "nothing";
        case ComputeClass::communication:
            return "communication";
        case ComputeClass::matrix_multiply:
            return "matrix_multiply";
        case ComputeClass::attention:
            return "attention";
        case ComputeClass::convolution:
            return "convolution";
        case ComputeClass::memory:
            return "memory";
    }
    return "nothing";
}

std::optional<ComputeClass> compute_class_by_name(std::string_view name) {
    for (const ComputeClass known : computing_classes) {
        if (compute_class_name(known) == name) return known;
    }
    return std::nullopt;
}

std::vector<std::string> compute_class_names() {
    std::vector<std::string> names;
    for (const ComputeClass known : computing_classes) names.emplace_back(compute_class_name(known));
    return names;
}

CostParameters::ClassCost class_cost(const CostParameters& cost, ComputeClass compute_class) {
    const auto given = cost.classes.find(std::string(compute_class_name(compute_class)));
    if (given != cost.classes.end()) return given->second;
    return {compute_class == ComputeClass::memory ? cost.memory_efficiency : cost.flops_efficiency, 0};
}

ComputeClass compute_class(FlopFormula formula) {
    switch (formula) {
        case FlopFormula::none:
            return ComputeClass::memory;
        case FlopFormula::matrix_multiply:
        case FlopFormula::matrix_multiply_add:
            return ComputeClass::matrix_multiply;
        case FlopFormula::convolution:
        case FlopFormula::convolution_backward:
            return ComputeClass::convolution;
        default:
            return ComputeClass::attention;
    }
}

ComputeClass compute_class(const Graph& graph, NodeId node) {
    if (graph.op(node) != NodeOp::call_function) return ComputeClass::nothing;
    const TargetInfo& info = graph.target_info(node);
    if (info.starts != CollectiveKind::none) return ComputeClass::communication;
    const std::string_view target = graph.target(node);
    // Other functional collectives, wait_tensor among them, start nothing.
    if (target.starts_with("_c10d_functional.") || info.traits.view || info.is_getitem) return ComputeClass::nothing;
    const ComputeClass by_formula = compute_class(flop_formula(target));
    const bool unknown_inside = target.starts_with("higher_order.") && by_formula == ComputeClass::memory;
    return unknown_inside ? ComputeClass::nothing : by_formula;
}

std::vector<ComputeClass> compute_classes(const Graph& graph) {
    std::vector<ComputeClass> classes(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) classes[node] = compute_class(graph, node);
    for (const WrappedOperation& wrapped : wrapped_operations(graph)) {
        if (wrapped.is_wait) continue;
        const bool communicates = wrapped.starts != CollectiveKind::none;
        classes[wrapped.node] = communicates ? ComputeClass::communication : compute_class(wrapped.formula);
    }
    return classes;
}

}  // namespace overlap
