#include "core/passes/pass_support.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap {

TargetSet::TargetSet(const Graph& graph, std::initializer_list<std::string_view> names)
    : member_(graph.target_count()) {
    for (const std::string_view name : names) {
        const std::uint32_t target = graph.find_target(name);
        if (target == Graph::no_target) continue;
        member_[target] = 1;
        any_ = true;
    }
}

PassResult unchanged(const std::shared_ptr<const Graph>& graph, std::string_view pass) {
    PassResult result;
    result.graph = graph;
    result.report.pass = pass;
    result.origin.resize(graph->node_count());
    std::iota(result.origin.begin(), result.origin.end(), NodeId{0});
    return result;
}

PassResult finished(GraphEditor& editor, std::string_view pass) {
    return or_refused(pass, [&] {
        PassResult result;
        result.report.pass = pass;
        result.graph = editor.finish(result.origin);
        return result;
    });
}

Problem caution(ProblemKind kind, std::string title, std::string message, std::vector<std::string> nodes) {
    Problem problem;
    problem.severity = Severity::caution;
    problem.kind = kind;
    problem.title = std::move(title);
    problem.message = std::move(message);
    problem.nodes = std::move(nodes);
    return problem;
}

std::optional<Problem> order_left_open(const GraphEditor& editor) {
    Problem problem;
    for (NodeId node = editor.first(); node != no_node; node = editor.next(node)) {
        const auto is_behind = [&](NodeId input) { return editor.is_before(node, input); };
        if (std::ranges::any_of(editor.inputs(node), is_behind)) problem.nodes.emplace_back(editor.name(node));
    }
    if (problem.nodes.empty()) return {};
    problem.severity = Severity::caution;
    problem.kind = ProblemKind::order_left_open;
    problem.title = "Not sorted yet";
    problem.message = std::to_string(problem.nodes.size());
    problem.message +=
        problem.nodes.size() == 1 ? " node stands before one of its inputs" : " nodes stand before one of their inputs";
    problem.message +=
        "; PyTorch leaves it so until Inductor sorts, and no command reads a file of such a graph: add the pass "
        "stable_topological_sort";
    return problem;
}

void refuse_node(std::string_view pass, std::string_view node, const std::string& reason) {
    throw PassRefusal(std::string(pass), "node " + in_quotes(node), reason);
}

void refuse_unknown_group(std::string_view pass, std::string_view node, std::string_view group) {
    refuse_node(
        pass, node,
        "the document does not list its process group " + in_quotes(group) + ", and PyTorch raises a RuntimeError");
}

namespace {

[[noreturn]] void refuse_order(std::string_view pass, std::string_view node, std::string_view input) {
    refuse_node(pass, node, "it stands before its input " + in_quotes(input) + ", and torch.fx raises a RuntimeError");
}

}  // namespace

void require_order(const Graph& graph, std::string_view pass) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        for (const NodeId input : graph.inputs(node)) {
            if (input >= node) refuse_order(pass, graph.name(node), graph.name(input));
        }
    }
}

void require_order(const GraphEditor& editor, std::string_view pass) {
    for (NodeId node = editor.first(); node != no_node; node = editor.next(node)) {
        for (const NodeId input : editor.inputs(node)) {
            if (!editor.is_before(input, node)) refuse_order(pass, editor.name(node), editor.name(input));
        }
    }
}

}  // namespace overlap
