#include "core/passes/cleanup/deduplicate_unshards.h"

#include "core/graph/editing/graph_editor.h"
#include "core/passes/cleanup/eliminate_dead_code.h"
#include "core/passes/pass_support.h"
#include "core/passes/unshard_finder.h"

namespace overlap {

namespace {

constexpr std::string_view pass_name = "deduplicate_fsdp_unshard_chains_pass";

/// Redirects users of the second and further gathered values to the first one.
class Deduplication {
  public:
    Deduplication(const std::shared_ptr<const Graph>& source, const UnshardOperators& operators)
        : editor_(source), finder_(editor_, operators, pass_name), removable_(source->node_count()) {}

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
    const UnshardOperators operators(*graph);
    const UnshardFinder<Graph> finder(*graph, operators, pass_name);
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
