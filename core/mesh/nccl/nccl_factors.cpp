#include "core/mesh/nccl/nccl_factors.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace overlap {

using nccl_tables::SizeFactors;

int floor_log2(std::int64_t value) {
    return value <= 0 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
}

double interpolated_factor(const SizeFactors& factors, std::int64_t bytes) {
    const std::int64_t lines = bytes >> 6;
    if (lines <= 0) return factors.front();
    const double position = std::log2(static_cast<double>(lines));
    const auto below = static_cast<std::size_t>(position);
    if (below + 1 >= factors.size()) return factors.back();
    const double fraction = position - static_cast<double>(below);
    return factors[below] * (1 - fraction) + factors[below + 1] * fraction;
}

double tree_factor(NcclProtocol protocol, std::int64_t bytes, int entries) {
    const int entry = floor_log2(bytes >> 6);
    return entry < entries ? nccl_tables::tree_factors[nccl_tables::at(protocol)][static_cast<std::size_t>(entry)]
                           : 1.0;
}

double ring_factor(std::int64_t nodes, std::int64_t bytes_per_rank) {
    if (nodes <= 4) return interpolated_factor(nccl_tables::ring_factors, bytes_per_rank);
    const double exponent = 1.0 + 0.2 * (floor_log2(nodes) - 2);
    SizeFactors deeper = nccl_tables::ring_factors;
    for (std::size_t entry = 0; entry < deeper.size(); ++entry) {
        if (deeper[entry] < 1.0) deeper[entry] = std::pow(deeper[entry], exponent);
        if (entry > 0) deeper[entry] = std::min(deeper[entry], 2.0 * deeper[entry - 1]);
    }
    return interpolated_factor(deeper, bytes_per_rank);
}

double interpolated_value(std::span<const nccl_tables::Point> points, std::int64_t count) {
    if (count <= points.front().count) return points.front().value;
    for (std::size_t point = 1; point < points.size(); ++point) {
        const nccl_tables::Point& left = points[point - 1];
        const nccl_tables::Point& right = points[point];
        if (count > right.count) continue;
        const double fraction = static_cast<double>(count - left.count) / static_cast<double>(right.count - left.count);
        return left.value + fraction * (right.value - left.value);
    }
    return points.back().value;
}

}  // namespace overlap
