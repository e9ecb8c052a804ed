#include <algorithm>

#include "core/base/quote.h"
#include "core/passes/groups/extra_groups.h"
#include "core/passes/groups/process_group_passes.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

constexpr std::string_view pass_name = "isolate_ep_process_group_pass";
constexpr std::size_t exchange_group = 3;

/// How the reference treats an operator: the place of the group among the positional arguments where it reads it, which
/// also distinguishes an exchange from the rest.
enum class Use : std::uint8_t { none, third_argument, fourth_argument, exchange, not_seen };

std::vector<Use> uses_of_targets(const Graph& graph) {
    std::vector<Use> uses(graph.target_count());
    for (std::uint32_t target = 0; target < graph.target_count(); ++target) {
        const std::string_view name = graph.target_text(target);
        if (name == "_c10d_functional.all_to_all_single.default") {
            uses[target] = Use::exchange;
        } else if (name == "_c10d_functional.reduce_scatter_tensor.default") {
            uses[target] = Use::fourth_argument;
        } else if (name == "_c10d_functional.all_gather_into_tensor.default" ||
                   name == "_c10d_functional.all_reduce.default") {
            uses[target] = Use::third_argument;
        } else if (graph.info_of_target(target).starts != CollectiveKind::none) {
            uses[target] = Use::not_seen;
        }
    }
    return uses;
}

/// Groups that one kind of collectives uses, in order of first use.
struct UsedGroups {
    std::vector<std::string_view> names;
    std::vector<NodeId> first_users;    ///< of each name
    NodeId first_node_group = no_node;  ///< a collective whose group is a node of the graph

    void add(const Graph& graph, NodeId node, const Value& group) {
        if (!group.is(ValueKind::string)) {
            if (first_node_group == no_node) first_node_group = node;
            return;
        }
        const std::string_view name = graph.text(group.string);
        if (std::ranges::find(names, name) != names.end()) return;
        names.push_back(name);
        first_users.push_back(node);
    }
    bool empty() const { return names.empty() && first_node_group == no_node; }
};

void require_known(const Graph& graph, const UsedGroups& used, std::size_t index) {
    if (graph.header().process_group(used.names[index])) return;
    refuse_unknown_group(pass_name, graph.name(used.first_users[index]), used.names[index]);
}

/// Creates groups for exchanges that share one with others. Names represent group objects: a group has one name. Two
/// groups of the same ranks are not shared.
void add_shared(const Graph& graph, const UsedGroups& exchanges, const UsedGroups& others, ExtraGroups& groups) {
    if (exchanges.empty() || others.empty()) return;
    for (const UsedGroups* used : {&exchanges, &others}) {
        if (used->first_node_group == no_node) continue;
        refuse_node(pass_name, graph.name(used->first_node_group),
                    "its process group is no name, so PyTorch cannot look it up and raises an error");
    }
    // The reference looks groups up as it compares them, until it finds the same one.
    for (std::size_t exchange = 0; exchange < exchanges.names.size(); ++exchange) {
        require_known(graph, exchanges, exchange);
        for (std::size_t other = 0; other < others.names.size(); ++other) {
            require_known(graph, others, other);
            if (exchanges.names[exchange] != others.names[other]) continue;
            groups.add(exchanges.names[exchange], graph.name(exchanges.first_users[exchange]));
            break;
        }
    }
}

/// After reassigning, an exchange that shared its group only with gathers is the group's only user.
std::vector<Problem> order_problems(const Graph& graph, const UsedGroups& exchanges, const ExtraGroups& isolated) {
    std::vector<Problem> problems;
    for (const std::string_view name : exchanges.names) {
        if (isolated.find(name) || !graph.header().process_group(std::string(name) + "#fsdp_extra")) continue;
        problems.push_back(caution(
            ProblemKind::isolate_after_reassign, "Not isolated",
            "the all-gathers of " + in_quotes(name) +
                " have been moved away before, so the group is no longer shared and its all-to-alls get no group of "
                "high priority: torchtitan runs this pass before reassign_collective_pgs_pass"));
    }
    return problems;
}

Problem unseen(const std::vector<std::string>& nodes) {
    return caution(ProblemKind::unseen_collectives, "Not looked at",
                   "bucketed, coalesced or in-place collectives and groups given by keyword do not count as users of a "
                   "group: run this pass before bucketing",
                   nodes);
}

}  // namespace

std::string_view IsolateExpertGroup::summary() const {
    return "Moves the all-to-alls of expert parallelism to a group of their own where they share one with other "
           "collectives";
}

PassResult IsolateExpertGroup::run(const std::shared_ptr<const Graph>& graph, const Options&, std::stop_token) const {
    const std::vector<Use> uses = uses_of_targets(*graph);
    if (std::ranges::find(uses, Use::exchange) == uses.end()) return unchanged(graph, name());
    UsedGroups exchanges, others;
    std::vector<std::string> not_seen;
    std::vector<NodeId> exchange_nodes;
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        const Use use = uses[graph->record(node).target];
        if (use == Use::none || graph->op(node) != NodeOp::call_function) continue;
        const Value* group = graph->argument(node, use == Use::third_argument ? 2 : 3);
        if (use == Use::not_seen || !group) {
            not_seen.emplace_back(graph->name(node));
        } else if (use == Use::exchange) {
            exchanges.add(*graph, node, *group);
            exchange_nodes.push_back(node);
        } else {
            others.add(*graph, node, *group);
        }
    }
    ExtraGroups groups(name(), *graph, "ep_extra", true);
    add_shared(*graph, exchanges, others, groups);
    std::vector<Problem> problems = order_problems(*graph, exchanges, groups);
    if (!not_seen.empty()) problems.push_back(unseen(not_seen));
    if (groups.empty()) {
        PassResult result = unchanged(graph, name());
        result.report.problems = std::move(problems);
        return result;
    }

    GraphEditor editor(graph);
    GroupMoves moves(groups);
    for (const NodeId node : exchange_nodes) {
        const Value* group = graph->argument(node, exchange_group);
        if (!group->is(ValueKind::string)) continue;
        const std::span<const Value> given = editor.children(editor.record(node).args);
        moves.move(editor, node, graph->text(group->string), {given.begin(), given.end()}, exchange_group);
    }
    editor.set_header(groups.header());
    PassResult result = finished(editor, name());
    result.report.problems = std::move(problems);
    moves.report("so that token exchange does not queue behind other collectives", result.report);
    return result;
}

}  // namespace overlap
