#include "app/commands/redistributions.h"

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <tuple>

#include "app/commands/formatting.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/files/ordered_json.h"
#include "core/mesh/sharding_text.h"

namespace overlap::commands {

namespace {

/// Parameters whose chains, figures and orders are the same.
struct Row {
    std::vector<std::size_t> parameters;
    std::string chains;  ///< a path for each chain, joined by commas
    std::string now;     ///< time and bytes of one parameter
    std::string best;
    std::string saves;
};

std::string path_text(const RedistributionChain& chain) {
    std::string text;
    for (const ShardingState& state : chain.states) text += (text.empty() ? "" : "->") + to_text(state);
    return text;
}

/// Paths of all chains; equal ones are counted.
std::string chains_text(const ParameterChains& parameter) {
    std::vector<std::pair<std::string, std::size_t>> paths;
    for (const RedistributionChain& chain : parameter.chains) {
        const std::string path = path_text(chain);
        const auto known = std::ranges::find(paths, path, &std::pair<std::string, std::size_t>::first);
        if (known == paths.end()) {
            paths.emplace_back(path, 1);
        } else {
            ++known->second;
        }
    }
    std::string text;
    for (const auto& [path, count] : paths) {
        text += text.empty() ? "" : ", ";
        if (count > 1) text += std::to_string(count) + " x ";
        text += path;
    }
    return text;
}

std::string saving_text(const OrderAlternative& best) {
    // Ten nanoseconds are within any cost model's error: not a reason to change an order.
    constexpr double least_ms = 1e-5;
    if (std::abs(best.saved_ms) < least_ms) return "nothing";
    return time_text(best.saved_ms) + ", " + (best.saved_bytes < 0 ? "-" : "") + bytes_text(std::abs(best.saved_bytes));
}

std::string order_text(const OrderAlternative& best) {
    return best.current ? to_text(best.storage) + " (as it is)" : to_text(best.storage);
}

std::vector<Row> rows_of(const ComparedChains& compared) {
    std::vector<Row> rows;
    for (std::size_t index = 0; index < compared.chains.parameters.size(); ++index) {
        const ParameterChains& parameter = compared.chains.parameters[index];
        const OrderComparison& comparison = compared.comparisons[index];
        const OrderAlternative* best = comparison.best();
        if (!best) continue;
        Row row;
        std::vector<std::string> groups = parameter.mesh.groups;
        for (std::string& group : groups) group = in_quotes(group);
        row.chains = chains_text(parameter) + (groups.size() == 1 ? " on group " : " on groups ") + enumerated(groups);
        row.now = time_text(comparison.current_ms) + ", " + bytes_text(comparison.current_bytes);
        row.best = order_text(*best);
        row.saves = saving_text(*best);
        const auto known = std::ranges::find_if(rows, [&](const Row& other) {
            return std::tie(other.chains, other.now, other.best, other.saves) ==
                   std::tie(row.chains, row.now, row.best, row.saves);
        });
        Row& target = known == rows.end() ? rows.emplace_back(std::move(row)) : *known;
        target.parameters.push_back(index);
    }
    return rows;
}

Json state_json(const ShardingState& state) {
    Json order = Json::array();
    for (const ShardOrderEntry& entry : state.shard_order) order.push_back({entry.tensor_dim, entry.mesh_dims});
    Json placements = Json::array();
    for (const Placement& placement : state.placements) placements.push_back(to_text(placement));
    return {{"text", to_text(state)}, {"placements", std::move(placements)}, {"shard_order", std::move(order)}};
}

Json chain_json(const Graph& graph, const RedistributionChain& chain) {
    Json collectives = Json::array();
    for (const NodeId node : chain.collectives) collectives.push_back(graph.name(node));
    Json json = {{"role", chain.role == RedistributionChain::Role::gradient ? "gradient" : "parameter"},
                 {"collectives", std::move(collectives)},
                 {"bytes", chain.bytes},
                 {"time_ms", chain.time_ms}};
    if (chain.states.empty()) return json;
    json["tensor_shape"] = chain.tensor.shape;
    json["dtype"] = chain.tensor.dtype;
    json["states"] = Json::array();
    for (const ShardingState& state : chain.states) json["states"].push_back(state_json(state));
    return json;
}

Json plan_json(const PricedPlan& plan) {
    return {{"path", path_text(plan.plan)}, {"time_ms", plan.time_ms}, {"bytes", plan.bytes}};
}

Json alternative_json(const OrderAlternative& alternative) {
    Json chains = Json::array();
    for (const ChainAlternative& chain : alternative.chains) {
        chains.push_back({{"torch", plan_json(chain.torch)}, {"optimal", plan_json(chain.optimal)}});
    }
    return {{"storage", state_json(alternative.storage)},
            {"current", alternative.current},
            {"saved_ms", alternative.saved_ms},
            {"saved_bytes", alternative.saved_bytes},
            {"torch_ms", alternative.torch_ms},
            {"torch_bytes", alternative.torch_bytes},
            {"optimal_ms", alternative.optimal_ms},
            {"optimal_bytes", alternative.optimal_bytes},
            {"chains", std::move(chains)}};
}

Json parameter_json(const Graph& graph, const ParameterChains& parameter, const OrderComparison& comparison) {
    Json json = {{"name", parameter.name}, {"placeholder", graph.name(parameter.parameter)}};
    if (!parameter.mesh.groups.empty()) {
        json["mesh"] = {{"shape", parameter.mesh.mesh.shape},
                        {"process_groups", parameter.mesh.groups},
                        {"dim_names", parameter.mesh.mesh.dim_names}};
    }
    if (parameter.inferred()) json["storage"] = state_json(parameter.storage);
    json["chains"] = Json::array();
    for (const RedistributionChain& chain : parameter.chains) json["chains"].push_back(chain_json(graph, chain));
    if (!comparison.obstacle.empty()) {
        json["obstacle"] = comparison.obstacle;
        return json;
    }
    json["current_ms"] = comparison.current_ms;
    json["current_bytes"] = comparison.current_bytes;
    json["orders"] = Json::array();
    for (const OrderAlternative& order : comparison.alternatives) json["orders"].push_back(alternative_json(order));
    return json;
}

}  // namespace

void write_redistributions(std::ostream& out, const Graph& graph, const ComparedChains& compared) {
    const std::vector<ParameterChains>& parameters = compared.chains.parameters;
    out << counted(parameters.size(), "parameter") << " with collectives of their own\n";
    TextTable table({"parameters", "layouts", "a step", "best order", "saves"});
    for (const Row& row : rows_of(compared)) {
        const std::string first = name_text(parameters[row.parameters.front()].name);
        table.add(
            {row.parameters.size() == 1 ? first : first + " and " + std::to_string(row.parameters.size() - 1) + " more",
             name_text(row.chains, longest_sentence), row.now, row.best, row.saves});
    }
    if (!table.empty()) table.write(out, "");
    std::vector<std::pair<std::string, std::vector<std::string>>> obstacles;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
        const std::string& obstacle = compared.comparisons[index].obstacle;
        if (obstacle.empty()) continue;
        auto known = std::ranges::find(obstacles, obstacle, &std::pair<std::string, std::vector<std::string>>::first);
        if (known == obstacles.end()) known = obstacles.insert(known, {obstacle, {}});
        known->second.push_back(name_text(parameters[index].name));
    }
    for (const auto& [obstacle, names] : obstacles) {
        out << "not explained: " << enumerated(names) << ": " << name_text(obstacle, longest_sentence) << '\n';
    }
    if (!compared.chains.unmatched_gradients.empty()) {
        std::vector<std::string> names;
        for (const NodeId node : compared.chains.unmatched_gradients) names.push_back(name_text(graph.name(node)));
        out << "outputs that are reduced, of parameters that are not known: " << enumerated(names) << '\n';
    }
}

Json redistributions_json(const Graph& graph, const ComparedChains& compared) {
    Json json = {{"parameters", Json::array()}, {"unmatched_gradients", Json::array()}};
    for (std::size_t index = 0; index < compared.chains.parameters.size(); ++index) {
        json["parameters"].push_back(
            parameter_json(graph, compared.chains.parameters[index], compared.comparisons[index]));
    }
    for (const NodeId node : compared.chains.unmatched_gradients) {
        json["unmatched_gradients"].push_back(graph.name(node));
    }
    return json;
}

}  // namespace overlap::commands
