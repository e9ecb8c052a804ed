#include "core/pipeline/time_source.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/cost/cost_model.h"
#include "core/cost/profile_guided_times.h"
#include "core/cost/shared_links.h"
#include "core/pipeline/halved_attention.h"
#include "core/predict/compiled_times.h"

namespace overlap {
namespace {

/// Process groups that communicate in this graph; without those whose collectives the source has measured.
std::set<std::string_view> modelled_groups(const Graph& graph, const TimeSource* source) {
    const bool measured = source && source->measured();
    std::optional<ProfileGuidedEstimator> estimator;
    if (measured) estimator.emplace(graph, source->tables);
    std::set<std::string_view> communicating, known;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const std::string_view name = graph.group_name(node);
        if (name.empty()) continue;
        communicating.insert(name);
        const bool starts = graph.target_info(node).starts != CollectiveKind::none;
        if (estimator && starts && estimator->time_ms(node)) known.insert(name);
    }
    for (const std::string_view name : known) communicating.erase(name);
    return communicating;
}

}  // namespace

SourcedTimes sourced_times(const Graph& graph, const TimeSource* source) {
    if (!source) {
        std::vector<double> times_ms = node_times_ms(graph);
        price_halved_attention(graph, times_ms);
        return {std::move(times_ms)};
    }
    std::vector<double> own_ms;
    std::vector<bool> generated;
    if (source->compilation) {
        CompiledTimes compiled = compiled_times(graph, *source->compilation);
        own_ms = std::move(compiled.times_ms);
        generated = std::move(compiled.generated);
    } else {
        own_ms = node_times_ms(graph);
    }
    price_halved_attention(graph, own_ms);
    if (!source->measured()) return {std::move(own_ms)};
    ProfileGuidedTimes known = profile_guided_times(graph, source->tables, own_ms, generated);
    return {std::move(known.times_ms), known.collectives, known.operators};
}

std::shared_ptr<const TimeSource> modelled_source(bool contention, const std::optional<Compilation>& compilation,
                                                  bool share_links) {
    return std::make_shared<const TimeSource>(TimeSource{{}, ProfileTables({}), contention, compilation, share_links});
}

std::shared_ptr<const TimeSource> own_time_source(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    return cost && cost->compilation ? modelled_source(false, cost->compilation) : nullptr;
}

std::vector<std::vector<std::string>> links_in_common(const Graph& graph, const TimeSource* source) {
    std::vector<std::vector<std::string>> links;
    if (says_shared_links(graph)) {
        links = graph.header().cost->contention->shared_links;
    } else if (source && source->share_links) {
        links = links_by_host(graph.header());
    }
    if (links.empty()) return links;
    const std::set<std::string_view> communicating = modelled_groups(graph, source);
    for (std::vector<std::string>& link : links)
        std::erase_if(link, [&](const std::string& group) { return !communicating.contains(group); });
    std::erase_if(links, [](const std::vector<std::string>& link) { return link.size() < 2; });
    return links;
}

SourcedSimulation sourced_simulation(const Graph& graph, std::span<const double> times_ms, const TimeSource* source,
                                     const SimulationOptions& options, std::stop_token stop) {
    std::vector<std::vector<std::string>> shared = links_in_common(graph, source);
    if (source && source->contention) {
        AppliedContention applied{contention_of(graph), {}};
        if (!says_shared_links(graph)) applied.factors.shared_links = shared;
        ContendedSimulation contended = simulate_with_contention(graph, times_ms, applied.factors, options, stop);
        applied.transfers = std::move(contended.transfers);
        return {std::move(contended.simulation), std::make_shared<const AppliedContention>(std::move(applied)),
                std::move(shared)};
    }
    if (shared.empty()) return {simulate(graph, times_ms, options, stop), nullptr, {}};
    Contention sharing;
    sharing.shared_links = shared;
    return {simulate_with_contention(graph, times_ms, sharing, options, stop).simulation, nullptr, std::move(shared)};
}

}  // namespace overlap
