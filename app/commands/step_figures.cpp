#include "app/commands/step_figures.h"

#include <utility>

#include "core/base/error.h"
#include "core/memory/device_memory.h"
#include "core/memory/memory_profile.h"
#include "core/pipeline/time_source.h"
#include "core/simulate/simulation_totals.h"

namespace overlap::commands {

StepFigures step_figures(const Graph& graph, const TimeSource* links) {
    const auto own = own_time_source(graph);
    const TimeSource* source = links ? links : own.get();
    const std::vector<double> times_ms = sourced_times(graph, source).times_ms;
    const Simulation simulation = sourced_simulation(graph, times_ms, source).simulation;
    const MemoryProfile memory = memory_profile(graph, StorageRule::corrected);
    std::vector<Problem> problems;
    std::optional<SharedLinkStep> shared = step_on_shared_links(graph, times_ms, simulation, source);
    if (shared) problems.push_back(unshared_links_problem(*shared, simulation.step_ms));
    if (auto problem = memory_problem(graph, memory)) problems.push_back(std::move(*problem));
    if (auto problem = uncounted_results_problem(graph)) problems.push_back(std::move(*problem));
    return {.step_ms = simulation.step_ms,
            .compute_ms = simulation.compute_ms,
            .exposed_ms = simulation.exposed_ms,
            .idle_ms = idle_ms(simulation),
            .peak_memory_bytes = memory.peak_bytes,
            .torch_peak_memory_bytes = memory_profile(graph, StorageRule::reference).peak_bytes,
            .collectives = simulation.collectives.size(),
            .on_shared_links = std::move(shared),
            .problems = std::move(problems)};
}

std::optional<StepFigures> known_step_figures(const Graph& graph) {
    try {
        return step_figures(graph);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

nlohmann::ordered_json step_json(const std::optional<StepFigures>& figures) {
    if (!figures) return nullptr;
    nlohmann::ordered_json shared;
    if (figures->on_shared_links)
        shared = {{"step_ms", figures->on_shared_links->step_ms}, {"exposed_ms", figures->on_shared_links->exposed_ms}};
    return {{"step_ms", figures->step_ms},
            {"compute_ms", figures->compute_ms},
            {"exposed_ms", figures->exposed_ms},
            {"idle_ms", figures->idle_ms},
            {"peak_memory_bytes", figures->peak_memory_bytes},
            {"torch_peak_memory_bytes", figures->torch_peak_memory_bytes},
            {"collectives", figures->collectives},
            {"with_links_shared", std::move(shared)}};
}

}  // namespace overlap::commands
