#include "core/timeline/curve_rasterizer.h"

#include <algorithm>

namespace overlap {

std::vector<CurveColumn> rasterize_curve(const MemoryCurve& curve, const TimeAxis& axis) {
    std::vector<CurveColumn> columns(static_cast<std::size_t>(std::max(0.0, axis.width_px)));
    if (curve.empty()) return columns;
    // `next` is the first point after the column's beginning; the point before it holds there.
    auto next = static_cast<std::size_t>(
        std::upper_bound(curve.time_ns.begin(), curve.time_ns.end(), axis.range.begin_ns) - curve.time_ns.begin());
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const std::int64_t end_ns = axis.time_at(static_cast<double>(x) + 1);
        CurveColumn& column = columns[x];
        const auto include = [&column](std::int64_t bytes) {
            column.lowest_bytes = column.defined ? std::min(column.lowest_bytes, bytes) : bytes;
            column.highest_bytes = column.defined ? std::max(column.highest_bytes, bytes) : bytes;
            column.defined = true;
        };
        if (next > 0) include(curve.bytes[next - 1]);
        for (; next < curve.time_ns.size() && curve.time_ns[next] < end_ns; ++next) include(curve.bytes[next]);
    }
    return columns;
}

}  // namespace overlap
