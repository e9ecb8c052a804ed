#include "ui/plans/plan_rows.h"

#include "core/cost/built_in_cost_models.h"
#include "core/cost/with_cost_model.h"

namespace overlap::ui {
namespace {

/// Of the step, below which a difference is none.
constexpr double smallest_gain = 1e-4;

/// @returns false when stopped.
bool fillIn(std::optional<PlanFigures>& figures, const PlanRow& row, const std::shared_ptr<const Graph>& graph,
            const std::shared_ptr<const TimeSource>& times, std::stop_token stop) {
    if (figures) return true;
    const auto evaluation =
        row.baseline ? evaluate_baseline(graph, stop, times) : evaluate(graph, row.plan, stop, times);
    if (!evaluation) return false;
    figures = planFigures(*evaluation);
    return true;
}

bool isFaster(const PlanFigures& plan, const PlanFigures& baseline) {
    return plan.step_ms < baseline.step_ms * (1 - smallest_gain);
}

}  // namespace

PlanFigures planFigures(const Evaluation& evaluation) {
    return {evaluation.refused,
            evaluation.times_known,
            evaluation.simulation.step_ms,
            evaluation.simulation.exposed_ms,
            evaluation.corrected_memory.peak_bytes,
            evaluation.simulation.collectives.size()};
}

std::optional<std::vector<PlanRow>> evaluatePlans(std::vector<PlanRow> rows, const PlanGround& ground,
                                                  std::stop_token stop) {
    for (PlanRow& row : rows)
        if (!fillIn(row.figures, row, ground.graph, ground.times, stop)) return std::nullopt;
    const NamedCostModel* other = built_in_cost_model(ground.other.toStdString());
    if (!other) return rows;
    const std::shared_ptr<const Graph> graph = with_cost_model(ground.as_read, *other).graph;
    for (PlanRow& row : rows)
        if (!fillIn(row.other, row, graph, nullptr, stop)) return std::nullopt;
    return rows;
}

bool losesUnderOther(const PlanRow& row, const PlanRow& baseline) {
    if (!row.figures || !row.other || !baseline.figures || !baseline.other || row.figures->refused) return false;
    return isFaster(*row.figures, *baseline.figures) && !isFaster(*row.other, *baseline.other);
}

}  // namespace overlap::ui
