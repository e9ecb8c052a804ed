#include "ui/plans/plan_rows.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/with_cost_model.h"
#include "core/pipeline/disturbed_times.h"
#include "core/pipeline/step_with_links_shared.h"

namespace overlap::ui {
namespace {

/// Of the step, below which a difference is none.
constexpr double smallest_gain = 1e-4;

/// @returns null when stopped.
std::shared_ptr<const Evaluation> evaluationOf(const PlanRow& row, const std::shared_ptr<const Graph>& graph,
                                               const std::shared_ptr<const TimeSource>& times, std::stop_token stop,
                                               const std::shared_ptr<PassResultCache>& cache) {
    return row.baseline ? evaluate_baseline(graph, stop, times) : evaluate(graph, row.plan, stop, times, cache);
}

BoundGap gapOf(const std::shared_ptr<const Evaluation>& evaluation, GraphBounds& bounds) {
    BoundGap gap;
    if (hasBound(*evaluation)) {
        gap = bounds.gapOf(evaluation);
        gap.of = nullptr;  // a table would keep the evaluations of all plans
    } else {
        gap.none = evaluation->times_known
                       ? QCoreApplication::translate("PlanRows", "No bound is known by the times of a trace")
                       : QCoreApplication::translate("PlanRows", "No bound is known: the graph has no times");
    }
    return gap;
}

/// Figures by the times that are shown. @returns false when stopped.
bool fillIn(PlanRow& row, const PlanGround& ground, GraphBounds& bounds, std::stop_token stop) {
    const bool has_no_times = row.figures && (row.figures->refused || !row.figures->times_known);
    if (has_no_times || (row.figures && !row.disturbed_ms.empty())) return true;
    auto evaluation = std::exchange(row.evaluation, nullptr);
    if (!evaluation) evaluation = evaluationOf(row, ground.graph, ground.times, stop, ground.cache);
    if (!evaluation) return false;
    row.figures = planFigures(*evaluation);
    row.disturbed_ms.clear();
    row.gap = evaluation->refused ? std::nullopt : std::optional(gapOf(evaluation, bounds));
    if (evaluation->refused || !evaluation->times_known) return true;
    const auto of_job = with_links_shared(evaluation, stop);
    if (!of_job) return false;
    for (const Disturbance& disturbance : usual_disturbances())
        row.disturbed_ms.push_back(disturbed_step_ms(*of_job, disturbance, stop));
    return !stop.stop_requested();
}

bool isFaster(double plan_ms, double baseline_ms) {
    return plan_ms < baseline_ms * (1 - smallest_gain);
}

}  // namespace

PlanFigures planFigures(const Evaluation& evaluation) {
    return {evaluation.refused,
            evaluation.times_known,
            evaluation.simulation.step_ms,
            exposed_with_links_shared(evaluation),
            evaluation.corrected_memory.peak_bytes,
            evaluation.simulation.collectives.size(),
            evaluation.on_shared_links ? std::optional(evaluation.on_shared_links->step_ms) : std::nullopt};
}

std::optional<std::vector<PlanRow>> evaluatePlans(std::vector<PlanRow> rows, const PlanGround& ground,
                                                  std::stop_token stop) {
    const std::shared_ptr<GraphBounds> bounds = GraphBounds::of(ground.graph, ground.times);
    for (PlanRow& row : rows)
        if (!fillIn(row, ground, *bounds, stop)) return std::nullopt;
    const NamedCostModel* other = built_in_cost_model(ground.other.toStdString());
    if (!other) return rows;
    const std::shared_ptr<const Graph> graph = with_cost_model(ground.as_read, *other).graph;
    const auto cache = std::make_shared<PassResultCache>();
    for (PlanRow& row : rows) {
        if (row.other) continue;
        const auto evaluation = evaluationOf(row, graph, nullptr, stop, cache);
        if (!evaluation) return std::nullopt;
        row.other = planFigures(*evaluation);
    }
    return rows;
}

bool losesWithLinksShared(const PlanRow& row, const PlanRow& baseline) {
    if (!row.figures || !baseline.figures || !row.figures->shared_step_ms) return false;
    return isFaster(row.figures->step_ms, baseline.figures->step_ms) &&
           !isFaster(row.figures->jobStepMs(), baseline.figures->jobStepMs());
}

bool losesUnderOther(const PlanRow& row, const PlanRow& baseline) {
    if (!row.figures || !row.other || !baseline.figures || !baseline.other || row.figures->refused) return false;
    return isFaster(row.figures->jobStepMs(), baseline.figures->jobStepMs()) &&
           !isFaster(row.other->jobStepMs(), baseline.other->jobStepMs());
}

std::vector<std::size_t> losesDisturbed(const PlanRow& row, const PlanRow& baseline) {
    std::vector<std::size_t> lost;
    if (!row.figures || !baseline.figures || !isFaster(row.figures->jobStepMs(), baseline.figures->jobStepMs()))
        return lost;
    for (std::size_t index = 0; index < std::min(row.disturbed_ms.size(), baseline.disturbed_ms.size()); ++index)
        if (!isFaster(row.disturbed_ms[index], baseline.disturbed_ms[index])) lost.push_back(index);
    return lost;
}

}  // namespace overlap::ui
