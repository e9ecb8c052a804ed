#include "core/pipeline/plan_overlaps.h"

namespace overlap {

DirectedGraph apply_overlaps(const std::shared_ptr<const Graph>& graph, std::span<const PassReport> reports,
                             const OverlapDirectives& overlaps, const ModuleTree& modules) {
    return apply_overlap_directives(graph, modules, overlaps, merged_collectives(reports));
}

std::vector<Problem> refused_overlaps(const OverlapDirectives& overlaps, std::span<const DirectiveOutcome> outcomes) {
    std::vector<Problem> problems;
    for (std::size_t index = 0; index < outcomes.size(); ++index) {
        if (outcomes[index].holds()) continue;
        const OverlapDirective& directive = overlaps.list[index];
        Problem& problem = problems.emplace_back();
        problem.severity = Severity::caution;
        problem.kind = ProblemKind::overlap_refused;
        problem.title = "Overlap refused";
        problem.message = "overlap " + std::to_string(index + 1) + " (" + describe(directive) +
                          ") is left out: " + outcomes[index].refusal;
        problem.nodes = {directive.collective};
        problem.fix = "remove the overlap";
        problem.directive = index;
    }
    return problems;
}

}  // namespace overlap
