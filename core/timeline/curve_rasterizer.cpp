#include "core/timeline/curve_rasterizer.h"

#include <algorithm>

namespace overlap {

std::vector<CurveColumn> rasterize_curve(const MemoryCurve& curve, const TimeAxis& axis) {
    return rasterize_curve(curve.time_ns, curve.bytes, axis);
}

std::vector<CurveColumn> rasterize_curve(std::span<const std::int64_t> time_ns, std::span<const std::int64_t> bytes,
                                         const TimeAxis& axis) {
    std::vector<CurveColumn> columns(static_cast<std::size_t>(std::max(0.0, axis.width_px)));
    if (time_ns.empty()) return columns;
    // `next` is the first point after the column's beginning; the point before it holds there.
    auto next = static_cast<std::size_t>(std::upper_bound(time_ns.begin(), time_ns.end(), axis.range.begin_ns) -
                                         time_ns.begin());
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const std::int64_t end_ns = axis.time_at(static_cast<double>(x) + 1);
        CurveColumn& column = columns[x];
        const auto include = [&column](std::int64_t held) {
            column.lowest_bytes = column.defined ? std::min(column.lowest_bytes, held) : held;
            column.highest_bytes = column.defined ? std::max(column.highest_bytes, held) : held;
            column.defined = true;
        };
        if (next > 0) include(bytes[next - 1]);
        for (; next < time_ns.size() && time_ns[next] < end_ns; ++next) include(bytes[next]);
    }
    return columns;
}

}  // namespace overlap
