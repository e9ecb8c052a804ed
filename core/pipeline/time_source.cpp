#include "core/pipeline/time_source.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/cost/cost_model.h"
#include "core/cost/profile_guided_times.h"
#include "core/predict/compiled_times.h"

namespace overlap {
namespace {

/// Links of the cost model over which several of this graph's process groups communicate.
std::vector<std::vector<std::string>> links_in_common(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    if (!cost || !cost->contention || cost->contention->shared_links.empty()) return {};
    std::set<std::string_view> communicating;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (const std::string_view name = graph.group_name(node); !name.empty()) communicating.insert(name);
    }
    std::vector<std::vector<std::string>> links;
    for (const std::vector<std::string>& link : cost->contention->shared_links) {
        const auto communicates = [&](const std::string& group) { return communicating.contains(group); };
        if (std::ranges::count_if(link, communicates) > 1) links.push_back(link);
    }
    return links;
}

}  // namespace

SourcedTimes sourced_times(const Graph& graph, const TimeSource* source) {
    if (source && source->compilation) return {compiled_times(graph, *source->compilation).times_ms};
    std::vector<double> own_ms = node_times_ms(graph);
    if (!source || !source->measured()) return {std::move(own_ms)};
    ProfileGuidedTimes known = profile_guided_times(graph, source->tables, own_ms);
    return {std::move(known.times_ms), known.collectives, known.operators};
}

std::shared_ptr<const TimeSource> modelled_source(bool contention, const std::optional<Compilation>& compilation) {
    return std::make_shared<const TimeSource>(TimeSource{{}, ProfileTables({}), contention, compilation});
}

std::shared_ptr<const TimeSource> own_time_source(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    return cost && cost->compilation ? modelled_source(false, cost->compilation) : nullptr;
}

SourcedSimulation sourced_simulation(const Graph& graph, std::span<const double> times_ms, const TimeSource* source,
                                     const SimulationOptions& options, std::stop_token stop) {
    if (source && source->contention) {
        AppliedContention applied{contention_of(graph), {}};
        ContendedSimulation contended = simulate_with_contention(graph, times_ms, applied.factors, options, stop);
        applied.transfers = std::move(contended.transfers);
        return {std::move(contended.simulation), std::make_shared<const AppliedContention>(std::move(applied))};
    }
    Contention sharing;
    if (!source || !source->measured()) sharing.shared_links = links_in_common(graph);
    if (sharing.shared_links.empty()) return {simulate(graph, times_ms, options, stop), nullptr};
    return {simulate_with_contention(graph, times_ms, sharing, options, stop).simulation, nullptr};
}

}  // namespace overlap
