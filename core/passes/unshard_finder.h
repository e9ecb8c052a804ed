#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quote.h"
#include "core/graph/editing/graph_editor.h"
#include "core/passes/pass_support.h"

namespace overlap {

/// Operators that chains from a sharded parameter to its gathered value consist of.
struct UnshardOperators {
    explicit UnshardOperators(const Graph& graph)
        : all_gather(graph, {"_c10d_functional.all_gather_into_tensor.default"}),
          wait(graph, {"_c10d_functional.wait_tensor.default"}),
          split(graph, {"aten.split.Tensor"}),
          getitem(graph, {"operator.getitem"}),
          cat(graph, {"aten.cat.default"}) {}
    TargetSet all_gather, wait, split, getitem, cat;
};

/// How torchtitan finds the gathered values of a parameter (torchtitan/experiments/graph_trainer/fsdp_patterns.py,
/// `find_fsdp_unshard_outputs`).
/// @tparam AnyGraph a Graph or a GraphEditor.
template <typename AnyGraph>
class UnshardFinder {
  public:
    /// @param pass for refusals.
    UnshardFinder(const AnyGraph& graph, const UnshardOperators& operators, std::string_view pass)
        : graph_(graph), is_(operators), pass_(pass) {}

    /// The values that are used in the model's computation, one for each time that the parameter is gathered.
    /// @throws PassRefusal where torchtitan raises.
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
    std::size_t user_count(NodeId node) const {
        if constexpr (requires { graph_.user_count(node); }) {
            return graph_.user_count(node);
        } else {
            return graph_.users(node).size();
        }
    }

    /// The only user, if its only input is the node; else no_node.
    NodeId next_in_chain(NodeId node) const {
        if (user_count(node) != 1) return no_node;
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
        if (user_count(gather) != 1) {
            refuse_node(pass_, graph_.name(gather),
                        "it has " + std::to_string(user_count(gather)) +
                            " users where one wait_tensor is expected, and torchtitan raises a ValueError");
        }
        const NodeId wait = graph_.users(gather).front();
        if (!is_.wait.has(graph_.record(wait))) {
            refuse_node(
                pass_, graph_.name(gather),
                "its user " + in_quotes(graph_.name(wait)) + " is no wait_tensor, and torchtitan raises a ValueError");
        }
        return last_that_is_no_view(end_of_chain(wait));
    }

    /// After a split whose parts are all inputs of one cat: that cat; else no_node.
    NodeId rebuilt(NodeId node) const {
        if (!is_.split.has(graph_.record(node))) return no_node;
        if (user_count(node) == 0) {
            refuse_node(pass_, graph_.name(node), "nobody uses it, and torchtitan raises an IndexError");
        }
        NodeId whole = no_node;
        for (const NodeId part : graph_.users(node)) {
            if (!is_.getitem.has(graph_.record(part)) || user_count(part) != 1) return no_node;
            const NodeId user = graph_.users(part).front();
            if (whole != no_node && user != whole) return no_node;
            whole = user;
        }
        return is_.cat.has(graph_.record(whole)) ? whole : no_node;
    }

    NodeId end_of_chain(NodeId node) const {
        while (true) {
            const NodeId next = user_count(node) == 1 ? next_in_chain(node) : rebuilt(node);
            if (next == no_node) return node;
            node = next;
        }
    }

    NodeId last_that_is_no_view(NodeId node) const {
        while (graph_.op(node) == NodeOp::call_function && graph_.target_info(node).traits.view) {
            if (graph_.inputs(node).size() != 1) {
                refuse_node(pass_, graph_.name(node),
                            "it is a view with several inputs, and torchtitan raises a ValueError");
            }
            node = graph_.inputs(node).front();
        }
        return node;
    }

    const AnyGraph& graph_;
    const UnshardOperators& is_;
    std::string_view pass_;
};

}  // namespace overlap
