#include "core/passes/overlaps/directed_order.h"

#include <algorithm>
#include <numeric>

#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/graph/direction.h"
#include "core/graph/editing/topological_sort.h"
#include "core/passes/hazards.h"
#include "core/passes/overlaps/overlap_order.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

constexpr std::string_view pass_name = "overlaps";

std::string in_short_quotes(std::string_view name) {
    return in_quotes(shortened(name));
}

const std::string& merged_into(const MergedCollectives& merged, const std::string& name) {
    const auto bucket = std::ranges::find(merged, name, &MergedCollectives::value_type::first);
    return bucket == merged.end() ? name : bucket->second;
}

bool is_compute(const Graph& graph, NodeId node) {
    return graph.target_info(node).traits.compute;
}

bool is_plain_operator(const Graph& graph, NodeId node) {
    const TargetInfo& info = graph.target_info(node);
    return info.starts == CollectiveKind::none && !info.is_wait && !info.is_getitem && !info.traits.view;
}

/// First and last of adjacent nodes.
struct Stretch {
    NodeId first = no_node, last = no_node;

    NodeId distance(NodeId node) const { return node < first ? first - node : node > last ? node - last : 0; }
};

/// Of ascending nodes, the stretch of one direction that is nearest to `node`.
Stretch nearest_stretch(const Graph& graph, const std::vector<NodeId>& nodes, NodeId node) {
    Stretch nearest;
    for (auto begin = nodes.begin(); begin != nodes.end();) {
        const bool backward = is_backward(graph, *begin);
        const auto end =
            std::find_if(begin, nodes.end(), [&](NodeId other) { return is_backward(graph, other) != backward; });
        const Stretch stretch{*begin, *(end - 1)};
        if (nearest.first == no_node || stretch.distance(node) < nearest.distance(node)) nearest = stretch;
        begin = end;
    }
    return nearest;
}

OverlapDependencies by_target(const std::vector<OverlapEdge>& edges) {
    OverlapDependencies dependencies;
    for (const OverlapEdge& edge : edges) {
        auto known = std::ranges::find(dependencies, edge.target, &OverlapDependencies::value_type::first);
        if (known == dependencies.end()) known = dependencies.insert(known, {edge.target, {}});
        std::vector<NodeId>& sources = known->second;
        if (std::ranges::find(sources, edge.source) == sources.end()) sources.push_back(edge.source);
    }
    return dependencies;
}

}  // namespace

DirectedOrder::DirectedOrder(const Graph& graph, const ModuleTree& modules, const MergedCollectives& merged,
                             const OverlapDirectives& settings)
    : graph_(graph),
      modules_(modules),
      merged_(merged),
      insert_overlap_deps_(settings.insert_overlap_deps),
      starts_(collective_starts(graph)),
      further_(graph.node_count()),
      order_(graph.node_count()) {
    std::iota(order_.begin(), order_.end(), NodeId{0});
    if (settings.keep_group_order) further_.add_group_order(graph);
}

DirectiveOutcome DirectedOrder::add(const OverlapDirective& directive) {
    DirectiveOutcome outcome;
    order_before_last_ = order_;
    edges_before_last_ = edges_.size();
    added_last_.clear();
    try {
        const NodeId start = outcome.start = collective(directive.collective);
        const std::vector<NodeId> waits = waits_of(graph_, start);
        for (const Wanted& wanted : wanted(directive, start)) {
            require_possible(wanted, start, waits);
            const auto add = [&](const OverlapEdge& edge) {
                outcome.edges.push_back(edge);
                if (further_.add(edge)) added_last_.push_back(edge);
            };
            switch (wanted.wish) {
                case OverlapWish::start_after:
                    add({start, wanted.node});
                    break;
                case OverlapWish::start_before:
                    add({wanted.node, start});
                    break;
                case OverlapWish::wait_after:
                    for (const NodeId wait : waits) add({wait, wanted.node});
                    break;
            }
        }
        for (const OverlapEdge& edge : outcome.edges)
            if (edge.source == start) move_before(start, edge.target);
        edges_.insert(edges_.end(), outcome.edges.begin(), outcome.edges.end());
    } catch (const InputError& error) {
        take_back();
        outcome.edges.clear();
        outcome.refusal = error.what();
    }
    return outcome;
}

void DirectedOrder::take_back() {
    for (const OverlapEdge& edge : added_last_) further_.remove(edge);
    added_last_.clear();
    edges_.resize(edges_before_last_);
    order_ = order_before_last_;
}

NodeId DirectedOrder::collective(const std::string& name) const {
    NodeId node = graph_.find(name);
    if (node == no_node) node = graph_.find(merged_into(merged_, name));
    if (node != no_node && std::ranges::binary_search(starts_, node)) return node;
    if (node != no_node) throw InputError("", in_short_quotes(name) + " is no collective");
    std::vector<std::string> names;
    for (const NodeId start : starts_) names.emplace_back(graph_.name(start));
    throw InputError("", "the graph has no collective " + in_short_quotes(name) + suggest_names(name, names));
}

NodeId DirectedOrder::node(const std::string& name) const {
    NodeId node = graph_.find(name);
    if (node == no_node) node = graph_.find(merged_into(merged_, name));
    if (node != no_node) return node;
    std::vector<std::string> names;
    for (NodeId other = 0; other < graph_.node_count(); ++other) names.emplace_back(graph_.name(other));
    const std::vector<std::string> near = nearest_names(name, names, 1);
    throw InputError("", "the graph has no node " + in_short_quotes(name) +
                             (near.empty() ? std::string() : "; nearest: " + in_quotes(near.front())));
}

std::vector<DirectedOrder::Wanted> DirectedOrder::wanted(const OverlapDirective& directive, NodeId start) const {
    std::vector<Wanted> wanted;
    const auto want = [&](OverlapWish wish, const std::string& name) {
        if (!name.empty()) wanted.push_back({wish, node(name)});
    };
    want(OverlapWish::start_after, directive.start_after);
    want(OverlapWish::start_before, directive.start_before);
    want(OverlapWish::wait_after, directive.wait_after);
    if (!directive.hide_behind.empty())
        for (const Wanted& each : behind_module(directive.hide_behind, start)) wanted.push_back(each);
    if (wanted.empty())
        throw InputError("",
                         "the directive asks for nothing: expected start_after, start_before, wait_after or "
                         "hide_behind");
    return wanted;
}

std::vector<DirectedOrder::Wanted> DirectedOrder::behind_module(const std::string& path, NodeId start) const {
    const ModuleTree::ModuleId module = modules_.exists() ? modules_.find(path) : ModuleTree::no_module;
    if (module == ModuleTree::no_module) throw InputError("", "the graph has no module " + in_short_quotes(path));
    const OverlapReach reach(graph_, further_, start);
    const std::vector<NodeId>& nodes = modules_.module(module).nodes;
    const bool computes = std::ranges::any_of(nodes, [&](NodeId node) { return is_compute(graph_, node); });
    std::vector<NodeId> beside;
    for (const NodeId node : nodes) {
        if (graph_.op(node) != NodeOp::call_function || reach.is_needed(node) || reach.is_dependent(node)) continue;
        if (computes ? is_compute(graph_, node) : is_plain_operator(graph_, node)) beside.push_back(node);
    }
    if (beside.empty())
        throw InputError("", std::string(graph_.name(start)) + " cannot run behind " + path +
                                 ": everything that computes there has to come before it or behind its wait");
    const Stretch stretch = nearest_stretch(graph_, beside, start);
    std::vector<Wanted> wanted{{OverlapWish::start_before, stretch.first}};
    if (!reach.waits().empty()) wanted.push_back({OverlapWish::wait_after, stretch.last});
    return wanted;
}

void DirectedOrder::require_possible(const Wanted& wanted, NodeId start, const std::vector<NodeId>& waits) const {
    const auto refuse = [&](const std::string& reason) {
        if (!reason.empty()) throw InputError("", reason);
    };
    const std::string own(graph_.name(start));
    if (wanted.wish == OverlapWish::wait_after && waits.empty()) refuse(own + " is not waited for in this graph");
    refuse(misplaced(graph_, wanted.wish, wanted.node));
    const auto require_no_way = [&](NodeId first, NodeId then) {
        const std::vector<NodeId> way = dependency_way(graph_, further_, first, then);
        if (!way.empty()) refuse(refusal_text(graph_, wanted.wish, start, wanted.node, way));
    };
    switch (wanted.wish) {
        case OverlapWish::start_after:
            require_no_way(start, wanted.node);
            break;
        case OverlapWish::start_before:
            require_no_way(wanted.node, start);
            if (insert_overlap_deps_ && graph_.op(wanted.node) != NodeOp::call_function)
                refuse(std::string(graph_.name(wanted.node)) +
                       " is no call_function, and only those can keep the order by control_deps");
            break;
        case OverlapWish::wait_after:
            for (const NodeId wait : waits) require_no_way(wait, wanted.node);
            break;
    }
}

void DirectedOrder::move_before(NodeId start, NodeId target) {
    const auto begin = std::ranges::find(order_, target);
    std::vector<bool> needed(graph_.node_count());
    std::vector<NodeId> pending{start};
    needed[start] = true;
    while (!pending.empty()) {
        const NodeId node = pending.back();
        pending.pop_back();
        const auto need = [&](NodeId other) {
            if (needed[other]) return;
            needed[other] = true;
            pending.push_back(other);
        };
        for (const NodeId input : graph_.inputs(node)) need(input);
        for (const NodeId source : further_.before(node)) need(source);
    }
    std::stable_partition(begin, order_.end(), [&](NodeId node) { return needed[node]; });
}

PassResult DirectedOrder::apply(const std::shared_ptr<const Graph>& graph) const {
    if (edges_.empty()) return unchanged(graph, pass_name);
    GraphEditor editor(graph);
    editor.set_order(order_);
    // There is no cycle: add() refuses what would close one.
    stable_topological_sort(editor, FurtherDependencies(further_.before()));
    if (insert_overlap_deps_) insert_control_deps(editor, by_target(edges_));
    PassResult result = finished(editor, pass_name);
    for (const OverlapEdge& edge : edges_)
        result.report.orderings.push_back(
            {std::string(graph->name(edge.target)), std::string(graph->name(edge.source))});
    result.report.problems = reads_before_fill(*result.graph);
    return result;
}

DirectedGraph apply_overlap_directives(const std::shared_ptr<const Graph>& graph, const ModuleTree& modules,
                                       const OverlapDirectives& directives, const MergedCollectives& merged) {
    require_order(*graph, pass_name);
    DirectedOrder order(*graph, modules, merged, directives);
    DirectedGraph directed;
    for (const OverlapDirective& directive : directives.list) directed.outcomes.push_back(order.add(directive));
    directed.result = order.apply(graph);
    return directed;
}

}  // namespace overlap
