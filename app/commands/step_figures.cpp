#include "app/commands/step_figures.h"

#include "core/base/error.h"
#include "core/memory/memory_profile.h"
#include "core/pipeline/time_source.h"
#include "core/simulate/simulation_totals.h"

namespace overlap::commands {

StepFigures step_figures(const Graph& graph, const TimeSource* links) {
    const auto own = own_time_source(graph);
    const TimeSource* source = links ? links : own.get();
    const std::vector<double> times_ms = sourced_times(graph, source).times_ms;
    const Simulation simulation = sourced_simulation(graph, times_ms, source).simulation;
    return {.step_ms = simulation.step_ms,
            .compute_ms = simulation.compute_ms,
            .exposed_ms = simulation.exposed_ms,
            .idle_ms = idle_ms(simulation),
            .peak_memory_bytes = memory_profile(graph, StorageRule::corrected).peak_bytes,
            .torch_peak_memory_bytes = memory_profile(graph, StorageRule::reference).peak_bytes,
            .collectives = simulation.collectives.size(),
            .on_shared_links = step_on_shared_links(graph, times_ms, simulation, source)};
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
    return {{"step_ms", figures->step_ms},
            {"compute_ms", figures->compute_ms},
            {"exposed_ms", figures->exposed_ms},
            {"idle_ms", figures->idle_ms},
            {"peak_memory_bytes", figures->peak_memory_bytes},
            {"torch_peak_memory_bytes", figures->torch_peak_memory_bytes},
            {"collectives", figures->collectives}};
}

}  // namespace overlap::commands
