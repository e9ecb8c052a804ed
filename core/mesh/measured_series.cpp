#include "core/mesh/measured_series.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/byte_units.h"
#include "core/base/error.h"
#include "core/base/grouped_number.h"

namespace overlap {

namespace {

class MeasuredTimes final : public CollectiveTimes {
  public:
    MeasuredTimes(const DeviceMesh& mesh, std::vector<MeasuredSeries> series, const CollectiveTimes& otherwise)
        : shape_(mesh.shape), series_(std::move(series)), otherwise_(otherwise) {
        for (const MeasuredSeries& one : series_) validate(one);
    }

    double time(StepKind kind, std::span<const int> mesh_dims, double local_gib) const override {
        for (const MeasuredSeries& series : series_) {
            if (series.kind != kind || !std::ranges::equal(series.mesh_dims, mesh_dims)) continue;
            std::int64_t ranks = 1;
            for (const int mesh_dim : mesh_dims) ranks *= shape_[static_cast<std::size_t>(mesh_dim)];
            return interpolated_us(series.points, collective_bytes(kind, local_gib * bytes_per_gib, ranks));
        }
        return otherwise_.time(kind, mesh_dims, local_gib);
    }

  private:
    Extents shape_;
    std::vector<MeasuredSeries> series_;
    const CollectiveTimes& otherwise_;
};

}  // namespace

void validate(const MeasuredSeries& series) {
    const std::string place = "measured " + std::string(to_text(series.kind));
    if (series.points.empty()) throw InputError(place, "it has no points");
    for (std::size_t index = 0; index < series.points.size(); ++index) {
        const MeasuredTime& point = series.points[index];
        if (point.bytes < 0 || (index > 0 && point.bytes <= series.points[index - 1].bytes)) {
            throw InputError(place, "its points must ascend in bytes; " + grouped_count(point.bytes) + " does not");
        }
        if (!std::isfinite(point.time_us) || point.time_us < 0.0) {
            throw InputError(
                place, "the time at " + grouped_count(point.bytes) + " bytes is no finite number that is not negative");
        }
    }
}

double interpolated_us(std::span<const MeasuredTime> points, double bytes) {
    const MeasuredTime& first = points.front();
    const MeasuredTime& last = points.back();
    if (bytes <= static_cast<double>(first.bytes)) return first.time_us;
    if (points.size() == 1) {
        return first.bytes == 0 ? first.time_us : first.time_us * bytes / static_cast<double>(first.bytes);
    }
    std::size_t above = 1;
    while (above + 1 < points.size() && static_cast<double>(points[above].bytes) < bytes) ++above;
    const MeasuredTime& low = points[above - 1];
    const MeasuredTime& high = points[above];
    const double slope = (high.time_us - low.time_us) / static_cast<double>(high.bytes - low.bytes);
    const double time_us = low.time_us + slope * (bytes - static_cast<double>(low.bytes));
    // Noise may make the last two points fall; more bytes are never free.
    return bytes > static_cast<double>(last.bytes) ? std::max(time_us, last.time_us) : time_us;
}

double collective_bytes(StepKind kind, double local_bytes, std::int64_t ranks) {
    return kind == StepKind::all_gather ? local_bytes * static_cast<double>(ranks) : local_bytes;
}

std::unique_ptr<CollectiveTimes> measured_times(const DeviceMesh& mesh, std::vector<MeasuredSeries> series,
                                                const CollectiveTimes& otherwise) {
    return std::make_unique<MeasuredTimes>(mesh, std::move(series), otherwise);
}

}  // namespace overlap
