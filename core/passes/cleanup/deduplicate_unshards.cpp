#include "core/passes/cleanup/deduplicate_unshards.h"

#include <algorithm>

#include "core/base/quote.h"
#include "core/graph/graph_editor.h"
#include "core/passes/cleanup/eliminate_dead_code.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

constexpr std::string_view pass_name = "deduplicate_fsdp_unshard_chains_pass";

/// Operators that the chains consist of.
struct ChainOperators {
    explicit ChainOperators(const Graph& graph)
        : all_gather(graph, {"_c10d_functional.all_gather_into_tensor.default"}),
          wait(graph, {"_c10d_functional.wait_tensor.default"}),
          split(graph, {"aten.split.Tensor"}),
          getitem(graph, {"operator.getitem"}),
          cat(graph, {"aten.cat.default"}) {}
    TargetSet all_gather, wait, split, getitem, cat;
};

std::size_t user_count(const Graph& graph, NodeId node) {
    return graph.users(node).size();
}
std::size_t user_count(const GraphEditor& editor, NodeId node) {
    return editor.user_count(node);
}

/// How torchtitan finds the gathered values of a parameter. `AnyGraph` is a Graph or a GraphEditor.
template <typename AnyGraph>
class UnshardFinder {
  public:
    UnshardFinder(const AnyGraph& graph, const ChainOperators& operators) : graph_(graph), is_(operators) {}

    /// The values that are used in the model's computation, one for each time that the parameter is gathered.
    std::vector<NodeId> outputs_of(NodeId parameter) const {
        if (const NodeId gather = last_gather(parameter); gather != no_node) return {output_of(gather)};
        std::vector<NodeId> outputs;
        for (const NodeId user : graph_.users(parameter)) {
            if (graph_.inputs(user).size() > 1) continue;
            const NodeId gather = last_gather(user);
            if (gather == no_node) continue;
            const NodeId output = output_of(gather);
            if (std::ranges::find(outputs, output) == outputs.end()) outputs.push_back(output);
        }
        return outputs;
    }

  private:
    /// The only user, if its only input is the node; else no_node.
    NodeId next_in_chain(NodeId node) const {
        if (user_count(graph_, node) != 1) return no_node;
        const NodeId user = graph_.users(node).front();
        return graph_.inputs(user).size() > 1 ? no_node : user;
    }

    NodeId last_gather(NodeId node) const {
        NodeId last = no_node;
        for (; node != no_node; node = next_in_chain(node)) {
            if (is_.all_gather.has(graph_.record(node))) last = node;
        }
        return last;
    }

    NodeId output_of(NodeId gather) const {
        if (user_count(graph_, gather) != 1) {
            refuse_node(pass_name, graph_.name(gather),
                        "it has " + std::to_string(user_count(graph_, gather)) +
                            " users where one wait_tensor is expected, and torchtitan raises a ValueError");
        }
        const NodeId wait = graph_.users(gather).front();
        if (!is_.wait.has(graph_.record(wait))) {
            refuse_node(
                pass_name, graph_.name(gather),
                "its user " + in_quotes(graph_.name(wait)) + " is no wait_tensor, and torchtitan raises a ValueError");
        }
        return last_that_is_no_view(end_of_chain(wait));
    }

    /// After a split whose parts are all inputs of one cat: that cat; else no_node.
    NodeId rebuilt(NodeId node) const {
        if (!is_.split.has(graph_.record(node))) return no_node;
        if (user_count(graph_, node) == 0) {
            refuse_node(pass_name, graph_.name(node), "nobody uses it, and torchtitan raises an IndexError");
        }
        NodeId whole = no_node;
        for (const NodeId part : graph_.users(node)) {
            if (!is_.getitem.has(graph_.record(part)) || user_count(graph_, part) != 1) return no_node;
            const NodeId user = graph_.users(part).front();
            if (whole != no_node && user != whole) return no_node;
            whole = user;
        }
        return is_.cat.has(graph_.record(whole)) ? whole : no_node;
    }

    NodeId end_of_chain(NodeId node) const {
        while (true) {
            const NodeId next = user_count(graph_, node) == 1 ? next_in_chain(node) : rebuilt(node);
            if (next == no_node) return node;
            node = next;
        }
    }

    NodeId last_that_is_no_view(NodeId node) const {
        while (graph_.op(node) == NodeOp::call_function && graph_.target_info(node).traits.view) {
            if (graph_.inputs(node).size() != 1) {
                refuse_node(pass_name, graph_.name(node),
                            "it is a view with several inputs, and torchtitan raises a ValueError");
            }
            node = graph_.inputs(node).front();
        }
        return node;
    }

    const AnyGraph& graph_;
    const ChainOperators& is_;
};

/// Redirects users of the second and further gathered values to the first one.
class Deduplication {
  public:
    Deduplication(const std::shared_ptr<const Graph>& source, const ChainOperators& operators)
        : editor_(source), finder_(editor_, operators), removable_(source->node_count()) {}

    void visit(NodeId parameter) {
        const std::vector<NodeId> outputs = finder_.outputs_of(parameter);
        for (std::size_t index = 1; index < outputs.size(); ++index) {
            mark_chain(outputs[index], parameter);
            duplicates_.emplace_back(editor_.name(outputs[index]));
            editor_.replace_all_uses(outputs[index], outputs[0]);
        }
    }

    PassResult finish() {
        erase_dead_code(editor_, pass_name, [&](NodeId node) { return removable_[node]; });
        PassResult result = finished(editor_, pass_name);
        result.report.problems.push_back(duplicates());
        return result;
    }

  private:
    /// The value and everything that it needs, except the parameter, may be removed whatever it does.
    void mark_chain(NodeId output, NodeId parameter) {
        std::vector<NodeId> stack = {output};
        std::vector<bool> seen(editor_.source_count());
        while (!stack.empty()) {
            const NodeId node = stack.back();
            stack.pop_back();
            if (node == parameter || seen[node]) continue;
            seen[node] = true;
            removable_[node] = true;
            const std::span<const NodeId> inputs = editor_.inputs(node);
            stack.insert(stack.end(), inputs.begin(), inputs.end());
        }
    }

    Problem duplicates() const {
        Problem problem;
        problem.kind = ProblemKind::duplicate_unshard;
        problem.title = "Gathered again";
        problem.message = std::to_string(duplicates_.size()) +
                          (duplicates_.size() == 1 ? " gathered value repeats" : " gathered values repeat") +
                          " an earlier one of the same parameter, and the users take the earlier one";
        problem.nodes = duplicates_;
        return problem;
    }

    GraphEditor editor_;
    UnshardFinder<GraphEditor> finder_;
    std::vector<bool> removable_;
    std::vector<std::string> duplicates_;
};

}  // namespace

std::string_view DeduplicateUnshards::summary() const {
    return "Lets all uses of a parameter that is gathered several times share the first gathered value";
}

PassResult DeduplicateUnshards::run(const std::shared_ptr<const Graph>& graph, const Options&,
                                    std::stop_token stop) const {
    const ChainOperators operators(*graph);
    const UnshardFinder<Graph> finder(*graph, operators);
    // Up to the first duplicate nothing changes, and the graph itself is faster to read than an editor.
    NodeId node = 0;
    const auto is_gathered_twice = [&] {
        return graph->op(node) == NodeOp::placeholder && finder.outputs_of(node).size() > 1;
    };
    while (node < graph->node_count() && !is_gathered_twice()) ++node;
    if (node == graph->node_count()) return unchanged(graph, name());
    Deduplication deduplication(graph, operators);
    for (; node < graph->node_count(); ++node) {
        if (graph->op(node) != NodeOp::placeholder) continue;
        if (stop.stop_requested()) return {};
        deduplication.visit(node);
    }
    return deduplication.finish();
}

}  // namespace overlap
