#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Matrix products that run in pieces beside pieces of their own collective: `symm_mem.fused_all_gather_matmul` and
/// `symm_mem.fused_matmul_reduce_scatter` of asynchronous tensor parallelism.
struct FusedProduct {
    CollectiveKind kind = CollectiveKind::none;
    std::string_view process_group;
    std::int64_t ranks = 1;         ///< as many pieces there are
    std::int64_t whole_bytes = 0;   ///< what the collective gathers or reduces
    std::int64_t result_bytes = 0;  ///< of all tensors that it returns
    std::int64_t rows = 0, inner = 0;
    std::vector<std::int64_t> columns;  ///< of each product
    Dtype dtype{};
};

/// The fused products of a graph. PyTorch gives neither them nor what is around them a value, so sizes follow from the
/// nodes before.
class FusedProducts {
  public:
    explicit FusedProducts(const Graph& graph);
    bool any() const { return any_; }
    bool is_fused(NodeId node) const;
    /// Nothing for other nodes, and where sizes or the process group are not known, or sizes are beyond 64 bits.
    std::optional<FusedProduct> find(NodeId node) const;

    /// Sizes of a tensor.
    struct Sizes {
        std::vector<std::int64_t> of;
        Dtype dtype{};
    };
    /// Of the tensors that a node returns to which the graph gives no value: for a fused gather the gathered tensor,
    /// then the products. Empty where they are not known.
    std::vector<Sizes> results(NodeId node) const;

  private:
    NodeId node_at(NodeId node, std::size_t place) const;
    /// Of a node before the one whose sizes are being found.
    std::optional<Sizes> sizes(NodeId node) const;
    std::optional<Sizes> sizes_without_value(NodeId node) const;
    std::optional<Sizes> sizes_of_gathered(NodeId fused) const;
    std::optional<Sizes> sizes_of_scattered(NodeId fused) const;
    std::optional<Sizes> sizes_of_item(NodeId getitem) const;
    /// Of all products of a fused gather; empty where one is not known.
    std::vector<Sizes> sizes_of_products(NodeId fused) const;
    std::optional<Sizes> sizes_of_reshaped(NodeId reshape) const;
    std::optional<std::int64_t> columns(const Value& right) const;
    std::int64_t ranks(NodeId fused, std::size_t place) const;
    static bool scale(Sizes& sizes, const Value* dimension, std::int64_t times, std::int64_t over);

    const Graph& graph_;
    bool any_ = false;
    std::unordered_map<NodeId, Sizes> without_value_;  ///< of nodes to which the graph gives no value
};

/// How long pieces take together: the first piece of the product needs no communication, each other one waits for its
/// part of the collective.
double pipelined_ms(double communication_ms, double product_ms, std::int64_t pieces);

/// What a fused product's collective and its products take by a cost model, each by itself.
struct FusedProductTimes {
    NodeId node = no_node;
    double latency_ms = 0, communication_ms = 0;  ///< of the collective: before data moves, and all of it
    double products_ms = 0;
    std::int64_t pieces = 1;
    double time_ms() const { return pipelined_ms(communication_ms, products_ms, pieces); }
};

/// Of all fused products whose sizes are known and whose type and group the model knows, in order of nodes; none
/// where the graph has no cost model.
std::vector<FusedProductTimes> times_of_fused_products(const Graph& graph);

/// Puts what the pieces of each fused product take by the graph's cost model among the times of all nodes: PyTorch
/// gives them no value, so they would take nothing.
/// @param estimates_count whether a node's own `estimate_ms` stands where it has one.
/// @throws InputError where a fused product has no time: without a cost model, or where its sizes are not known.
void price_fused_products(const Graph& graph, bool estimates_count, std::vector<double>& times_ms);

}  // namespace overlap
