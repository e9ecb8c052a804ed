#include "core/passes/tensor_parallel/micro_pipeline_tp.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/graph/strides.h"
#include "core/passes/pass_support.h"
#include "core/passes/tensor_parallel/collective_patterns.h"

namespace overlap {

namespace {

using tensor_parallel::GatherMatch;
using tensor_parallel::ScatterMatch;

constexpr std::string_view pass_name = "micro_pipeline_tp_pass";
constexpr std::string_view product_operator = "aten.mm.default", reshape_operator = "aten.reshape.default",
                           scaled_operator = "aten._scaled_mm.default";
/// Gathers along the last dimension are fused from this size on.
constexpr std::int64_t least_last_size = 1024;

/// A matrix product, alone or between two reshapes.
struct Product {
    std::vector<NodeId> nodes;  ///< the product, or reshape, product, reshape
    NodeId left = no_node;      ///< no_node where it is none: only the reference's reduce-scatters look at it
    NodeId right = no_node;
    std::vector<NodeId> right_ancestors;  ///< `right` and what it needs, of what stands behind a limit
    NodeId product() const { return nodes.size() == 1 ? nodes[0] : nodes[1]; }
};

/// Fuses collectives and products of one graph.
class Fuser {
  public:
    explicit Fuser(const std::shared_ptr<const Graph>& graph)
        : editor_(graph),
          products_(graph->find_target(product_operator)),
          reshapes_(editor_.target_index(reshape_operator)),
          scaled_(graph->find_target(scaled_operator)),
          getitems_(editor_.target_index("operator.getitem")) {}

    void fuse(const GatherMatch& match) {
        const TensorMeta& shard = tensor(match.shard);
        const bool is_last = is_last_dimension(shard, match.dimension);
        if (is_last && shard.rank == 0)
            refuse_node(pass_name, editor_.name(match.shard),
                        "it has no dimensions to gather along, and PyTorch raises");
        if (is_last && editor_.shape(shard).back() < least_last_size) return;
        std::vector<Product> products = consumers(match);
        if (products.empty() || (is_last && editor_.user_count(match.result) > products.size())) return;
        require_present(match.shard);

        const NodeId before = match.start;
        const NodeId input = is_last ? match.shard : restrided(match.shard, match.dimension, before);
        std::vector<Value> rights;
        for (const Product& product : products) rights.push_back(Value::of_node(product.right));
        const NodeId fused =
            create("fused_all_gather_matmul_default", editor_.target_index("symm_mem.fused_all_gather_matmul.default"),
                   {Value::of_node(input), editor_.list(rights), Value::of_integer(match.dimension), match.group},
                   before, return_gathered(true));
        const NodeId gathered = getitem(fused, 0, before), results = getitem(fused, 1, before);
        for (std::size_t index = 0; index < products.size(); ++index) {
            const NodeId result = getitem(results, static_cast<std::int64_t>(index), before);
            replace(products[index], result);
            erase_unused(products[index].nodes);
        }
        editor_.replace_all_uses(match.result, gathered);
        erase_unused(match.nodes);
        if (editor_.user_count(gathered) == 0) {
            editor_.erase(gathered);
            editor_.set_arguments(fused, editor_.record(fused).args, return_gathered(false));
        }
        std::vector<NodeId> ancestors;
        for (const Product& product : products) {
            ancestors.insert(ancestors.end(), product.right_ancestors.begin(), product.right_ancestors.end());
        }
        raise(std::move(ancestors), fused);
        ++gathers_;
    }

    void fuse(const ScatterMatch& match) {
        std::optional<Product> product = producer(match);
        if (!product) return;
        tensor(match.input);  // the reference reads its sizes, and those of both factors
        tensor(product->right);
        if (product->left == no_node) refuse_without_tensor(product->nodes.front());
        const NodeId left = restrided(product->left, match.dimension, match.wait);
        const NodeId fused = create("fused_matmul_reduce_scatter_default",
                                    editor_.target_index("symm_mem.fused_matmul_reduce_scatter.default"),
                                    {Value::of_node(left), Value::of_node(product->right), match.operation,
                                     Value::of_integer(match.dimension), match.group},
                                    match.wait);
        editor_.replace_all_uses(match.wait, fused);
        for (const NodeId user : editor_.users(match.start)) {
            if (editor_.op(user) != NodeOp::output) continue;
            editor_.replace_input(user, match.start, fused);
            if (editor_.user_count(match.start) != 1)
                refuse_node(pass_name, editor_.name(match.start),
                            "it has several users, and PyTorch raises an "
                            "AssertionError");
            break;
        }
        erase_unused(match.nodes);
        erase_unused(product->nodes);
        ++scatters_;
    }

    PassResult finish(const std::shared_ptr<const Graph>& graph) {
        if (gathers_ + scatters_ == 0) return unchanged(graph, pass_name);
        require_order(editor_, pass_name);
        PassResult result = finished(editor_, pass_name);
        Problem fused;
        fused.title = "Fused with products";
        fused.message = counted(gathers_, "all-gather") + " and " + counted(scatters_, "reduce-scatter") +
                        " run in pieces beside pieces of their matrix products; the new nodes have no sizes, as in "
                        "PyTorch: passes that read sizes have to run before";
        result.report.problems.push_back(std::move(fused));
        return result;
    }

  private:
    bool is_call(NodeId node, std::uint32_t target) const {
        return node != no_node && editor_.op(node) == NodeOp::call_function && editor_.record(node).target == target;
    }

    [[noreturn]] void refuse_scaled(NodeId node) const {
        refuse_node(pass_name, editor_.name(node), "no file shows what PyTorch makes of scaled matrix products");
    }

    /// The reference keeps matches while it rewrites the graph. A node that an earlier fusion erased would come back
    /// where a later one reads it.
    void require_present(NodeId node) const {
        if (editor_.is_erased(node))
            refuse_node(pass_name, editor_.name(node),
                        "it is part of two fusions, and PyTorch raises or its graph is broken then");
    }

    [[noreturn]] void refuse_without_tensor(NodeId node) const {
        refuse_node(pass_name, editor_.name(node), "an argument that has to be a tensor is none, and PyTorch raises");
    }

    /// A positional argument that the reference takes for a tensor without looking.
    NodeId tensor_argument(NodeId node, std::size_t place) const {
        const NodeId argument = editor_.node_argument(node, place);
        if (argument == no_node) refuse_without_tensor(node);
        return argument;
    }

    const TensorMeta& tensor(NodeId node) const {
        const auto outputs = editor_.outputs(node);
        if (editor_.record(node).multi || outputs.size() != 1 || !outputs.front().is_tensor)
            refuse_node(pass_name, editor_.name(node), "its sizes are needed and not given, and PyTorch raises");
        if (editor_.text(editor_.metadata(node).extra_json).find("symbolic_shapes") != std::string_view::npos)
            refuse_node(pass_name, editor_.name(node),
                        "its sizes are known only when the job runs, and no file shows "
                        "what PyTorch makes of such products");
        return outputs.front();
    }

    bool is_last_dimension(const TensorMeta& meta, std::int64_t dimension) const {
        return dimension == meta.rank - 1 || dimension == -1;
    }

    /// Products that read what is gathered as their left factor and whose right factor does not need it.
    std::vector<Product> consumers(const GatherMatch& match) {
        std::vector<Product> found;
        const auto add = [&](std::vector<NodeId> nodes) {
            Product product = made(std::move(nodes));
            find_ancestors(product, match.start);
            if (std::ranges::find(product.right_ancestors, match.result) == product.right_ancestors.end())
                found.push_back(std::move(product));
        };
        for (const NodeId user : editor_.users(match.result)) {
            if (is_call(user, scaled_)) refuse_scaled(user);
            if (is_call(user, products_)) add({user});
            if (!is_call(user, reshapes_)) continue;
            for (const NodeId product : editor_.users(user)) {
                if (is_call(product, scaled_)) refuse_scaled(product);
                if (!is_call(product, products_)) continue;
                for (const NodeId reshape : editor_.users(product)) {
                    if (!is_call(reshape, reshapes_) || !keeps_outer_sizes(user, product, reshape)) continue;
                    add({user, product, reshape});
                    break;
                }
            }
        }
        return found;
    }

    /// Whether the reshapes around a product undo each other.
    bool keeps_outer_sizes(NodeId first, NodeId product, NodeId second) const {
        const auto input = editor_.shape(tensor(tensor_argument(first, 0)));
        const auto right = editor_.shape(tensor(tensor_argument(product, 1)));
        const auto result = editor_.shape(tensor(second));
        if (right.empty())
            refuse_node(pass_name, editor_.name(product), "a factor has no dimensions, and PyTorch raises");
        std::vector<std::int64_t> expected(input.begin(), input.end());
        if (!expected.empty()) expected.pop_back();
        expected.push_back(right.back());
        return std::ranges::equal(result, expected);
    }

    /// The product whose result is reduced and used nowhere else.
    std::optional<Product> producer(const ScatterMatch& match) {
        std::optional<Product> found;
        if (is_call(match.input, scaled_)) refuse_scaled(match.input);
        if (is_call(match.input, products_) || is_call(match.input, reshapes_)) require_present(match.input);
        if (is_call(match.input, products_)) {
            found = made({match.input});
        } else if (is_call(match.input, reshapes_)) {
            const NodeId product = tensor_argument(match.input, 0);
            if (is_call(product, scaled_)) refuse_scaled(product);
            if (!is_call(product, products_)) return {};
            const NodeId reshape = tensor_argument(product, 0);
            if (!is_call(reshape, reshapes_)) return {};
            found = made({reshape, product, match.input});
        } else {
            return {};
        }
        bool is_used_elsewhere = false;
        if (editor_.user_count(match.input) != 1) {
            editor_.for_each_user(match.input, [&](NodeId user) {
                is_used_elsewhere |= std::ranges::find(match.nodes, user) == match.nodes.end();
            });
        }
        if (is_used_elsewhere) return {};
        return found;
    }

    Product made(std::vector<NodeId> nodes) const {
        Product product;
        product.nodes = std::move(nodes);
        product.left = editor_.node_argument(product.nodes.front(), 0);
        product.right = tensor_argument(product.product(), 1);
        return product;
    }

    /// What the right factor needs, of what does not stand before `limit`: the rest stays where it is.
    void find_ancestors(Product& product, NodeId limit) {
        std::vector<NodeId>& found = product.right_ancestors;
        const auto reach = [&](NodeId node) {
            if (editor_.is_before(node, limit) || editor_.op(node) == NodeOp::placeholder) return;
            if (reached_.size() < editor_.number_count()) reached_.resize(editor_.number_count());
            if (reached_[node] == stamp_) return;
            reached_[node] = stamp_;
            found.push_back(node);
        };
        ++stamp_;
        reach(product.right);
        for (std::size_t at = 0; at < found.size(); ++at) {
            for (const NodeId input : editor_.inputs(found[at])) reach(input);
        }
    }

    void raise(std::vector<NodeId> nodes, NodeId fused) {
        std::ranges::sort(nodes, [&](NodeId left, NodeId right) { return editor_.is_before(left, right); });
        std::erase_if(nodes, [&](NodeId node) { return editor_.is_before(node, fused); });
        for (const NodeId node : nodes) editor_.move_before(node, fused);
    }

    /// A copy of a tensor, where it needs one, whose strides have a dimension outermost.
    NodeId restrided(NodeId input, std::int64_t dimension, NodeId before) {
        const TensorMeta meta = tensor(input);
        const std::size_t rank = meta.rank;
        const auto outermost = static_cast<std::size_t>(dimension < 0 ? dimension + meta.rank : dimension);
        if (outermost >= rank) refuse_node(pass_name, editor_.name(input), "it lacks the dimension of the collective");
        std::vector<std::size_t> order = {outermost};
        for (std::size_t index = 0; index < rank; ++index) {
            if (index != outermost) order.push_back(index);
        }
        std::vector<std::int64_t> sizes, strides;
        for (const std::size_t index : order) {
            sizes.push_back(editor_.shape(meta)[index]);
            strides.push_back(editor_.stride(meta)[index]);
        }
        if (!is_contiguous(sizes, strides)) strides = contiguous_strides(sizes);
        std::vector<Value> values(rank);
        for (std::size_t index = 0; index < rank; ++index) values[order[index]] = Value::of_integer(strides[index]);
        const Value list = editor_.list(values);
        return create("inductor_force_stride_order_default",
                      editor_.target_index("prims.inductor_force_stride_order.default"), {Value::of_node(input), list},
                      before);
    }

    void replace(const Product& product, NodeId result) {
        if (product.nodes.size() == 1) return editor_.replace_all_uses(product.nodes[0], result);
        const NodeId multiplied = product.nodes[1];
        editor_.replace_all_uses(product.nodes[2], result);
        if (editor_.user_count(multiplied) <= 1) return;
        std::vector<Value> sizes;
        for (const std::int64_t size : editor_.shape(tensor(multiplied))) sizes.push_back(Value::of_integer(size));
        const Value list = editor_.list(sizes);
        const NodeId flat = create("reshape_default", reshapes_, {Value::of_node(result), list}, editor_.next(result));
        editor_.replace_all_uses(multiplied, flat);
    }

    void erase_unused(const std::vector<NodeId>& nodes) {
        for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
            if (!editor_.is_erased(*node) && editor_.user_count(*node) == 0) editor_.erase(*node);
        }
    }

    Value return_gathered(bool wanted) {
        const Value entry[] = {Value::of_string(editor_.intern("return_A")), Value::of_boolean(wanted)};
        return editor_.dictionary(entry);
    }

    NodeId getitem(NodeId of, std::int64_t index, NodeId before) {
        return create("getitem", getitems_, {Value::of_node(of), Value::of_integer(index)}, before);
    }

    NodeId create(std::string_view name, std::uint32_t target, const std::vector<Value>& arguments, NodeId before) {
        return create(name, target, arguments, before, editor_.dictionary({}));
    }
    NodeId create(std::string_view name, std::uint32_t target, const std::vector<Value>& arguments, NodeId before,
                  Value keywords) {
        GraphEditor::NewNode node;
        node.base_name = name;
        node.target = target;
        node.args = editor_.list(arguments);
        node.kwargs = keywords;
        return editor_.create(node, before);
    }

    GraphEditor editor_;
    const std::uint32_t products_, reshapes_, scaled_, getitems_;
    std::vector<std::uint32_t> reached_;  ///< by node: the search that reached it
    std::uint32_t stamp_ = 0;
    std::size_t gathers_ = 0, scatters_ = 0;
};

/// Whether anything beside the collectives may be a product: of most jobs nothing is, and no editor is made for them.
bool may_fuse(const Graph& graph, const std::vector<GatherMatch>& gathers, const std::vector<ScatterMatch>& scatters) {
    const TargetSet products(graph, {product_operator, scaled_operator}), reshapes(graph, {reshape_operator});
    const auto is_product = [&](NodeId node) { return products.has(graph.record(node)); };
    const auto node_at = [&](NodeId node, std::size_t place) {
        const Value* value = graph.argument(node, place);
        return value && value->is(ValueKind::node) ? value->node : no_node;
    };
    // A product without a right factor makes the reference raise, wherever it reads what is gathered.
    const auto reads_on_the_left = [&](NodeId product, NodeId factor) {
        return is_product(product) && (node_at(product, 0) == factor || node_at(product, 1) == no_node);
    };
    const auto feeds_product = [&](const GatherMatch& match) {
        return std::ranges::any_of(graph.users(match.result), [&](NodeId user) {
            if (!reshapes.has(graph.record(user))) return reads_on_the_left(user, match.result);
            return std::ranges::any_of(graph.users(user),
                                       [&](NodeId product) { return reads_on_the_left(product, user); });
        });
    };
    const auto follows_product = [&](const ScatterMatch& match) {
        if (!reshapes.has(graph.record(match.input))) return is_product(match.input);
        const NodeId reshaped = node_at(match.input, 0);
        return reshaped == no_node || is_product(reshaped);
    };
    return std::ranges::any_of(gathers, feeds_product) || std::ranges::any_of(scatters, follows_product);
}

}  // namespace

std::string_view MicroPipelineTp::summary() const {
    return "Fuses all-gathers and reduce-scatters of tensor parallelism with the matrix products beside them";
}

PassResult MicroPipelineTp::run(const std::shared_ptr<const Graph>& graph, const Options&, std::stop_token) const {
    const auto [gathers, scatters] = tensor_parallel::find_collectives(*graph);
    if (!may_fuse(*graph, gathers, scatters)) return unchanged(graph, name());
    require_order(*graph, name());
    Fuser fuser(graph);
    for (const GatherMatch& match : gathers) fuser.fuse(match);
    for (const ScatterMatch& match : scatters) fuser.fuse(match);
    return fuser.finish(graph);
}

}  // namespace overlap
