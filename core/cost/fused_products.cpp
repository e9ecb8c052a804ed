#include "core/cost/fused_products.h"

#include <algorithm>

namespace overlap {

namespace {

constexpr std::string_view gather_operator = "symm_mem.fused_all_gather_matmul.default",
                           scatter_operator = "symm_mem.fused_matmul_reduce_scatter.default";
/// Nodes without a value follow one another only so far.
constexpr int most_steps = 16;

}  // namespace

FusedProducts::FusedProducts(const Graph& graph) : graph_(graph) {
    for (std::uint32_t target = 0; target < graph.target_count(); ++target) {
        const std::string_view name = graph.target_text(target);
        any_ |= name == gather_operator || name == scatter_operator;
    }
}

NodeId FusedProducts::node_at(NodeId node, std::size_t place) const {
    const Value* value = graph_.argument(node, place);
    return value && value->is(ValueKind::node) ? value->node : no_node;
}

std::int64_t FusedProducts::ranks(NodeId fused, std::size_t place) const {
    const Value* name = graph_.argument(fused, place);
    const ProcessGroup* group =
        name && name->is(ValueKind::string) ? graph_.header().process_group(graph_.text(name->string)) : nullptr;
    return group ? static_cast<std::int64_t>(group->ranks.size()) : 0;
}

bool FusedProducts::scale(Sizes& sizes, const Value* dimension, std::int64_t times, std::int64_t over) {
    if (!dimension || !dimension->is(ValueKind::integer) || over == 0) return false;
    const auto rank = static_cast<std::int64_t>(sizes.of.size());
    const std::int64_t place = dimension->integer < 0 ? dimension->integer + rank : dimension->integer;
    if (place < 0 || place >= rank) return false;
    std::int64_t& size = sizes.of[static_cast<std::size_t>(place)];
    size = size * times / over;
    return true;
}

std::optional<std::int64_t> FusedProducts::columns(const Value& right, int depth) const {
    if (!right.is(ValueKind::node)) return {};
    const std::optional<Sizes> found = sizes(right.node, depth);
    if (!found || found->of.empty()) return {};
    return found->of.back();
}

std::optional<FusedProducts::Sizes> FusedProducts::sizes_of_gathered(NodeId fused, int depth) const {
    std::optional<Sizes> found = sizes(node_at(fused, 0), depth);
    if (found && !scale(*found, graph_.argument(fused, 2), ranks(fused, 3), 1)) found.reset();
    return found;
}

std::optional<FusedProducts::Sizes> FusedProducts::sizes_of_item(NodeId getitem, int depth) const {
    const NodeId of = node_at(getitem, 0);
    const Value* index = graph_.argument(getitem, 1);
    if (of == no_node || !index || !index->is(ValueKind::integer)) return {};
    if (graph_.target(of) == gather_operator)
        return index->integer == 0 ? sizes_of_gathered(of, depth) : std::optional<Sizes>();
    // An item of the list of products.
    const NodeId fused = graph_.target_info(of).is_getitem ? node_at(of, 0) : no_node;
    if (fused == no_node || graph_.target(fused) != gather_operator) return {};
    const Value* rights = graph_.argument(fused, 1);
    if (!rights || !rights->is(ValueKind::list) || index->integer < 0 || index->integer >= rights->count) return {};
    std::optional<Sizes> found = sizes_of_gathered(fused, depth);
    const std::optional<std::int64_t> last =
        columns(graph_.children(*rights)[static_cast<std::size_t>(index->integer)], depth);
    if (!found || found->of.empty() || !last) return {};
    found->of.back() = *last;
    return found;
}

std::optional<FusedProducts::Sizes> FusedProducts::sizes(NodeId node, int depth) const {
    if (node == no_node || depth > most_steps) return {};
    const auto outputs = graph_.outputs(node);
    if (outputs.size() == 1 && outputs.front().is_tensor) {
        const auto shape = graph_.shape(outputs.front());
        return Sizes{{shape.begin(), shape.end()}, outputs.front().dtype};
    }
    if (!outputs.empty() || graph_.op(node) != NodeOp::call_function) return {};
    const std::string_view target = graph_.target(node);
    if (target == "prims.inductor_force_stride_order.default") return sizes(node_at(node, 0), depth + 1);
    if (graph_.target_info(node).is_getitem) return sizes_of_item(node, depth + 1);
    if (target == scatter_operator) {
        std::optional<Sizes> found = sizes(node_at(node, 0), depth + 1);
        const Value* right = graph_.argument(node, 1);
        const std::optional<std::int64_t> last = right ? columns(*right, depth + 1) : std::nullopt;
        if (!found || found->of.empty() || !last) return {};
        found->of.back() = *last;
        if (!scale(*found, graph_.argument(node, 3), 1, ranks(node, 4))) return {};
        return found;
    }
    if (target == "aten.reshape.default") {
        std::optional<Sizes> found = sizes(node_at(node, 0), depth + 1);
        const Value* list = graph_.argument(node, 1);
        if (!found || !list || !list->is(ValueKind::list)) return {};
        found->of.clear();
        for (const Value& size : graph_.children(*list)) {
            if (!size.is(ValueKind::integer) || size.integer < 0) return {};
            found->of.push_back(size.integer);
        }
        return found;
    }
    return {};
}

std::optional<FusedProduct> FusedProducts::find(NodeId node) const {
    if (graph_.op(node) != NodeOp::call_function) return {};
    const bool gathers = graph_.target(node) == gather_operator;
    if (!gathers && graph_.target(node) != scatter_operator) return {};
    const std::size_t group_place = gathers ? 3 : 4;
    const std::optional<Sizes> left = gathers ? sizes_of_gathered(node, 0) : sizes(node_at(node, 0), 0);
    const Value* rights = graph_.argument(node, 1);
    FusedProduct product;
    product.ranks = ranks(node, group_place);
    if (!left || left->of.empty() || !rights || product.ranks == 0) return {};
    product.kind = gathers ? CollectiveKind::all_gather : CollectiveKind::reduce_scatter;
    product.process_group = graph_.text(graph_.argument(node, group_place)->string);
    product.dtype = left->dtype;
    product.inner = left->of.back();
    product.rows = 1;
    for (std::size_t index = 0; index + 1 < left->of.size(); ++index) product.rows *= left->of[index];
    std::vector<Value> factors = {*rights};
    if (gathers) factors.assign(graph_.children(*rights).begin(), graph_.children(*rights).end());
    for (const Value& factor : factors) {
        const std::optional<std::int64_t> width = columns(factor, 0);
        if (!width) return {};
        product.columns.push_back(*width);
    }
    if (product.columns.empty()) return {};
    const std::int64_t moved = gathers ? product.inner : product.columns.front();
    product.whole_bytes = product.rows * moved * dtype_info(product.dtype).bytes;
    return product;
}

double pipelined_ms(double communication_ms, double product_ms, std::int64_t pieces) {
    return std::max(product_ms, communication_ms + product_ms / static_cast<double>(std::max<std::int64_t>(pieces, 1)));
}

}  // namespace overlap
