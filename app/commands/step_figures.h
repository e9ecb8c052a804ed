#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/base/problem.h"
#include "core/graph/graph.h"
#include "core/pipeline/unshared_links.h"

namespace overlap {
struct TimeSource;
}

namespace overlap::commands {

/// The figures of one simulated step that every command tells alike.
struct StepFigures {
    double step_ms = 0, compute_ms = 0, exposed_ms = 0, idle_ms = 0;
    std::int64_t peak_memory_bytes = 0, torch_peak_memory_bytes = 0;
    std::size_t collectives = 0;
    /// The step with links shared, where these figures take each process group to have a link of its own.
    std::optional<SharedLinkStep> on_shared_links;
    /// Of figures, not of a plan: links that these take not to be shared, and memory beyond the device's.
    std::vector<Problem> problems;
};

/// By the graph's own times, or those of the compiled job that it says it is.
/// @param links a source with these times, in which links are shared; null where they are as the cost model says.
/// @throws InputError where a time is not known.
StepFigures step_figures(const Graph& graph, const TimeSource* links = nullptr);

/// The same; nothing where a time is not known.
std::optional<StepFigures> known_step_figures(const Graph& graph);

/// An object with the figures of this graph as they are; null for nothing.
nlohmann::ordered_json step_json(const std::optional<StepFigures>& figures);

}  // namespace overlap::commands
