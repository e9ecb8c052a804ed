#include "core/cost/with_cost_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/compute_class.h"
#include "core/cost/cost_model.h"
#include "core/graph/editing/graph_editor.h"

namespace overlap {

namespace {

using Json = nlohmann::ordered_json;

/// The graph's groups, and those that only nodes name.
std::vector<ProcessGroup> groups_of(const Graph& graph, std::vector<std::string>& unlisted) {
    std::vector<ProcessGroup> groups = graph.header().process_groups;
    std::set<std::string, std::less<>> seen;
    for (const ProcessGroup& group : groups) seen.insert(group.name);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const std::string_view name = graph.group_name(node);
        if (name.empty() || seen.contains(name)) continue;
        seen.emplace(name);
        unlisted.emplace_back(name);
        ProcessGroup group;
        group.name = name;
        groups.push_back(std::move(group));
    }
    return groups;
}

/// Groups that stand on the same kind of link share it: one alone too, as a pass may make another of it. A model that
/// does not know the hosts leaves it at what the graph says.
std::vector<std::vector<std::string>> shared_links(const NamedCostModel& model, const Graph& graph,
                                                   const std::vector<ProcessGroup>& groups) {
    if (gpus_per_node(model) == 0) {
        const std::optional<CostParameters>& own = graph.header().cost;
        return own && own->contention ? own->contention->shared_links : std::vector<std::vector<std::string>>();
    }
    std::vector<std::string> within, between;
    for (const ProcessGroup& group : groups) {
        if (group.ranks.size() > 1) (within_one_node(model, group) ? within : between).push_back(group.name);
    }
    std::vector<std::vector<std::string>> shared;
    for (std::vector<std::string>* names : {&within, &between}) {
        if (!names->empty()) shared.push_back(std::move(*names));
    }
    return shared;
}

void put_compilation(const std::optional<Compilation>& compilation, Json& cost) {
    cost.erase("compiled");
    cost.erase("attention_density");
    if (!compilation) return;
    cost["compiled"] = compiled_scope_name(compilation->scope);
    if (compilation->attention_density != Compilation().attention_density)
        cost["attention_density"] = compilation->attention_density;
}

std::string json_text_of(const Json& json) {
    // Names come from documents that were checked to be UTF-8.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string cost_json(const CostParameters& cost, const NamedCostModel::Origin& origin) {
    Json device = {{"name", cost.device_name},
                   {"flops_per_s", cost.flops_per_s},
                   {"flops_efficiency", cost.flops_efficiency},
                   {"memory_bytes_per_s", cost.memory_bytes_per_s},
                   {"memory_efficiency", cost.memory_efficiency}};
    if (cost.memory_bytes > 0) device["memory_bytes"] = cost.memory_bytes;
    if (cost.host_link_bytes_per_s > 0) device["host_link_bytes_per_s"] = cost.host_link_bytes_per_s;
    Json links = Json::array();
    for (const CostParameters::Link& link : cost.links) {
        Json written = {
            {"process_group", link.process_group}, {"latency_ms", link.latency_ms}, {"bytes_per_s", link.bytes_per_s}};
        Json kinds = Json::object();
        for (const auto& [kind, rates] : link.kinds) {
            Json ways = Json::array();
            for (const CostParameters::LinkRate& rate : rates)
                ways.push_back({{"latency_ms", rate.latency_ms}, {"bytes_per_s", rate.bytes_per_s}});
            kinds[std::string(collective_kind_name(kind))] = std::move(ways);
        }
        if (!kinds.empty()) written["kinds"] = std::move(kinds);
        links.push_back(std::move(written));
    }
    Json json = {{"name", cost.model_name}, {"device", std::move(device)}, {"links", std::move(links)}};
    Json classes = Json::object();
    for (const auto& [name, of_class] : cost.classes) {
        classes[name] = {{"efficiency", of_class.efficiency}, {"overhead_ms", of_class.overhead_ms}};
    }
    json["classes"] = std::move(classes);
    if (cost.contention) {
        json["contention"] = {{"compute_slowdown", cost.contention->compute_slowdown},
                              {"communication_slowdown", cost.contention->communication_slowdown},
                              {"shared_links", cost.contention->shared_links}};
    }
    put_compilation(cost.compilation, json);
    // Of a built-in model its own table says it.
    if (!origin.checked.empty() && !built_in_cost_model(cost.model_name)) {
        json["checked"] = {{"with", origin.checked}};
        if (origin.checked_within > 0) json["checked"]["within"] = origin.checked_within;
    }
    return json_text_of(json);
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + in_quotes(name);
    return text;
}

CostParameters parameters_of(const NamedCostModel& model) {
    CostParameters cost;
    cost.model_name = model.name;
    cost.device_name = model.device_name;
    cost.flops_per_s = model.flops_per_s;
    cost.flops_efficiency = model.flops_efficiency;
    cost.memory_bytes_per_s = model.memory_bytes_per_s;
    cost.memory_efficiency = model.memory_efficiency;
    cost.memory_bytes = model.memory_bytes;
    cost.host_link_bytes_per_s = model.host_link_bytes_per_s;
    cost.classes = model.classes;
    return cost;
}

/// @returns how many nodes had a time of their own.
std::uint32_t count_estimates(const Graph& graph) {
    std::uint32_t count = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) count += graph.metadata(node).estimate_ms ? 1 : 0;
    return count;
}

std::string replaced(const Graph& graph) {
    const std::uint32_t estimates = count_estimates(graph);
    std::string text;
    if (estimates > 0) text = "the times that the graph has for " + std::to_string(estimates) + " of its nodes";
    if (graph.header().cost) text += (text.empty() ? "" : " and ") + std::string("its own cost model");
    return text;
}

std::shared_ptr<const Graph> with_cost(GraphEditor& editor, const Graph& graph, CostParameters cost) {
    GraphHeader header = graph.header();
    header.cost = std::move(cost);
    editor.set_header(std::move(header));
    std::vector<NodeId> origin;
    return editor.finish(origin);
}

}  // namespace

ModelledGraph with_cost_model(const std::shared_ptr<const Graph>& graph, const NamedCostModel& model) {
    ModelledGraph result;
    if (const std::string before = replaced(*graph); !before.empty())
        result.notes.push_back("the cost model " + in_quotes(model.name) + " replaces " + before);

    std::vector<std::string> unlisted, without_link;
    const std::vector<ProcessGroup> groups = groups_of(*graph, unlisted);
    CostParameters cost = parameters_of(model);
    for (const ProcessGroup& group : groups) {
        const std::optional<CostParameters::Link> link = link_of(model, group);
        if (link) {
            cost.links.push_back(*link);
        } else {
            without_link.push_back(group.name);
        }
    }
    if (!unlisted.empty() && (model.cluster || model.between_nodes)) {
        result.notes.push_back(
            "ranks are not known of process groups that the graph does not list, so the link between "
            "nodes is taken for them: " +
            listed(unlisted));
    }
    if (!without_link.empty()) {
        result.notes.push_back("the cost model " + in_quotes(model.name) +
                               " has no link for these process groups, so times of their collectives are not known: " +
                               listed(without_link));
    }
    if (model.contention) {
        cost.contention = CostParameters::Contention{
            model.contention->compute_slowdown, model.contention->communication_slowdown.value_or(0), {}};
        if (model.contention->groups_share_links) cost.contention->shared_links = shared_links(model, *graph, groups);
    }
    // The job compiles alike on another device.
    if (graph->header().cost) cost.compilation = graph->header().cost->compilation;
    cost.json = cost_json(cost, model.origin);

    GraphEditor editor(graph);
    for (NodeId node = 0; node < graph->node_count(); ++node) editor.set_estimate(node, std::nullopt);
    result.graph = with_cost(editor, *graph, std::move(cost));
    check_cost_model(*result.graph);
    return result;
}

std::shared_ptr<const Graph> with_compilation(const std::shared_ptr<const Graph>& graph,
                                              const std::optional<Compilation>& compilation) {
    if (!graph->header().cost) {
        if (!compilation) return graph;
        throw InputError("", "times of a compiled job follow from a cost model, and the graph has none",
                         ErrorCode::no_cost_model);
    }
    CostParameters cost = *graph->header().cost;
    if (cost.compilation == compilation) return graph;
    cost.compilation = compilation;
    Json json = cost.json.empty() ? Json::object() : Json::parse(cost.json);
    put_compilation(compilation, json);
    cost.json = json_text_of(json);
    GraphEditor editor(graph);
    return with_cost(editor, *graph, std::move(cost));
}

NamedCostModel named_model_of(const CostParameters& cost, const std::string& graph_name) {
    NamedCostModel model;
    model.name = cost.model_name.empty() ? graph_name : cost.model_name;
    model.origin.kind = "graph";
    model.device_name = cost.device_name;
    model.flops_per_s = cost.flops_per_s;
    model.flops_efficiency = cost.flops_efficiency;
    model.memory_bytes_per_s = cost.memory_bytes_per_s;
    model.memory_efficiency = cost.memory_efficiency;
    model.memory_bytes = cost.memory_bytes;
    model.host_link_bytes_per_s = cost.host_link_bytes_per_s;
    model.classes = cost.classes;
    for (const CostParameters::Link& link : cost.links)
        model.links_of_groups[link.process_group] = {link.latency_ms, 0, link.bytes_per_s, link.kinds};
    if (cost.contention) {
        model.contention =
            NamedCostModel::Contention{cost.contention->compute_slowdown, {}, !cost.contention->shared_links.empty()};
        // A graph has 0 for what is not known.
        if (cost.contention->communication_slowdown > 0)
            model.contention->communication_slowdown = cost.contention->communication_slowdown;
    }
    return model;
}

}  // namespace overlap
