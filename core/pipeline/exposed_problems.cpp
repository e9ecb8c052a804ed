#include "core/pipeline/exposed_problems.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/number_text.h"
#include "core/simulate/issue_order.h"

namespace overlap {
namespace {

/// Exposed collectives that are worth a line among the problems: the worst few, if they matter for the step.
constexpr std::size_t exposed_told = 3;
constexpr double exposed_share = 0.001;

}  // namespace

std::vector<Problem> exposed_problems(const Evaluation& evaluation) {
    const Simulation& simulation = evaluation.simulation;
    std::vector<std::size_t> worst;
    for (std::size_t index = 0; index < simulation.collectives.size(); ++index) {
        if (simulation.collectives[index].exposed_ms > exposed_share * simulation.step_ms) worst.push_back(index);
    }
    const auto more_exposed = [&](std::size_t left, std::size_t right) {
        return simulation.collectives[left].exposed_ms > simulation.collectives[right].exposed_ms;
    };
    std::stable_sort(worst.begin(), worst.end(), more_exposed);
    worst.resize(std::min(worst.size(), exposed_told));
    std::vector<Problem> problems;
    for (const std::size_t index : worst) {
        const CollectiveTiming& timing = simulation.collectives[index];
        Problem problem;
        problem.severity = Severity::caution;
        problem.kind = ProblemKind::exposed;
        problem.title = "Exposed " + time_text(timing.exposed_ms);
        problem.nodes = {std::string(evaluation.graph->name(timing.start))};
        problem.plan_entry = evaluation.bucket_of_node[timing.start];
        if (problem.plan_entry >= 0) {
            const auto entry = static_cast<std::size_t>(problem.plan_entry);
            problem.message = display_name(evaluation.resolved->plan.buckets[entry]) + ", ";
        }
        // What would help is evaluated where it is asked for (core/advice/named_moves.h).
        problem.message += problem.nodes[0] + ": " + exposure_cause_text(simulation, *evaluation.graph, index);
        problems.push_back(std::move(problem));
    }
    return problems;
}

}  // namespace overlap
