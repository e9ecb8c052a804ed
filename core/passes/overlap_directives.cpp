#include "core/passes/overlap_directives.h"

#include <algorithm>
#include <array>

#include "core/graph/direction.h"
#include "core/graph/nearest_name.h"
#include "core/graph/quote.h"
#include "core/graph/topological_sort.h"
#include "core/passes/hazards.h"
#include "core/passes/overlap_order.h"
#include "core/passes/overlap_reach.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

constexpr std::string_view pass_name = "overlaps";

std::string named(std::string_view name) {
    return in_quotes(shortened(name));
}

/// The node of that name, or an error with the nearest ones.
NodeId require_node(const Graph& graph, const std::string& name, const std::string& place) {
    const NodeId node = graph.find(name);
    if (node != no_node) return node;
    std::vector<std::string> names;
    names.reserve(graph.node_count());
    for (NodeId other = 0; other < graph.node_count(); ++other) names.emplace_back(graph.name(other));
    std::string problem = "the graph has no node " + named(name);
    const std::vector<std::string> near = nearest_names(name, names, 1);
    if (!near.empty()) problem += "; nearest: " + in_quotes(near.front());
    throw InputError(place, problem);
}

NodeId require_collective(const Graph& graph, const std::string& name, const MergedCollectives& merged) {
    NodeId node = graph.find(name);
    if (node == no_node) {
        const auto bucket =
            std::find_if(merged.begin(), merged.end(), [&](const auto& pair) { return pair.first == name; });
        if (bucket != merged.end()) node = graph.find(bucket->second);
    }
    const std::vector<NodeId> starts = collective_starts(graph);
    if (node != no_node && std::binary_search(starts.begin(), starts.end(), node)) return node;
    std::vector<std::string> names;
    for (const NodeId start : starts) names.emplace_back(graph.name(start));
    throw InputError(
        "collective " + named(name),
        (node == no_node ? "the graph has no such node" : "it is no collective") + suggest_names(name, names));
}

/// The part of a module that a collective can run beside: neither needed for its start nor waiting for its result.
/// Consecutive in the order of the graph but for what belongs to neither; of two parts that lie apart, as a module's
/// forward and backward do, the one that lies nearer.
struct ModulePart {
    NodeId first = no_node, last = no_node;
};

ModulePart free_part(const Graph& graph, const ModuleTree& modules, const OverlapReach& reach,
                     const std::string& path) {
    const ModuleTree::ModuleId module = modules.exists() ? modules.find(path) : ModuleTree::no_module;
    if (module == ModuleTree::no_module)
        throw InputError("hide_behind " + named(path), "the graph has no module of this path");
    ModulePart nearest, current;
    std::uint32_t nearest_distance = 0;
    const auto distance = [&](const ModulePart& part) {
        if (part.last < reach.start()) return reach.start() - part.last;
        return part.first > reach.start() ? part.first - reach.start() : 0;
    };
    const auto close = [&] {
        if (current.first == no_node) return;
        if (nearest.first == no_node || distance(current) < nearest_distance) {
            nearest = current;
            nearest_distance = distance(current);
        }
        current = {};
    };
    bool was_backward = false;
    for (const NodeId node : modules.module(module).nodes) {
        if (graph.op(node) != NodeOp::call_function) continue;
        if (reach.is_needed(node) || reach.is_dependent(node)) continue;
        const bool backward = is_backward(graph, node);
        if (backward != was_backward) close();
        was_backward = backward;
        if (current.first == no_node) current.first = node;
        current.last = node;
    }
    close();
    if (nearest.first == no_node)
        throw InputError("hide_behind " + named(path), "everything in the module is needed by " +
                                                           std::string(graph.name(reach.start())) +
                                                           " or needs its result, so nothing of it can run beside it");
    return nearest;
}

std::string text_field(const Json& json, const char* key, const std::string& place) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return {};
    if (!found->is_string()) throw InputError(place + "." + key, "expected a name");
    return found->get<std::string>();
}

bool flag_field(const Json& json, const char* key, bool fallback) {
    const auto found = json.find(key);
    if (found == json.end()) return fallback;
    if (!found->is_boolean()) throw InputError(std::string("overlaps.") + key, "expected true or false");
    return found->get<bool>();
}

constexpr std::array<const char*, 5> directive_fields = {"collective", "start_after", "start_before", "wait_after",
                                                         "hide_behind"};

OverlapDirective read_directive(const Json& json, const std::string& place) {
    if (!json.is_object()) throw InputError(place, "expected an object with collective and what it is to run behind");
    OverlapDirective directive;
    directive.collective = text_field(json, "collective", place);
    directive.start_after = text_field(json, "start_after", place);
    directive.start_before = text_field(json, "start_before", place);
    directive.wait_after = text_field(json, "wait_after", place);
    directive.hide_behind = text_field(json, "hide_behind", place);
    if (directive.collective.empty()) throw InputError(place, "the field \"collective\" is missing");
    for (const auto& [key, value] : json.items())
        if (std::find(directive_fields.begin(), directive_fields.end(), key) == directive_fields.end())
            directive.extra[key] = value;
    return directive;
}

/// What further dependencies make impossible, in words.
std::string contradiction(const Graph& graph, const FurtherEdges& further) {
    std::vector<NodeId> cycle = find_cycle(graph, further);
    std::reverse(cycle.begin(), cycle.end());
    if (!cycle.empty()) cycle.push_back(cycle.front());
    return way_text(graph, cycle);
}

/// @throws PassRefusal for an order that is not possible.
PassResult sorted(const std::shared_ptr<const Graph>& graph, const FurtherEdges& further,
                  const std::vector<OverlapEdge>& edges, const OverlapDirectives& directives) {
    GraphEditor editor(graph);
    if (!stable_topological_sort(editor, FurtherDependencies(further.before())))
        throw PassRefusal(
            std::string(pass_name), "",
            "no order fulfils all directives" +
                std::string(directives.keep_group_order ? " and keeps the order of every process group" : "") + ": " +
                contradiction(*graph, further));
    if (directives.insert_overlap_deps) {
        OverlapDependencies dependencies;
        for (const OverlapEdge& edge : edges) {
            auto known = std::find_if(dependencies.begin(), dependencies.end(),
                                      [&](const auto& entry) { return entry.first == edge.target; });
            if (known == dependencies.end()) known = dependencies.insert(known, {edge.target, {}});
            known->second.push_back(edge.source);
        }
        insert_control_deps(editor, dependencies);
    }
    PassResult result = finished(editor, pass_name);
    for (const OverlapEdge& edge : edges)
        result.report.orderings.push_back(
            {std::string(graph->name(edge.target)), std::string(graph->name(edge.source))});
    result.report.problems = reads_before_fill(*result.graph);
    return result;
}

}  // namespace

OverlapDirectives read_overlap_directives(const Json& json) {
    OverlapDirectives directives;
    const Json* list = &json;
    if (json.is_object()) {
        directives.keep_group_order = flag_field(json, "keep_group_order", directives.keep_group_order);
        directives.insert_overlap_deps = flag_field(json, "insert_overlap_deps", directives.insert_overlap_deps);
        for (const auto& [key, value] : json.items())
            if (key != "keep_group_order" && key != "insert_overlap_deps" && key != "directives")
                throw InputError("overlaps", "there is no setting " + named(key));
        const auto found = json.find("directives");
        if (found == json.end()) throw InputError("overlaps", "the field \"directives\" is missing");
        list = &*found;
    }
    if (!list->is_array()) throw InputError("overlaps", "expected a list of directives");
    for (std::size_t index = 0; index < list->size(); ++index)
        directives.list.push_back(
            read_directive((*list)[index], std::string("overlaps[").append(std::to_string(index)).append("]")));
    return directives;
}

Json overlap_directives_json(const OverlapDirectives& directives) {
    Json list = Json::array();
    for (const OverlapDirective& directive : directives.list) {
        Json json = {{"collective", directive.collective}};
        const auto put = [&](const char* key, const std::string& value) {
            if (!value.empty()) json[key] = value;
        };
        put("start_after", directive.start_after);
        put("start_before", directive.start_before);
        put("wait_after", directive.wait_after);
        put("hide_behind", directive.hide_behind);
        for (const auto& [key, value] : directive.extra.items()) json[key] = value;
        list.push_back(std::move(json));
    }
    const OverlapDirectives defaults;
    if (directives.keep_group_order == defaults.keep_group_order &&
        directives.insert_overlap_deps == defaults.insert_overlap_deps)
        return list;
    return {{"keep_group_order", directives.keep_group_order},
            {"insert_overlap_deps", directives.insert_overlap_deps},
            {"directives", std::move(list)}};
}

std::string describe(const OverlapDirective& directive) {
    std::vector<std::string> parts;
    if (!directive.start_after.empty()) parts.push_back("starts after " + directive.start_after);
    if (!directive.start_before.empty()) parts.push_back("starts before " + directive.start_before);
    if (!directive.wait_after.empty()) parts.push_back("is waited for after " + directive.wait_after);
    if (!directive.hide_behind.empty()) parts.push_back("runs behind " + directive.hide_behind);
    std::string text = directive.collective;
    for (std::size_t part = 0; part < parts.size(); ++part)
        text += (part == 0 ? " " : part + 1 < parts.size() ? ", " : " and ") + parts[part];
    return parts.empty() ? text + " is left where it is" : text;
}

MergedCollectives merged_collectives(std::span<const PassReport> reports) {
    MergedCollectives merged;
    for (const PassReport& report : reports)
        for (const BucketReport& bucket : report.buckets) {
            // What a later step merges once more is found under its first name as well.
            for (auto& [member, start] : merged)
                if (std::find(bucket.members.begin(), bucket.members.end(), start) != bucket.members.end())
                    start = bucket.start;
            for (const std::string& member : bucket.members) merged.emplace_back(member, bucket.start);
        }
    return merged;
}

std::vector<OverlapEdge> overlap_edges(const Graph& graph, const ModuleTree& modules, const OverlapDirective& directive,
                                       const MergedCollectives& merged) {
    const NodeId start = require_collective(graph, directive.collective, merged);
    const OverlapReach reach(graph, FurtherEdges(graph.node_count()), start);
    std::vector<OverlapEdge> edges;
    const auto wish = [&](OverlapReach::Wish kind, NodeId node) {
        if (const std::string refusal = reach.refusal(kind, node); !refusal.empty())
            throw InputError("collective " + named(directive.collective), refusal);
        switch (kind) {
            case OverlapReach::Wish::start_after:
                edges.push_back({start, node});
                break;
            case OverlapReach::Wish::start_before:
                edges.push_back({node, start});
                break;
            case OverlapReach::Wish::wait_after:
                for (const NodeId wait : reach.waits()) edges.push_back({wait, node});
                break;
        }
    };
    const auto wish_named = [&](OverlapReach::Wish kind, const char* field, const std::string& name) {
        if (!name.empty()) wish(kind, require_node(graph, name, std::string(field) + " " + named(name)));
    };
    wish_named(OverlapReach::Wish::start_after, "start_after", directive.start_after);
    wish_named(OverlapReach::Wish::start_before, "start_before", directive.start_before);
    wish_named(OverlapReach::Wish::wait_after, "wait_after", directive.wait_after);
    if (!directive.hide_behind.empty()) {
        const ModulePart part = free_part(graph, modules, reach, directive.hide_behind);
        wish(OverlapReach::Wish::start_before, part.first);
        if (!reach.waits().empty()) wish(OverlapReach::Wish::wait_after, part.last);
    }
    return edges;
}

PassResult apply_overlap_directives(const std::shared_ptr<const Graph>& graph, const ModuleTree& modules,
                                    const OverlapDirectives& directives, const MergedCollectives& merged) {
    return or_refused(pass_name, [&] {
        FurtherEdges further(graph->node_count());
        std::vector<OverlapEdge> edges;
        for (const OverlapDirective& directive : directives.list)
            for (const OverlapEdge& edge : overlap_edges(*graph, modules, directive, merged)) {
                edges.push_back(edge);
                further.add(edge);
            }
        if (edges.empty()) return unchanged(graph, pass_name);
        if (directives.keep_group_order) further.add_group_order(*graph);
        return sorted(graph, further, edges, directives);
    });
}

}  // namespace overlap
