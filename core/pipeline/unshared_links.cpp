#include "core/pipeline/unshared_links.h"

#include <utility>

#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/cost/shared_links.h"

namespace overlap {
namespace {

/// Of the step: what sharing must change to be worth a line.
constexpr double told_share = 0.0005;

bool is_told(double step_ms, double shared_step_ms) {
    return shared_step_ms > step_ms * (1 + told_share);
}

}  // namespace

double told_step_ms(double step_ms, double shared_step_ms) {
    return is_told(step_ms, shared_step_ms) ? shared_step_ms : step_ms;
}

std::optional<SharedLinkStep> step_on_shared_links(const Graph& graph, std::span<const double> times_ms,
                                                   const Simulation& simulation, const TimeSource* source,
                                                   const SimulationOptions& options, std::stop_token stop) {
    if (says_shared_links(graph) || (source && (source->share_links || source->measured()))) return {};
    if (simulation.groups.size() < 2) return {};
    const auto sharing = modelled_source(source && source->contention, {}, true);
    SharedLinkStep shared{0, 0, links_in_common(graph, sharing.get())};
    if (shared.links.empty()) return {};
    const Simulation step = sourced_simulation(graph, times_ms, sharing.get(), options, std::move(stop)).simulation;
    shared.step_ms = step.step_ms;
    shared.exposed_ms = step.exposed_ms;
    if (!is_told(simulation.step_ms, shared.step_ms)) return {};
    return shared;
}

Problem unshared_links_problem(const SharedLinkStep& shared, double step_ms) {
    Problem problem;
    problem.severity = Severity::caution;
    problem.kind = ProblemKind::links_not_shared;
    problem.title = "Links not shared";
    std::string links;
    for (const std::vector<std::string>& link : shared.links) links += (links.empty() ? "" : "; ") + enumerated(link);
    problem.message = "the step is " + time_text(shared.step_ms) + ", not " + time_text(step_ms) +
                      ", where process groups share the link that they go over, a GPU's network card or its link "
                      "within the host: " +
                      links + ". The cost model does not say so, and each is taken to have a link of its own";
    problem.fix = "share links";
    return problem;
}

}  // namespace overlap
