#include <algorithm>
#include <map>
#include <string>

#include "core/graph/direction.h"
#include "core/plan/memory_edits.h"
#include "core/search/moves.h"

namespace overlap {
namespace {

/// What one operator takes part in: time to compute it again, bytes that are held until the backward pass.
struct OperatorMemory {
    double recomputed_ms = 0;
    std::int64_t recomputed_bytes = 0;
    double saved_ms = 0;
    std::int64_t saved_bytes = 0;
};

bool is_used_in_backward(const Graph& graph, NodeId node) {
    return std::ranges::any_of(graph.users(node), [&](NodeId user) { return runs_in_backward(graph, user); });
}

std::map<std::string, OperatorMemory> operators_of(const Evaluation& evaluation) {
    const Graph& graph = *evaluation.graph;
    std::map<std::string, OperatorMemory> operators;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        // Gathers are kept or not by rules of their own.
        if (graph.op(node) != NodeOp::call_function || evaluation.times_ms[node] <= 0) continue;
        if (graph.target_info(node).starts != CollectiveKind::none) continue;
        const bool again = is_recomputed(graph, node);
        if (!again && (runs_in_backward(graph, node) || !is_used_in_backward(graph, node))) continue;
        OperatorMemory& of = operators[std::string(graph.target(node))];
        (again ? of.recomputed_ms : of.saved_ms) += evaluation.times_ms[node];
        (again ? of.recomputed_bytes : of.saved_bytes) += graph.output_bytes(node);
    }
    return operators;
}

}  // namespace

std::vector<Proposal> operator_memory_moves(const Evaluation& evaluation, std::size_t most) {
    if (!evaluation.resolved) return {};
    const Plan& plan = evaluation.resolved->plan;
    const bool tags = std::ranges::any_of(
        plan.pipeline, [](const PassStep& step) { return step.enabled && step.pass == memory_tag_pass; });
    if (!tags || evaluation.times_ms.size() != evaluation.graph->node_count()) return {};
    struct Move {
        MemoryAction action = MemoryAction::save;
        std::string target;
        double per_byte_ms = 0;
    };
    std::vector<Move> save, recompute;
    for (const auto& [target, of] : operators_of(evaluation)) {
        if (of.recomputed_bytes > 0)
            save.push_back({MemoryAction::save, target, of.recomputed_ms / static_cast<double>(of.recomputed_bytes)});
        if (of.saved_bytes > 0)
            recompute.push_back({MemoryAction::recompute, target, of.saved_ms / static_cast<double>(of.saved_bytes)});
    }
    // Saved is what takes longest for its bytes, computed again what takes least.
    std::ranges::stable_sort(save, std::ranges::greater{}, &Move::per_byte_ms);
    std::ranges::stable_sort(recompute, std::ranges::less{}, &Move::per_byte_ms);
    save.resize(std::min(save.size(), most / 2));
    recompute.resize(std::min(recompute.size(), most - most / 2));
    save.insert(save.end(), recompute.begin(), recompute.end());

    const MemorySection section = edits::memory_in_effect(plan);
    std::vector<Proposal> proposals;
    for (const Move& move : save) {
        MemorySection changed = edits::put_modules(section, move.action, {}, {move.target});
        if (changed == section) continue;
        proposals.push_back(
            {edits::with_memory(plan, std::move(changed)),
             std::string("memory: ") + std::string(memory_action_name(move.action)) + ' ' + move.target});
    }
    return proposals;
}

}  // namespace overlap
