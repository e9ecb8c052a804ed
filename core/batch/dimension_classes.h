#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// A dimension of a tensor of a graph, by number.
using DimensionId = std::uint32_t;
inline constexpr DimensionId no_dimension = 0xffffffffu;

/// The dimensions of one tensor: their numbers are consecutive.
struct Dimensions {
    DimensionId first = 0;
    std::span<const std::int64_t> sizes;

    std::size_t rank() const { return sizes.size(); }
    /// `no_dimension` beyond the last one.
    DimensionId at(std::size_t dimension) const {
        return dimension < rank() ? first + static_cast<DimensionId>(dimension) : no_dimension;
    }
};

/// All dimensions of all tensors that a graph's nodes return, in classes: those of one class grow with the batch
/// together, or none does. Rules of operators join classes (core/batch/batch_rules.h).
class DimensionClasses {
  public:
    /// @param graph outlives this object.
    explicit DimensionClasses(const Graph& graph);

    const Graph& graph() const { return *graph_; }
    /// Of output `output` of `node`; without sizes where that is no tensor.
    Dimensions of(NodeId node, std::size_t output = 0) const;

    void join(DimensionId left, DimensionId right);
    /// The dimension has one size whatever the batch is.
    void fix(DimensionId dimension) { join(dimension, fixed_); }
    /// The dimension grows as the batch does.
    void grow(DimensionId dimension) { join(dimension, growing_); }

    /// If the dimension grows, it must be of the batch's own size: a size of 2 x 8192 that becomes 8 x 2048 does not
    /// say which of both grows.
    void only_whole(DimensionId dimension) { only_whole_.push_back(dimension); }
    std::span<const DimensionId> only_whole() const { return only_whole_; }

    bool grows(DimensionId dimension) const { return root(dimension) == root(growing_); }
    /// Whether a join would have made a class grow that is fixed; it was left out.
    bool contradicts() const { return contradicts_; }
    /// Whether a dimension was asked for that a tensor has not, since this was called last.
    bool take_unfit() { return std::exchange(unfit_, false); }

  private:
    DimensionId root(DimensionId dimension) const;

    const Graph* graph_;
    std::vector<std::uint32_t> first_output_;  ///< of each node: place in `first_`
    std::vector<DimensionId> first_;           ///< of each output of each node: its first dimension
    mutable std::vector<DimensionId> parent_;  ///< paths are halved on each look-up
    std::vector<DimensionId> only_whole_;
    DimensionId growing_ = 0, fixed_ = 0;
    bool contradicts_ = false, unfit_ = false;
};

}  // namespace overlap
