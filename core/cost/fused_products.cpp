#include "core/cost/fused_products.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace overlap {

namespace {

constexpr std::string_view gather_operator = "symm_mem.fused_all_gather_matmul.default",
                           scatter_operator = "symm_mem.fused_matmul_reduce_scatter.default";
/// Nothing where it is beyond 64 bits.
std::optional<std::int64_t> product_of(std::span<const std::int64_t> factors) {
    std::int64_t product = 1;
    for (const std::int64_t factor : factors) {
        if (__builtin_mul_overflow(product, factor, &product)) return {};
    }
    return product;
}

/// Rows and bytes, by the sizes of the left factor before its last. @returns false where they are beyond 64 bits.
bool count_bytes(FusedProduct& product, std::span<const std::int64_t> row_sizes) {
    const std::optional<std::int64_t> rows = product_of(row_sizes);
    if (!rows) return false;
    const bool gathers = product.kind == CollectiveKind::all_gather;
    std::int64_t wide = gathers ? product.inner : 0;
    for (const std::int64_t columns : product.columns) {
        if (__builtin_add_overflow(wide, columns, &wide)) return false;
    }
    const std::int64_t element = dtype_info(product.dtype).bytes;
    const auto whole = product_of(std::array{*rows, gathers ? product.inner : product.columns.front(), element});
    const auto results = product_of(std::array{*rows, wide, element});
    if (!whole || !results) return false;
    product.rows = *rows;
    product.whole_bytes = *whole;
    product.result_bytes = gathers ? *results : *results / product.ranks;
    return true;
}

}  // namespace

FusedProducts::FusedProducts(const Graph& graph) : graph_(graph) {
    for (std::uint32_t target = 0; target < graph.target_count(); ++target) {
        const std::string_view name = graph.target_text(target);
        any_ |= name == gather_operator || name == scatter_operator;
    }
    if (!any_) return;
    // In order, each once: what a node needs is known by then.
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function || !graph.outputs(node).empty()) continue;
        if (std::optional<Sizes> found = sizes_without_value(node)) without_value_.emplace(node, std::move(*found));
    }
}

bool FusedProducts::is_fused(NodeId node) const {
    if (!any_ || graph_.op(node) != NodeOp::call_function) return false;
    return graph_.target(node) == gather_operator || graph_.target(node) == scatter_operator;
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
    if (__builtin_mul_overflow(size, times, &size)) return false;
    size /= over;
    return true;
}

std::optional<std::int64_t> FusedProducts::columns(const Value& right) const {
    if (!right.is(ValueKind::node)) return {};
    const std::optional<Sizes> found = sizes(right.node);
    if (!found || found->of.empty()) return {};
    return found->of.back();
}

std::optional<FusedProducts::Sizes> FusedProducts::sizes(NodeId node) const {
    if (node == no_node) return {};
    const auto outputs = graph_.outputs(node);
    if (outputs.size() == 1 && outputs.front().is_tensor) {
        const auto shape = graph_.shape(outputs.front());
        return Sizes{{shape.begin(), shape.end()}, outputs.front().dtype};
    }
    const auto found = without_value_.find(node);
    return found == without_value_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<FusedProducts::Sizes> FusedProducts::sizes_without_value(NodeId node) const {
    const std::string_view target = graph_.target(node);
    if (target == "prims.inductor_force_stride_order.default") return sizes(node_at(node, 0));
    if (graph_.target_info(node).is_getitem) return sizes_of_item(node);
    if (target == scatter_operator) return sizes_of_scattered(node);
    return target == "aten.reshape.default" ? sizes_of_reshaped(node) : std::nullopt;
}

std::optional<FusedProducts::Sizes> FusedProducts::sizes_of_gathered(NodeId fused) const {
    std::optional<Sizes> found = sizes(node_at(fused, 0));
    if (found && !scale(*found, graph_.argument(fused, 2), ranks(fused, 3), 1)) found.reset();
    return found;
}

std::optional<FusedProducts::Sizes> FusedProducts::sizes_of_scattered(NodeId fused) const {
    std::optional<Sizes> found = sizes(node_at(fused, 0));
    const Value* right = graph_.argument(fused, 1);
    const std::optional<std::int64_t> last = right ? columns(*right) : std::nullopt;
    if (!found || found->of.empty() || !last) return {};
    found->of.back() = *last;
    if (!scale(*found, graph_.argument(fused, 3), 1, ranks(fused, 4))) return {};
    return found;
}

std::optional<FusedProducts::Sizes> FusedProducts::sizes_of_item(NodeId getitem) const {
    const NodeId of = node_at(getitem, 0);
    const Value* index = graph_.argument(getitem, 1);
    if (of == no_node || !index || !index->is(ValueKind::integer)) return {};
    if (graph_.target(of) == gather_operator)
        return index->integer == 0 ? sizes_of_gathered(of) : std::optional<Sizes>();
    // An item of the list of products.
    const NodeId fused = graph_.target_info(of).is_getitem ? node_at(of, 0) : no_node;
    if (fused == no_node || graph_.target(fused) != gather_operator) return {};
    std::vector<Sizes> products = sizes_of_products(fused);
    const auto place = static_cast<std::uint64_t>(index->integer);
    return place < products.size() ? std::optional(std::move(products[place])) : std::nullopt;
}

std::vector<FusedProducts::Sizes> FusedProducts::sizes_of_products(NodeId fused) const {
    const Value* rights = graph_.argument(fused, 1);
    const std::optional<Sizes> left = sizes_of_gathered(fused);
    if (!rights || !rights->is(ValueKind::list) || !left || left->of.empty()) return {};
    std::vector<Sizes> products;
    for (const Value& right : graph_.children(*rights)) {
        const std::optional<std::int64_t> last = columns(right);
        if (!last) return {};
        products.push_back(*left);
        products.back().of.back() = *last;
    }
    return products;
}

std::vector<FusedProducts::Sizes> FusedProducts::results(NodeId node) const {
    if (!any_ || graph_.op(node) != NodeOp::call_function || !graph_.outputs(node).empty()) return {};
    const NodeId of = graph_.target_info(node).is_getitem ? node_at(node, 0) : no_node;
    const bool is_list = of != no_node && graph_.op(of) == NodeOp::call_function &&
                         graph_.target(of) == gather_operator && graph_.argument(node, 1) &&
                         graph_.argument(node, 1)->is(ValueKind::integer) && graph_.argument(node, 1)->integer == 1;
    if (is_list) return sizes_of_products(of);
    if (graph_.target(node) != gather_operator) {
        const std::optional<Sizes> found = sizes(node);
        return found ? std::vector{*found} : std::vector<Sizes>();
    }
    std::vector<Sizes> all = sizes_of_products(node);
    if (!all.empty()) all.insert(all.begin(), *sizes_of_gathered(node));
    return all;
}

std::optional<FusedProducts::Sizes> FusedProducts::sizes_of_reshaped(NodeId reshape) const {
    std::optional<Sizes> found = sizes(node_at(reshape, 0));
    const Value* list = graph_.argument(reshape, 1);
    if (!found || !list || !list->is(ValueKind::list)) return {};
    const std::optional<std::int64_t> elements = product_of(found->of);
    found->of.clear();
    for (const Value& size : graph_.children(*list)) {
        if (!size.is(ValueKind::integer) || size.integer < 0) return {};
        found->of.push_back(size.integer);
    }
    if (!elements || product_of(found->of) != elements) return {};
    return found;
}

std::optional<FusedProduct> FusedProducts::find(NodeId node) const {
    if (!is_fused(node)) return {};
    const bool gathers = graph_.target(node) == gather_operator;
    const std::size_t group_place = gathers ? 3 : 4;
    const std::optional<Sizes> left = gathers ? sizes_of_gathered(node) : sizes(node_at(node, 0));
    const Value* rights = graph_.argument(node, 1);
    FusedProduct product;
    product.ranks = ranks(node, group_place);
    if (!left || left->of.empty() || !rights || product.ranks == 0) return {};
    if (gathers && !rights->is(ValueKind::list)) return {};
    product.kind = gathers ? CollectiveKind::all_gather : CollectiveKind::reduce_scatter;
    product.process_group = graph_.text(graph_.argument(node, group_place)->string);
    product.dtype = left->dtype;
    product.inner = left->of.back();
    std::vector<Value> factors = {*rights};
    if (gathers) factors.assign(graph_.children(*rights).begin(), graph_.children(*rights).end());
    for (const Value& factor : factors) {
        const std::optional<std::int64_t> width = columns(factor);
        if (!width) return {};
        product.columns.push_back(*width);
    }
    if (product.columns.empty() || !count_bytes(product, std::span(left->of).first(left->of.size() - 1))) return {};
    return product;
}

double pipelined_ms(double communication_ms, double product_ms, std::int64_t pieces) {
    return std::max(product_ms, communication_ms + product_ms / static_cast<double>(std::max<std::int64_t>(pieces, 1)));
}

}  // namespace overlap
