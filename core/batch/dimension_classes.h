#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/batch/fraction.h"
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

/// What must hold of a dimension if it grows. Else the batch cannot be changed.
enum class Demand : std::uint8_t {
    batches_alone,  ///< its size is that of its batches: a size of 2 x 8192 that becomes 8 x 2048 does not say which of
                    ///< both grows
    whole_batches,  ///< it holds a whole number of batches: else a part may grow, or there may be more parts
    no_derived_size,  ///< never: a size of -1 beside one that equals the batch
    no_own_bound,     ///< never: a bound that equals the batch
    one_count,        ///< never: it is joined with one that holds another number of batches
};

/// A demand of a node on one of its dimensions.
struct DimensionDemand {
    NodeId node = no_node;
    DimensionId dimension = no_dimension;
    Demand demand = Demand::batches_alone;
};

/// A dimension that puts others one after the other.
struct DimensionSum {
    NodeId node = no_node;
    DimensionId whole = no_dimension;
    std::vector<DimensionId> parts;
};

/// All dimensions of all tensors that a graph's nodes return, in classes: those of one class grow with the batch
/// together, or none does. Within a class it is known how many times as many batches one dimension holds as another.
/// Rules of operators join classes (core/batch/batch_rules.h).
class DimensionClasses {
  public:
    /// @param graph outlives this object.
    explicit DimensionClasses(const Graph& graph);

    const Graph& graph() const { return *graph_; }
    /// Of output `output` of `node`; without sizes where that is no tensor.
    Dimensions of(NodeId node, std::size_t output = 0) const;

    std::int64_t size(DimensionId dimension) const { return sizes_[dimension]; }

    /// Joins and demands that follow are of `node`.
    void visit(NodeId node) { visited_ = node; }
    /// `right` holds `times` as many batches as `left`.
    void join(DimensionId left, DimensionId right, const Fraction& times = whole_fraction);
    /// The dimension has one size whatever the batch is.
    void fix(DimensionId dimension) { join(fixed_, dimension); }
    /// The dimension grows as the batch does, of which it holds `batches`.
    void grow(DimensionId dimension, const Fraction& batches = whole_fraction) { join(growing_, dimension, batches); }
    /// What must hold if the dimension grows.
    void demand(DimensionId dimension, Demand demand) { demands_.push_back({visited_, dimension, demand}); }
    std::span<const DimensionDemand> demands() const { return demands_; }
    /// `whole` holds the batches of all `parts`, of which there is at least one. Known from resolve_sums() on.
    void sum(DimensionId whole, std::vector<DimensionId> parts) {
        sums_.push_back({visited_, whole, std::move(parts)});
    }
    /// Joins what sums say until nothing more follows: a whole with parts of one class, parts of a fixed whole.
    /// @returns the nodes of the first sum in which something grows, and something else is not known to; else no_node.
    /// A contradiction ends it, too, at the visited node.
    NodeId resolve_sums();

    bool grows(DimensionId dimension) const { return root(dimension) == root(growing_); }
    bool fixed(DimensionId dimension) const { return root(dimension) == root(fixed_); }
    /// Whether both grow if one does.
    bool joined(DimensionId left, DimensionId right) const { return root(left) == root(right); }
    /// A number of the class.
    DimensionId root(DimensionId dimension) const { return place_of(dimension).root; }
    /// Local batches that a dimension holds which grows: 4 behind a gather by four ranks.
    Fraction batches(DimensionId dimension) const { return place_of(dimension).times / place_of(growing_).times; }

    /// The node at which a join would have made a class grow that is fixed; it was left out.
    NodeId contradiction() const { return contradiction_; }
    /// Whether a dimension was asked for that a tensor has not, since this was called last.
    bool take_unfit() { return std::exchange(unfit_, false); }

  private:
    struct Place {
        DimensionId root;
        Fraction times;  ///< batches of the dimension in those of the root
    };
    Place place_of(DimensionId dimension) const;
    bool resolve(const DimensionSum& sum);

    const Graph* graph_;
    std::vector<std::uint32_t> first_output_;  ///< of each node: place in `first_`
    std::vector<std::int64_t> sizes_;          ///< of each dimension
    std::vector<DimensionId> first_;           ///< of each output of each node: its first dimension
    mutable std::vector<DimensionId> parent_;  ///< paths are halved on each look-up
    mutable std::vector<Fraction> times_;      ///< of each dimension: its batches in those of its parent
    std::vector<DimensionDemand> demands_;
    std::vector<DimensionSum> sums_;
    DimensionId growing_ = 0, fixed_ = 0;
    NodeId visited_ = no_node, contradiction_ = no_node;
    bool unfit_ = false;
};

}  // namespace overlap
