#pragma once

#include <cstdint>
#include <optional>

#include "core/graph/graph.h"

namespace overlap {

/// A product of matrices as a device computes it: `batch` times rows x depth by depth x columns.
struct MatrixProduct {
    std::int64_t batch = 1, rows = 0, columns = 0, depth = 0;

    double flops() const {
        return 2.0 * static_cast<double>(batch) * static_cast<double>(rows) * static_cast<double>(columns) *
               static_cast<double>(depth);
    }
};

/// The product of `mm`, `addmm`, `bmm`, `baddbmm`, `_scaled_mm` or `_grouped_mm`, whose groups count as one product of
/// all their rows; nothing for other operators and where a shape is missing.
std::optional<MatrixProduct> matrix_product(const Graph& graph, NodeId node);

}  // namespace overlap
