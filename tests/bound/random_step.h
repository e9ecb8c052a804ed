#pragma once

#include <random>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::test {

/// A small step that can be written down in any order that its dependencies allow: products, casts, copies and
/// collectives with their waits on three process groups, two of which share a link.
class RandomStep {
  public:
    RandomStep(std::mt19937& random, int operations, bool mostly_products = false);

    /// In the order in which it was made.
    Graph graph() const;
    /// In another order. @param keep_products whether products stay in their order.
    Graph reordered(std::mt19937& random, bool keep_products) const;

  private:
    enum class Kind { product, cast, gather, reduce, all_to_all, wait };
    struct Operation {
        Kind kind = Kind::product;
        std::vector<std::size_t> inputs;  ///< indices of operations; none: the step's input
        double time_ms = 0;
        std::int64_t size = 4;  ///< elements of its result
        const char* group = "0";
    };

    Graph written(const std::vector<std::size_t>& order) const;

    std::vector<Operation> operations_;
};

}  // namespace overlap::test
