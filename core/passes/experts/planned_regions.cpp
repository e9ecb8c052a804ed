#include "core/passes/experts/planned_regions.h"

#include <algorithm>
#include <utility>

#include "core/base/quote.h"
#include "core/passes/pass_support.h"

namespace overlap::experts {

std::vector<NodeId> returned_nodes(const GraphEditor& editor) {
    std::vector<NodeId> nodes;
    for (NodeId node = editor.last(); node != no_node; node = editor.previous(node)) {
        if (editor.op(node) != NodeOp::output) continue;
        const auto visit = [&](const auto& self, const Value& value) -> void {
            if (value.is(ValueKind::node)) nodes.push_back(editor.current(value.node));
            for (const Value& child : editor.children(value)) self(self, child);
        };
        if (const Value* returned = editor.argument(node, 0)) visit(visit, *returned);
        break;
    }
    return nodes;
}

namespace {

/// Calls visit(node, input) along the way that a returned gradient took, from its end, as long as each node has one
/// tensor for an input; the last time with no_node. Stops where it returns false.
template <typename Visit>
void walk_gradient(const ChunkGraph& graph, NodeId returned, Visit&& visit) {
    NodeId node = returned;
    // Inputs precede their nodes, so that the way ends.
    while (node != no_node && graph.tensor(node)) {
        const NodeId input = graph.only_tensor_input(node);
        if (!visit(node, input)) return;
        node = input;
    }
}

bool same_domain(const TensorMeta& left, const TensorMeta& right) {
    return left.dtype == right.dtype && left.device == right.device;
}

/// What lies between the modules that are halved and the gradients that the graph returns.
NodeSet behind_boundaries(const ChunkGraph& graph, const NodeSet& boundaries) {
    NodeSet suffix(graph.editor().number_count());
    const std::vector<NodeId> returned = returned_nodes(graph.editor());
    for (std::size_t index = 1; index < returned.size(); ++index) {
        walk_gradient(graph, returned[index], [&](NodeId node, NodeId) {
            // Ways that meet go on together.
            if (boundaries.has(node) || suffix.has(node)) return false;
            suffix.add(node);
            return true;
        });
    }
    return suffix;
}

/// Finds the regions, each of one root in one direction.
class RegionFinder {
  public:
    RegionFinder(const ChunkGraph& graph, const RootFinder& finder, const NodeSet& suffix)
        : graph_(graph),
          editor_(graph.editor()),
          finder_(finder),
          suffix_(suffix),
          is_candidate_(editor_.number_count()),
          in_body_(editor_.number_count()),
          marked_(editor_.number_count()) {}

    /// @param candidates the root's own nodes, in order. @param unnamed nodes without a module, none of which has a
    /// neighbour in a module outside the root.
    std::vector<NodeId> find(std::size_t root, bool is_backward, std::vector<NodeId> candidates,
                             const std::vector<NodeId>& unnamed) {
        root_ = root;
        is_backward_ = is_backward;
        is_candidate_.clear();
        in_body_.clear();
        body_.clear();
        for (const NodeId node : candidates) is_candidate_.add(node);
        if (is_backward_) adopt(candidates, unnamed);
        find_influenced(candidates);
        add_owned_producers();
        keep_needed();
        if (is_backward_) std::erase_if(body_, [&](NodeId node) { return suffix_.has(node); });
        std::ranges::sort(body_, [&](NodeId left, NodeId right) { return editor_.is_before(left, right); });
        return body_;
    }

  private:
    template <typename Test>
    bool any_neighbour(NodeId node, Test&& test) const {
        bool found = std::ranges::any_of(editor_.inputs(node), test);
        if (!found) editor_.for_each_user(node, [&](NodeId user) { found = found || test(user); });
        return found;
    }

    /// Backward nodes without a module that touch the root's own.
    void adopt(std::vector<NodeId>& candidates, const std::vector<NodeId>& unnamed) {
        const auto is_anchor = [&](NodeId node) {
            return is_candidate_.has(node) || (graph_.has_halves(node) && finder_.is_inside(node, root_));
        };
        const std::size_t own = candidates.size();
        NodeSet& open = marked_;
        open.clear();
        for (const NodeId node : unnamed) open.add(node);
        const auto take = [&](NodeId node) {
            if (!open.has(node) || is_candidate_.has(node)) return;
            is_candidate_.add(node);
            candidates.push_back(node);
        };
        for (const NodeId node : unnamed) {
            if (any_neighbour(node, is_anchor)) take(node);
        }
        // What was taken is an anchor of its neighbours.
        for (std::size_t at = own; at < candidates.size(); ++at) {
            const NodeId node = candidates[at];
            for (const NodeId input : editor_.inputs(node)) take(input);
            editor_.for_each_user(node, take);
        }
        if (candidates.size() == own) return;
        std::ranges::sort(candidates, [&](NodeId left, NodeId right) { return editor_.is_before(left, right); });
    }

    void find_influenced(const std::vector<NodeId>& candidates) {
        const auto influences = [&](NodeId input) {
            return in_body_.has(input) || graph_.has_halves(input) ||
                   (!is_candidate_.has(input) && graph_.chunk_dimension(input) >= 0);
        };
        for (const NodeId node : candidates) {
            if (!is_backward_) refuse_opposite_direction(node);
            if (std::ranges::any_of(editor_.inputs(node), influences)) add_to_body(node);
        }
    }

    void refuse_opposite_direction(NodeId node) const {
        for (const NodeId input : editor_.inputs(node)) {
            if (is_candidate_.has(input) || !graph_.is_call(input) || !graph_.tensor(input)) continue;
            if (!graph_.is_backward(input)) continue;
            refuse_node(chunk_pass, editor_.name(node),
                        "it is in the forward pass and reads " + in_quotes(editor_.name(input)) +
                            " of the backward pass; torchtitan raises a ValueError");
        }
    }

    void add_to_body(NodeId node) {
        in_body_.add(node);
        body_.push_back(node);
    }

    template <typename Test>
    bool any_user(NodeId node, Test&& test) const {
        bool found = false;
        editor_.for_each_user(node, [&](NodeId user) { found = found || test(user); });
        return found;
    }

    /// Producers of halved sizes that nothing outside needs: calling the module on a half computes them, too.
    void add_owned_producers() {
        const std::size_t influenced = body_.size();
        std::vector<NodeId> work;
        for (const NodeId node : body_) {
            const auto inputs = editor_.inputs(node);
            work.insert(work.end(), inputs.begin(), inputs.end());
        }
        while (!work.empty()) {
            const NodeId node = work.back();
            work.pop_back();
            if (in_body_.has(node) || !graph_.depends(node)) continue;
            if (!is_candidate_.has(node) && !(graph_.is_call(node) && !graph_.tensor(node))) continue;
            add_to_body(node);
            const auto inputs = editor_.inputs(node);
            work.insert(work.end(), inputs.begin(), inputs.end());
        }
        const auto escapes = [&](NodeId user) { return !in_body_.has(user) && graph_.is_semantic_user(user); };
        NodeSet& producers = marked_;
        producers.clear();
        work.assign(body_.begin() + static_cast<std::ptrdiff_t>(influenced), body_.end());
        for (const NodeId node : work) producers.add(node);
        while (!work.empty()) {
            const NodeId node = work.back();
            work.pop_back();
            if (!in_body_.has(node) || !any_user(node, escapes)) continue;
            in_body_.remove(node);
            for (const NodeId input : editor_.inputs(node)) {
                if (producers.has(input)) work.push_back(input);
            }
        }
        std::erase_if(body_, [&](NodeId node) { return !in_body_.has(node); });
    }

    /// What results that count are computed from.
    void keep_needed() {
        const auto is_output = [&](NodeId user) { return editor_.op(user) == NodeOp::output; };
        const auto escapes = [&](NodeId user) { return !in_body_.has(user) && graph_.is_semantic_user(user); };
        std::vector<NodeId> work;
        for (const NodeId node : body_) {
            if (graph_.writes(node) || any_user(node, is_output) || (graph_.tensor(node) && any_user(node, escapes))) {
                work.push_back(node);
            }
        }
        NodeSet& needed = marked_;
        needed.clear();
        body_.clear();
        while (!work.empty()) {
            const NodeId node = work.back();
            work.pop_back();
            if (needed.has(node)) continue;
            needed.add(node);
            body_.push_back(node);
            for (const NodeId input : editor_.inputs(node)) {
                if (in_body_.has(input)) work.push_back(input);
            }
        }
    }

    const ChunkGraph& graph_;
    const GraphEditor& editor_;
    const RootFinder& finder_;
    const NodeSet& suffix_;
    std::size_t root_ = 0;
    bool is_backward_ = false;
    NodeSet is_candidate_, in_body_;
    NodeSet marked_;  ///< of the step that is being done
    std::vector<NodeId> body_;
};

}  // namespace

NodeSet grad_escape_boundaries(const ChunkGraph& graph) {
    NodeSet boundaries(graph.editor().number_count());
    const std::vector<NodeId> returned = returned_nodes(graph.editor());
    for (std::size_t index = 1; index < returned.size(); ++index) {
        if (!graph.tensor(returned[index]) || graph.chunk_dimension(returned[index]) >= 0) continue;
        walk_gradient(graph, returned[index], [&](NodeId node, NodeId input) {
            const bool ends = input == no_node || graph.chunk_dimension(input) >= 0 ||
                              !same_domain(*graph.tensor(node), *graph.tensor(input));
            if (ends) boundaries.add(node);
            return !ends;
        });
    }
    return boundaries;
}

namespace {

/// Backward nodes without a module, by the root that all of their neighbours with a module are in. Of those whose
/// neighbours have no module, every root may be the one.
class UnnamedNodes {
  public:
    UnnamedNodes(const ChunkGraph& graph, const RootFinder& finder, std::size_t roots)
        : graph_(graph), finder_(finder), of_root_(roots) {}

    void add(NodeId node) {
        std::size_t root = RootFinder::none;
        bool is_open = true, is_foreign = false;
        const auto look = [&](NodeId neighbour) {
            if (graph_.module_id(neighbour) == empty_string) return;
            const std::size_t found = finder_.root_of(neighbour);
            is_foreign |= found == RootFinder::none || (!is_open && found != root);
            root = found;
            is_open = false;
        };
        for (const NodeId input : graph_.editor().inputs(node)) look(input);
        graph_.editor().for_each_user(node, look);
        if (is_foreign) return;
        if (is_open) {
            for (std::vector<NodeId>& nodes : of_root_) nodes.push_back(node);
        } else {
            of_root_[root].push_back(node);
        }
    }

    const std::vector<NodeId>& of(std::size_t root) const { return of_root_[root]; }

  private:
    const ChunkGraph& graph_;
    const RootFinder& finder_;
    std::vector<std::vector<NodeId>> of_root_;
};

}  // namespace

std::vector<ChunkRegion> plan_regions(const ChunkGraph& graph, const RootFinder& finder, std::size_t roots,
                                      const NodeSet& escape_boundaries) {
    const GraphEditor& editor = graph.editor();
    std::vector<std::vector<NodeId>> candidates(roots * 2);  // of each root, forward and backward
    UnnamedNodes unnamed(graph, finder, roots);
    for (NodeId node = editor.first(); node != no_node; node = editor.next(node)) {
        if (!graph.is_call(node)) continue;
        const bool is_backward = graph.is_backward(node);
        if (graph.module_id(node) == empty_string) {
            if (is_backward && !graph.has(node, ChunkGraph::collective)) unnamed.add(node);
            continue;
        }
        if (graph.chunk(node).role != ChunkRole::none) continue;
        const std::size_t root = finder.root_of(node);
        if (root != RootFinder::none) candidates[root * 2 + (is_backward ? 1 : 0)].push_back(node);
    }
    const NodeSet suffix = behind_boundaries(graph, escape_boundaries);
    RegionFinder region_finder(graph, finder, suffix);
    std::vector<ChunkRegion> regions;
    for (std::size_t index = 0; index < candidates.size(); ++index) {
        ChunkRegion region{index / 2, index % 2 == 1, {}};
        region.nodes =
            region_finder.find(region.root, region.is_backward, std::move(candidates[index]), unnamed.of(region.root));
        if (!region.nodes.empty()) regions.push_back(std::move(region));
    }
    std::ranges::stable_sort(regions, [&](const ChunkRegion& left, const ChunkRegion& right) {
        return editor.is_before(left.nodes.front(), right.nodes.front());
    });
    return regions;
}

}  // namespace overlap::experts
