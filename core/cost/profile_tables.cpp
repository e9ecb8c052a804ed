#include "core/cost/profile_tables.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <set>

namespace overlap {

namespace {

using Ranks = std::vector<std::int64_t>;

/// Beyond this many times the largest recorded size, bandwidth decides.
constexpr double extrapolation_cap = 2.0;
/// The largest messages of a group, among which the highest bandwidth is taken.
constexpr std::size_t largest_messages = 5;

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return lower;
}

/// One name for what torch and the profiler call differently; others stay as they are.
std::string kind_of(std::string_view name) {
    const std::string lower = lower_case(name);
    const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
    if (has("allgather") || has("all_gather")) return "all_gather";
    if (has("reduce_scatter")) return "reduce_scatter";
    if (has("allreduce") || has("all_reduce")) return "all_reduce";
    if (has("all_to_all") || has("alltoall")) return "all_to_all";
    return std::string(name);
}

/// What torch's namespace has under the lower-case name; 1 for what it has not, such as `char`.
int element_bytes(const std::string& c10_name) {
    static constexpr auto aliases = std::to_array<std::pair<std::string_view, int>>({
        {"float", 4},
        {"double", 8},
        {"half", 2},
        {"int", 4},
        {"long", 8},
        {"short", 2},
        {"cfloat", 8},
        {"cdouble", 16},
        {"chalf", 4},
    });
    const std::string name = lower_case(c10_name);
    const auto alias =
        std::find_if(aliases.begin(), aliases.end(), [&](const auto& pair) { return pair.first == name; });
    if (alias != aliases.end()) return alias->second;
    const std::optional<Dtype> dtype = dtype_by_name(name);
    return dtype ? dtype_info(*dtype).bytes : 1;
}

/// Distance between neighbours where it is the same everywhere.
std::optional<std::int64_t> stride_of(const Ranks& ranks) {
    if (ranks.size() <= 1) return std::nullopt;
    std::int64_t stride = 0;
    if (__builtin_sub_overflow(ranks[1], ranks[0], &stride) || stride <= 0) return std::nullopt;
    for (std::size_t index = 2; index < ranks.size(); ++index) {
        std::int64_t distance = 0;
        if (__builtin_sub_overflow(ranks[index], ranks[index - 1], &distance) || distance != stride) {
            return std::nullopt;
        }
    }
    return stride;
}

std::int64_t size_of(const ProfiledCollective& collective) {
    return collective.ranks.empty() ? collective.group_size : static_cast<std::int64_t>(collective.ranks.size());
}

/// Exact: sizes of elements are powers of two.
double bytes_of(std::int64_t elements, const std::string& dtype) {
    return static_cast<double>(elements) * element_bytes(dtype);
}

struct BandwidthSample {
    double bytes = 0;
    double gb_per_s = 0;
};

double peak_of(std::vector<BandwidthSample> samples) {
    std::stable_sort(samples.begin(), samples.end(),
                     [](const BandwidthSample& a, const BandwidthSample& b) { return a.bytes > b.bytes; });
    double peak = 0;
    for (std::size_t index = 0; index < std::min(samples.size(), largest_messages); ++index) {
        peak = std::max(peak, samples[index].gb_per_s);
    }
    return peak;
}

template <typename Points>
std::optional<double> interpolated_us(const Points& points, std::int64_t elements) {
    if (elements <= 0) return std::nullopt;
    const auto* lower = static_cast<decltype(points.data())>(nullptr);
    const auto* upper = lower;
    for (const auto& point : points) {
        if (point.elements <= 0) continue;
        if (point.elements <= elements) lower = &point;
        if (point.elements >= elements && !upper) upper = &point;
    }
    const auto target = static_cast<double>(elements);
    if (lower && upper) {
        const double size_0 = std::log(static_cast<double>(lower->elements));
        const double size_1 = std::log(static_cast<double>(upper->elements));
        const double time_0 = std::log(lower->time_us), time_1 = std::log(upper->time_us);
        if (size_1 == size_0) return lower->time_us;
        const double share = (std::log(target) - size_0) / (size_1 - size_0);
        return std::exp(time_0 + share * (time_1 - time_0));
    }
    const auto* nearest = lower ? lower : upper;
    if (!nearest) return std::nullopt;
    return nearest->time_us * target / static_cast<double>(nearest->elements);
}

}  // namespace

ProfileRecords combine_profiles(std::vector<ProfileRecords> ranks) {
    if (ranks.size() == 1) return std::move(ranks.front());
    ProfileRecords all;
    // Coalesced collectives share a `Seq`, so the place among those of one rank is part of what makes them the same.
    std::map<std::tuple<std::string, Ranks, std::int64_t, std::size_t>, std::size_t> known;
    for (ProfileRecords& records : ranks) {
        std::map<std::tuple<std::string, Ranks, std::int64_t>, std::size_t> seen;
        for (ProfiledCollective& collective : records.collectives) {
            if (collective.sequence) {
                const std::size_t place = seen[{collective.group, collective.ranks, *collective.sequence}]++;
                const auto [same, is_new] = known.try_emplace(
                    {collective.group, collective.ranks, *collective.sequence, place}, all.collectives.size());
                if (!is_new) {
                    double& time_us = all.collectives[same->second].time_us;
                    time_us = std::min(time_us, collective.time_us);
                    continue;
                }
            }
            all.collectives.push_back(std::move(collective));
        }
        std::move(records.operators.begin(), records.operators.end(), std::back_inserter(all.operators));
        all.operators_with_lists += records.operators_with_lists;
        all.has_events |= records.has_events;
        all.is_simulated |= records.is_simulated;
    }
    return all;
}

ProfileTables::ProfileTables(const ProfileRecords& records) {
    add_collectives(records.collectives);
    add_bandwidths(records.collectives);
    std::map<OperatorKey, std::pair<double, std::size_t>> sums;
    for (const ProfiledOperator& each : records.operators) {
        auto& [sum, count] = sums[{each.name, each.shapes, each.strides, each.dtype}];
        sum += each.time_us;
        ++count;
    }
    for (const auto& [key, sum] : sums) operators_[key] = sum.first / static_cast<double>(sum.second);
}

void ProfileTables::add_collectives(const std::vector<ProfiledCollective>& records) {
    std::map<MeshDimension, std::set<Ranks>> groups;
    for (const ProfiledCollective& record : records) {
        const std::string kind = kind_of(record.name);
        const Point point{record.output_elements, record.time_us};
        by_ranks_[{kind, record.ranks, record.dtype}].push_back(point);
        if (const std::optional<std::int64_t> stride = stride_of(record.ranks)) {
            const MeshDimension dimension(*stride, size_of(record));
            by_dimension_[{kind, dimension, record.dtype}].push_back(point);
            groups[dimension].insert(record.ranks);
        }
    }
    const auto sort = [](auto& tables) {
        for (auto& [key, points] : tables) {
            std::stable_sort(points.begin(), points.end(),
                             [](const Point& a, const Point& b) { return a.elements < b.elements; });
        }
    };
    sort(by_ranks_);
    sort(by_dimension_);
    for (const auto& [dimension, ranks] : groups) groups_of_dimension_[dimension] = ranks.size();
}

void ProfileTables::add_bandwidths(const std::vector<ProfiledCollective>& records) {
    std::map<Ranks, std::vector<BandwidthSample>> of_ranks;
    std::map<MeshDimension, std::vector<BandwidthSample>> of_dimension;
    for (const ProfiledCollective& record : records) {
        if (record.output_elements <= 0) continue;
        const double bytes = bytes_of(record.output_elements, record.dtype);
        const BandwidthSample sample{bytes, bytes / (record.time_us * 1e-6) / 1e9};
        of_ranks[record.ranks].push_back(sample);
        if (const std::optional<std::int64_t> stride = stride_of(record.ranks)) {
            of_dimension[{*stride, size_of(record)}].push_back(sample);
        }
    }
    for (auto& [ranks, samples] : of_ranks) peak_gb_per_s_[ranks] = peak_of(std::move(samples));
    for (auto& [dimension, samples] : of_dimension) {
        peak_gb_per_s_of_dimension_[dimension] = peak_of(std::move(samples));
    }
}

const std::vector<ProfileTables::Point>* ProfileTables::points(const std::string& kind, const Ranks& ranks,
                                                               const std::string& dtype) const {
    const auto exact = by_ranks_.find({kind, ranks, dtype});
    if (exact != by_ranks_.end()) return &exact->second;
    const std::optional<std::int64_t> stride = stride_of(ranks);
    if (!stride) return nullptr;
    const MeshDimension dimension(*stride, static_cast<std::int64_t>(ranks.size()));
    const auto groups = groups_of_dimension_.find(dimension);
    // Which of several groups this one resembles is unknown.
    if (groups == groups_of_dimension_.end() || groups->second != 1) return nullptr;
    const auto similar = by_dimension_.find({kind, dimension, dtype});
    return similar == by_dimension_.end() ? nullptr : &similar->second;
}

std::optional<double> ProfileTables::by_bandwidth(const Ranks& ranks, std::int64_t elements,
                                                  const std::string& dtype) const {
    double gb_per_s = 0;
    if (const auto exact = peak_gb_per_s_.find(ranks); exact != peak_gb_per_s_.end()) gb_per_s = exact->second;
    const std::optional<std::int64_t> stride = gb_per_s > 0 ? std::nullopt : stride_of(ranks);
    if (stride) {
        const auto similar = peak_gb_per_s_of_dimension_.find({*stride, static_cast<std::int64_t>(ranks.size())});
        if (similar != peak_gb_per_s_of_dimension_.end()) gb_per_s = similar->second;
    }
    if (gb_per_s <= 0) return std::nullopt;
    return bytes_of(elements, dtype) / (gb_per_s * 1e6);
}

std::optional<ProfileTables::CollectiveTime> ProfileTables::collective(std::string_view name, const Ranks& ranks,
                                                                       std::int64_t output_elements,
                                                                       const std::string& dtype) const {
    const std::vector<Point>* recorded = points(kind_of(name), ranks, dtype);
    if (!recorded) return std::nullopt;
    for (const Point& point : *recorded) {
        if (point.elements == output_elements) return CollectiveTime{point.time_us / 1e3, Source::profile};
    }
    const std::int64_t largest = recorded->back().elements;  // they ascend
    if (largest > 0 && static_cast<double>(output_elements) > static_cast<double>(largest) * extrapolation_cap) {
        if (const std::optional<double> time_ms = by_bandwidth(ranks, output_elements, dtype)) {
            return CollectiveTime{*time_ms, Source::bandwidth};
        }
    }
    const std::optional<double> time_us = interpolated_us(*recorded, output_elements);
    return time_us ? std::optional(CollectiveTime{*time_us / 1e3, Source::profile}) : std::nullopt;
}

std::optional<double> ProfileTables::operator_ms(const std::string& name, const TensorSizes& shapes,
                                                 const TensorSizes& strides, std::optional<Dtype> dtype) const {
    const auto found = operators_.find({name, shapes, strides, dtype});
    return found == operators_.end() ? std::nullopt : std::optional(found->second / 1e3);
}

}  // namespace overlap
