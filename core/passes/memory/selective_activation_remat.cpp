#include "core/passes/memory/selective_activation_remat.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/quote.h"
#include "core/graph/editing/graph_editor.h"
#include "core/passes/default_names.h"
#include "core/passes/memory/layers.h"
#include "core/passes/memory/memory_operators.h"
#include "core/passes/memory/recompute_tags.h"
#include "core/passes/memory/reload_chains.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

using namespace memory;

constexpr std::string_view pass_name = "selective_activation_remat_pass";

/// Nodes of a run of backward nodes.
struct Region {
    NodeId begin = 0, end = 0;
};

/// What is computed again and where, found in the pass's input.
class RecomputePlan {
  public:
    RecomputePlan(const Graph& graph, const MemoryOperators& operators, const std::vector<RecomputeTag>& tags)
        : graph_(graph), operators_(operators), tags_(tags) {}

    /// @returns false where the backward pass needs nothing that is tagged.
    bool find() {
        refuse_random_numbers();
        const std::vector<Region> regions = regions_that_recompute();
        if (regions.size() > 1) {
            throw PassRefusal(std::string(pass_name), "",
                              "there are " + std::to_string(regions.size()) +
                                  " separate stretches of backward nodes that need outputs computed again, the first "
                                  "from " +
                                  in_quotes(graph_.name(regions[0].begin)) + " on, the second from " +
                                  in_quotes(graph_.name(regions[1].begin)) +
                                  " on, and torchtitan raises a RuntimeError for more than one");
        }
        if (regions.empty()) return false;
        find_targets(regions.front());
        return true;
    }

    /// Nodes to compute again, ascending.
    const std::vector<NodeId>& nodes() const { return nodes_; }
    /// The node of the backward pass before which one of them is computed again.
    NodeId target(NodeId node) const { return targets_[node]; }

  private:
    bool needs_recomputation(NodeId node) const {
        return std::ranges::any_of(graph_.inputs(node), [&](NodeId input) { return is_recomputable(tags_[input]); });
    }

    void refuse_random_numbers() const {
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (!is_recomputable(tags_[node]) || !operators_.has(graph_.record(node), MemoryOperators::seeded))
                continue;
            if (!draws_random_numbers(graph_, node)) continue;
            refuse_node(pass_name, graph_.name(node),
                        "it draws random numbers, which would be others when it is computed again, and torchtitan "
                        "raises a RuntimeError");
        }
    }

    /// Backward nodes of the loss and of the last projection are no part of it: those run in chunks, and may need
    /// outputs of the forward pass, such as a weight that is used twice.
    NodeId first_behind_loss() const {
        for (NodeId node = graph_.node_count(); node-- > 0;) {
            const std::string_view module = graph_.text(graph_.metadata(node).module_fqn);
            if (module == "loss" || module == "lm_head") return node + 1;
        }
        return 0;
    }

    std::vector<Region> regions_that_recompute() const {
        std::vector<Region> regions;
        bool inside = false, needed = false;
        const auto close = [&](NodeId end) {
            if (inside && !needed) regions.pop_back();
            if (inside && needed) regions.back().end = end;
            inside = needed = false;
        };
        for (NodeId node = first_behind_loss(); node < graph_.node_count(); ++node) {
            if (!is_backward(graph_.metadata(node))) {
                close(node);
                continue;
            }
            if (!inside) regions.push_back({node, node});
            inside = true;
            needed = needed || needs_recomputation(node);
        }
        close(graph_.node_count());
        return regions;
    }

    void find_targets(const Region& region) {
        targets_.assign(graph_.node_count(), no_node);
        std::vector<NodeId> stack;
        for (NodeId node = region.begin; node < region.end; ++node) {
            stack.assign(1, node);
            while (!stack.empty()) {
                const NodeId user = stack.back();
                stack.pop_back();
                for (const NodeId input : graph_.inputs(user)) {
                    // What has a target has been walked from.
                    if (!is_recomputable(tags_[input]) || targets_[input] != no_node) continue;
                    targets_[input] = node;
                    nodes_.push_back(input);
                    stack.push_back(input);
                }
            }
        }
        std::ranges::sort(nodes_);
    }

    const Graph& graph_;
    const MemoryOperators& operators_;
    const std::vector<RecomputeTag>& tags_;
    std::vector<NodeId> targets_, nodes_;
};

class Rematerialisation {
  public:
    Rematerialisation(const std::shared_ptr<const Graph>& source, const MemoryOperators& operators,
                      const RecomputePlan& plan)
        : source_(*source), plan_(plan), chains_(source_, operators), editor_(source) {
        copies_.assign(source_.node_count(), no_node);
    }

    PassResult run() {
        for (const NodeId node : plan_.nodes()) compute_again(node, plan_.target(node));
        redirect_backward_users();
        const std::vector<NodeId>& nodes = plan_.nodes();
        for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
            if (editor_.user_count(*node) == 0) editor_.erase(*node);
        }
        raise_getitems();
        require_order(editor_, pass_name);
        std::vector<Problem> problems = report();
        editor_.put_users_in_order();
        PassResult result = finished(editor_, pass_name);
        result.report.problems = std::move(problems);
        return result;
    }

  private:
    void compute_again(NodeId node, NodeId target) {
        copies_of_attributes_.clear();
        for (const NodeId input : source_.inputs(node)) {
            if (const NodeId wait = chains_.reloaded(input); wait != no_node)
                chains_.move_before(editor_, wait, target);
        }
        for (const NodeId input : source_.inputs(node)) {
            if (is_subgraph(input)) copies_of_attributes_.emplace_back(input, copy_attribute(input, target));
        }
        const auto replaced = [&](NodeId input) {
            for (const auto& [attribute, copy] : copies_of_attributes_) {
                if (attribute == input) return copy;
            }
            return in_backward_pass(input);
        };
        const NodeRecord record = editor_.record(node);
        outputs_.assign(source_.outputs(node).begin(), source_.outputs(node).end());
        NodeMetadata metadata = source_.metadata(node);
        metadata.autograd_backward = true;
        const std::string_view name = source_.name(node);
        const NameParts wish = split_name(name);
        GraphEditor::NewNode copy;
        copy.base_name = wish.base;
        copy.number = wish.number;
        copy.target = record.target;
        copy.args = editor_.mapped(record.args, replaced);
        copy.kwargs = editor_.mapped(record.kwargs, replaced);
        copy.outputs = outputs_;
        copy.multi = record.multi;
        copy.metadata = &metadata;
        copy.op = record.op;
        const NodeId made = editor_.create(copy, target);
        const std::string final_name = std::string(name) + "_recomputed";
        if (!editor_.rename(made, final_name)) {
            refuse_node(pass_name, name,
                        "computed again it would be called " + in_quotes(final_name) +
                            ", as another node is, and a document cannot have two nodes of one name");
        }
        copies_[node] = made;
    }

    /// Bodies of higher-order operators are compiled with the operator, so that each needs its own.
    bool is_subgraph(NodeId node) const {
        const NodeRecord& record = source_.record(node);
        return record.op == NodeOp::get_attr && record.output_count == 0 &&
               source_.target(node).find('.') == std::string_view::npos;
    }

    NodeId copy_attribute(NodeId attribute, NodeId target) {
        const NodeRecord record = editor_.record(attribute);
        const std::string name = default_name_of_attribute(source_.target(attribute));
        const NameParts wish = split_name(name);
        GraphEditor::NewNode copy;
        copy.base_name = wish.base;
        copy.number = wish.number;
        copy.target = record.target;
        copy.args = record.args;
        copy.kwargs = record.kwargs;
        const NodeMetadata metadata = source_.metadata(attribute);
        copy.metadata = &metadata;
        copy.op = NodeOp::get_attr;
        return editor_.create(copy, target);
    }

    /// What the backward pass reads in place of a node.
    NodeId in_backward_pass(NodeId node) const {
        if (node >= copies_.size()) return node;
        if (copies_[node] != no_node) return copies_[node];
        const NodeId wait = chains_.reloaded(node);
        return wait != no_node ? wait : node;
    }

    void redirect_backward_users() {
        redirected_.assign(editor_.number_count(), 0);
        for (const NodeId node : plan_.nodes()) {
            editor_.for_each_user(node, [&](NodeId user) {
                if (is_backward(editor_.metadata(user))) redirected_[user] = 1;
            });
        }
        const auto replaced = [&](NodeId input) { return in_backward_pass(input); };
        for (NodeId user = 0; user < redirected_.size(); ++user) {
            if (!redirected_[user]) continue;
            const NodeRecord record = editor_.record(user);
            const Value args = editor_.mapped(record.args, replaced), kwargs = editor_.mapped(record.kwargs, replaced);
            editor_.set_arguments(user, args, kwargs);
        }
    }

    /// Every getitem moves directly behind what it takes apart, the last first (torch/_functorch/compile_utils.py,
    /// `raise_getitems`).
    void raise_getitems() {
        std::vector<NodeId> getitems;
        for (NodeId node = editor_.first(); node != no_node; node = editor_.next(node)) {
            if (editor_.op(node) == NodeOp::call_function && editor_.target_info(node).is_getitem) {
                getitems.push_back(node);
            }
        }
        for (auto node = getitems.rbegin(); node != getitems.rend(); ++node) {
            const auto inputs = editor_.inputs(*node);
            if (inputs.size() != 1) {
                refuse_node(pass_name, editor_.name(*node),
                            "it has " + std::to_string(inputs.size()) +
                                " inputs where a getitem has one, and torch raises an AssertionError");
            }
            editor_.move_after(*node, inputs.front());
        }
    }

    std::vector<Problem> report() const {
        std::vector<Problem> problems;
        Problem again;
        again.kind = ProblemKind::memory_tags;
        again.title = "Computed again";
        again.message = std::to_string(plan_.nodes().size()) + (plan_.nodes().size() == 1 ? " node is" : " nodes are") +
                        " computed again for the backward pass";
        problems.push_back(std::move(again));
        if (std::vector<std::string> open = nodes_with_open_order(); !open.empty()) {
            Problem problem;
            problem.kind = ProblemKind::users_order_open;
            problem.title = "Order of users open";
            problem.message =
                std::to_string(open.size()) + (open.size() == 1 ? " node has" : " nodes have") +
                " several users that torchtitan registers in the order of a Python set, which differs from "
                "run to run; here they are in the order of the nodes, and passes that go by users may do "
                "otherwise in the job";
            problem.nodes = std::move(open);
            problems.push_back(std::move(problem));
        }
        const std::vector<NodeId> hasty = hasty_reloads();
        if (!hasty.empty()) {
            std::vector<std::string> names;
            for (const NodeId node : hasty) names.emplace_back(editor_.name(node));
            problems.push_back(caution(
                ProblemKind::reload_awaited_at_once, "Awaited at once",
                std::to_string(hasty.size()) + (hasty.size() == 1 ? " copy" : " copies") +
                    " from the host moved to where something is computed again from it, directly before the wait, so "
                    "that nothing hides the transfer: save what is computed from the offloaded tensor, or keep the "
                    "tensor",
                std::move(names)));
        }
        return problems;
    }

    /// Nodes that are inputs of at least two of the nodes that the reference visits in the order of a set.
    std::vector<std::string> nodes_with_open_order() const {
        std::vector<std::uint8_t> visits(editor_.number_count());
        for (NodeId user = 0; user < redirected_.size(); ++user) {
            if (!redirected_[user]) continue;
            for (const NodeId input : editor_.inputs(user)) visits[input] = visits[input] > 0 ? 2 : 1;
        }
        std::vector<std::string> names;
        for (NodeId node = editor_.first(); node != no_node; node = editor_.next(node)) {
            if (visits[node] > 1) names.emplace_back(editor_.name(node));
        }
        return names;
    }

    std::vector<NodeId> hasty_reloads() const {
        std::vector<NodeId> reloads = chains_.moved_reloads(editor_);
        std::erase_if(reloads, [&](NodeId reload) {
            const NodeId behind = editor_.next(reload);
            return behind == no_node || editor_.target(behind) != transfer_wait_operator ||
                   editor_.node_argument(behind, 0) != reload;
        });
        return reloads;
    }

    const Graph& source_;
    const RecomputePlan& plan_;
    ReloadChains chains_;
    GraphEditor editor_;
    std::vector<NodeId> copies_;                                   ///< by node of the source: what computes it again
    std::vector<std::pair<NodeId, NodeId>> copies_of_attributes_;  ///< of the node that is being copied
    std::vector<TensorMeta> outputs_;
    std::vector<std::uint8_t> redirected_;  ///< by node
};

}  // namespace

std::string_view SelectiveActivationRemat::summary() const {
    return "Computes outputs that are tagged for it again before the backward pass needs them, in place of keeping "
           "them";
}

PassResult SelectiveActivationRemat::run(const std::shared_ptr<const Graph>& graph, const Options&,
                                         std::stop_token) const {
    return or_refused(name(), [&] {
        const std::vector<RecomputeTag> tags = recompute_tags(*graph, name());
        if (std::ranges::none_of(tags, is_recomputable)) return unchanged(graph, name());
        const MemoryOperators operators(*graph);
        RecomputePlan plan(*graph, operators, tags);
        if (!plan.find()) return unchanged(graph, name());
        return Rematerialisation(graph, operators, plan).run();
    });
}

}  // namespace overlap
