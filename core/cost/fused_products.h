#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Matrix products that run in pieces beside pieces of their own collective: `symm_mem.fused_all_gather_matmul` and
/// `symm_mem.fused_matmul_reduce_scatter` of asynchronous tensor parallelism.
struct FusedProduct {
    CollectiveKind kind = CollectiveKind::none;
    std::string_view process_group;
    std::int64_t ranks = 1;        ///< as many pieces there are
    std::int64_t whole_bytes = 0;  ///< what the collective gathers or reduces
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
    /// Nothing for other nodes, and where sizes or the process group are not known.
    std::optional<FusedProduct> find(NodeId node) const;

  private:
    struct Sizes {
        std::vector<std::int64_t> of;
        Dtype dtype{};
    };
    NodeId node_at(NodeId node, std::size_t place) const;
    std::optional<Sizes> sizes(NodeId node, int depth) const;
    std::optional<Sizes> sizes_of_gathered(NodeId fused, int depth) const;
    std::optional<Sizes> sizes_of_item(NodeId getitem, int depth) const;
    std::optional<std::int64_t> columns(const Value& right, int depth) const;
    std::int64_t ranks(NodeId fused, std::size_t place) const;
    static bool scale(Sizes& sizes, const Value* dimension, std::int64_t times, std::int64_t over);

    const Graph& graph_;
    bool any_ = false;
};

/// How long pieces take together: the first piece of the product needs no communication, each other one waits for its
/// part of the collective.
double pipelined_ms(double communication_ms, double product_ms, std::int64_t pieces);

}  // namespace overlap
