#include "core/explain/explain_words.h"

#include <optional>

#include "core/graph/collective_words.h"
#include "core/pipeline/resolved_plan.h"

namespace overlap {

std::string collective_with_article(CollectiveKind kind) {
    const std::string text = collective_words(kind);
    return (text.starts_with('a') ? "an " : "a ") + text;
}

NodeId communicating_node(const Graph& graph, NodeId node) {
    if (graph.op(node) != NodeOp::call_function) return no_node;
    const TargetInfo& info = graph.target_info(node);
    if (info.starts != CollectiveKind::none) return node;
    return info.is_wait ? graph.awaited_start(node) : no_node;
}

std::string entry_words(const Evaluation& evaluation, std::span<const ResolvedStep> steps, const PassReport& report,
                        std::size_t entry) {
    const auto step = static_cast<std::size_t>(&report - evaluation.reports.data());
    const std::string name = "entry " + std::to_string(entry + 1);
    if (step >= steps.size()) return name;
    const std::optional<StepBuckets> buckets = step_buckets(steps[step].step);
    if (!buckets || entry >= buckets->entries.size()) return name;
    return name + " (" + display_name(buckets->entries[entry]) + ")";
}

}  // namespace overlap
