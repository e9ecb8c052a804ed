// What others read of a region is joined, and copies that nobody reads go.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/base/quote.h"
#include "core/passes/experts/chunk_lowering.h"
#include "core/passes/experts/joined_gradient.h"
#include "core/passes/pass_support.h"

namespace overlap::experts {

namespace {

/// A value of a region that nodes outside it read.
struct LiveOut {
    std::size_t index = 0;                ///< in the region
    std::vector<NodeId> per_half, whole;  ///< readers, in the order in which they registered
    NodeId first_whole = no_node;         ///< the first in the graph of those that read it whole
};

class RegionLowering {
  public:
    RegionLowering(const LoweringContext& context, const ChunkRegion& region)
        : context_(context),
          graph_(context.graph),
          editor_(graph_.editor()),
          region_(region),
          root_(context.roots[region.root]),
          boundary_(region_boundary(context, region)),
          preserved_(context.sets.preserved),
          synthetic_(graph_, root_, region.is_backward) {
        preserved_.clear();
    }

    void run() {
        refuse_attention();
        refuse_other_collectives();
        const HalvedInputs inputs = halve_inputs(context_, region_, boundary_, synthetic_);
        find_live_outs();
        BodyCopier bodies(context_, region_, inputs, preserved_);
        bodies.run();
        for (LiveOut& live_out : in_order_of_whole_readers()) join(bodies, live_out);
        erase_unused(bodies);
    }

  private:
    void refuse_attention() const {
        if (!context_.by_sequence) return;
        for (const NodeId node : region_.nodes) {
            std::string dotted(".");
            (dotted += graph_.module(node)) += '.';
            if (dotted.find(".attention.") == dotted.npos) continue;
            refuse_node(chunk_pass, editor_.name(node),
                        "it belongs to attention, which needs the keys and values of the whole sequence; torchtitan "
                        "raises a NotImplementedError: use the mode batch");
        }
    }

    bool is_expert_collective(NodeId node) const {
        if (graph_.is_expert_labelled(node)) return true;
        if (!graph_.has(node, ChunkGraph::awaits) || editor_.inputs(node).empty()) return false;
        const NodeId awaited = editor_.inputs(node).front();
        return boundary_.body.has(awaited) && graph_.is_expert_labelled(awaited);
    }

    void refuse_other_collectives() const {
        for (const NodeId node : region_.nodes) {
            if (!graph_.has(node, ChunkGraph::collective) || is_expert_collective(node)) continue;
            refuse_node(chunk_pass, editor_.name(node),
                        "it is a collective in " + in_quotes(root_.module) +
                            " that has nothing to do with experts, and would run twice; torchtitan raises a "
                            "ValueError");
        }
    }

    /// Whether a reader of a forward value will read halves: it is in the same module's backward pass.
    bool reads_halves(NodeId user) const {
        if (region_.is_backward) return false;
        const ChunkRegion* owner = user < context_.owners.size() ? context_.owners[user] : nullptr;
        if (owner && owner->root == region_.root && owner->is_backward) return true;
        if (!graph_.is_backward(user)) return false;
        if (context_.finder.is_inside(user, region_.root)) return true;
        if (graph_.module_id(user) != empty_string || !graph_.depends(user)) return false;
        bool inside = true;
        const auto look = [&](NodeId neighbour) {
            inside &= graph_.module_id(neighbour) == empty_string || context_.finder.is_inside(neighbour, region_.root);
        };
        for (const NodeId input : editor_.inputs(user)) look(input);
        editor_.for_each_user(user, look);
        return inside;
    }

    void find_live_outs() {
        for (std::size_t index = 0; index < region_.nodes.size(); ++index) {
            const NodeId node = region_.nodes[index];
            bool outside = false, inside = false;
            editor_.for_each_user(node, [&](NodeId user) {
                const bool own = boundary_.body.has(user);
                inside |= own;
                outside |= !own && graph_.is_semantic_user(user);
            });
            if (!outside) continue;
            if (inside && !graph_.tensor(node)) preserved_.add(node);
            LiveOut& made = live_outs_.emplace_back();
            made.index = index;
            for (const NodeId user : editor_.users(node)) {
                if (boundary_.body.has(user) || !graph_.is_semantic_user(user)) continue;
                (reads_halves(user) ? made.per_half : made.whole).push_back(user);
            }
            made.first_whole = first_of(made.whole);
        }
    }

    NodeId first_of(const std::vector<NodeId>& nodes) const {
        NodeId first = no_node;
        for (const NodeId node : nodes) {
            if (first == no_node || editor_.is_before(node, first)) first = node;
        }
        return first;
    }

    std::vector<LiveOut>& in_order_of_whole_readers() {
        std::ranges::stable_sort(live_outs_, [&](const LiveOut& left, const LiveOut& right) {
            const NodeId first = left.first_whole, second = right.first_whole;
            if (first == no_node || second == no_node) return first != no_node;
            return editor_.is_before(first, second);
        });
        return live_outs_;
    }

    void join(const BodyCopier& bodies, const LiveOut& live_out) {
        const OriginalNode& original = bodies.originals()[live_out.index];
        const Halves halves = bodies.halves(live_out.index);
        if (!live_out.per_half.empty()) {
            graph_.set_halves(original.node, halves);
            graph_.set_halves(halves[0], halves);
            graph_.set_halves(halves[1], halves);
        }
        if (live_out.whole.empty() || preserved_.has(original.node)) return;
        // In a half the size is halved in the same dimension as in the whole.
        const int dimension = graph_.chunk_dimension(original.node);
        if (!live_out.per_half.empty() && dimension < 0) {
            refuse_node(chunk_pass, original.name,
                        "the backward pass of " + in_quotes(root_.module) +
                            " reads halves of it and others all of it, and it has no halved dimension to join along; "
                            "torchtitan raises a ValueError");
        }
        if (context_.optimize_grad_live_out && live_out.per_half.empty()) refuse_suffix(original);
        const NodeId whole = join_halves(original, halves, dimension, live_out.whole);
        for (const NodeId user : live_out.whole) editor_.replace_input(user, original.node, whole);
    }

    /// torchtitan joins a gradient before views and reductions that only pass it on, and runs these once.
    void refuse_suffix(const OriginalNode& original) const {
        const NodeId node = original.node;
        if (!region_.is_backward || graph_.chunk_dimension(node) < 0) return;
        const NodeId input = graph_.only_tensor_input(node);
        if (input == no_node) return;
        const bool passes_on =
            editor_.target_info(node).traits.view || graph_.has(node, ChunkGraph::reduction | ChunkGraph::awaits);
        if (!passes_on || !boundary_.body.has(input)) return;
        bool branches = false;
        editor_.for_each_user(input, [&](NodeId user) { branches |= user != node && boundary_.body.has(user); });
        if (branches) return;
        throw JoinedGradientRefusal(
            std::string(chunk_pass), "node " + in_quotes(original.name),
            "torchtitan joins the gradient before this node and runs it once, which no graph shows: set " +
                std::string(JoinedGradientRefusal::option) + " to false");
    }

    /// Whether the whole of a value without a halved dimension is the sum over both halves.
    bool is_sum(const OriginalNode& original, const std::vector<NodeId>& readers) const {
        if (graph_.has(original.node, ChunkGraph::sym_size)) return true;
        if (!graph_.tensor(original.node) || !region_.is_backward) return false;
        const auto is_output = [&](NodeId user) { return editor_.op(user) == NodeOp::output; };
        return std::ranges::all_of(readers, is_output) || context_.escape_boundaries.has(original.node);
    }

    NodeId join_halves(const OriginalNode& original, const Halves& halves, int dimension,
                       const std::vector<NodeId>& readers) {
        NodeFields fields;
        fields.shapes = original.fields->shapes;
        fields.value = original.fields->value;
        const std::array both = {Value::of_node(halves[0]), Value::of_node(halves[1])};
        const NodeId before = first_of(readers);
        NodeId made = no_node;
        if (dimension >= 0) {
            const std::array args = {editor_.list(both), Value::of_integer(dimension)};
            made = synthetic_.create("aten.cat.default", args, original.outputs, std::move(fields),
                                     ChunkRole::materialization, {}, before);
        } else if (is_sum(original, readers)) {
            made = synthetic_.create("aten.add.Tensor", both, original.outputs, std::move(fields),
                                     ChunkRole::materialization, {}, before);
        } else {
            refuse_node(chunk_pass, original.name,
                        in_quotes(editor_.name(readers.front())) + " outside " + in_quotes(root_.module) +
                            " reads all of it, and neither joining nor adding its halves gives that; torchtitan "
                            "raises a ValueError");
        }
        editor_.propose_name(made, std::string(editor_.name(original.node)) + "_chunk_materialized");
        return made;
    }

    /// Erases copies that nobody reads, and then those that only these have read.
    void erase_unused(const BodyCopier& bodies) {
        NodeSet& copies = context_.sets.copies;
        copies.clear();
        std::vector<NodeId> unused;
        const auto look = [&](NodeId copy) {
            if (editor_.user_count(copy) == 0 && !graph_.has_halves(copy) && !graph_.writes(copy))
                unused.push_back(copy);
        };
        for (std::size_t index = 0; index < bodies.originals().size(); ++index) {
            for (const NodeId copy : bodies.halves(index)) {
                copies.add(copy);
                look(copy);
            }
        }
        while (!unused.empty()) {
            const NodeId copy = unused.back();
            unused.pop_back();
            const std::vector<NodeId> inputs(editor_.inputs(copy).begin(), editor_.inputs(copy).end());
            editor_.erase(copy);
            for (const NodeId input : inputs) {
                if (copies.has(input)) look(input);
            }
        }
    }

    const LoweringContext& context_;
    ChunkGraph& graph_;
    GraphEditor& editor_;
    const ChunkRegion& region_;
    const ChunkRoot& root_;
    const RegionBoundary boundary_;
    NodeSet& preserved_;  ///< no tensors, read in the region and outside it; of the context
    SyntheticNodes synthetic_;
    std::vector<LiveOut> live_outs_;
};

}  // namespace

void lower_region(const LoweringContext& context, const ChunkRegion& region) {
    RegionLowering(context, region).run();
}

}  // namespace overlap::experts
