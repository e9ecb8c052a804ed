#include "core/cost/cost_differences.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/cost/compute_class.h"
#include "core/cost/cost_model.h"

namespace overlap {

namespace {

constexpr double least_ratio = 1.1;
constexpr std::int64_t gathered_bytes = 64 << 20;

struct Difference {
    double ratio = 1;  ///< of the larger to the smaller
    std::string clause;
};

double ratio_of(double before, double after) {
    return before > 0 && after > 0 ? std::max(before / after, after / before) : 1;
}

std::string rate_text(double per_second, double unit, const char* name) {
    return std::to_string(std::llround(per_second / unit)) + ' ' + name;
}

std::optional<double> products_rate(const CostParameters& cost) {
    const auto rate = cost.flops_per_s.find("bfloat16");
    if (rate == cost.flops_per_s.end()) return std::nullopt;
    return rate->second * class_cost(cost, ComputeClass::matrix_multiply).efficiency;
}

}  // namespace

std::vector<std::string> cost_differences(const CostParameters& before, const CostParameters& after) {
    std::vector<Difference> found;
    Difference links;
    for (const CostParameters::Link& link : before.links) {
        const CostParameters::Link* other = after.link(link.process_group);
        if (!other) continue;
        const double was = collective_time_ms(link, CollectiveKind::all_gather, gathered_bytes);
        const double is = collective_time_ms(*other, CollectiveKind::all_gather, gathered_bytes);
        if (ratio_of(was, is) <= links.ratio) continue;
        links = {ratio_of(was, is), "an all-gather of 64 MiB on group " + in_quotes(link.process_group) + " takes " +
                                        time_text(is) + " and not " + time_text(was)};
    }
    found.push_back(links);
    const std::optional<double> was = products_rate(before), is = products_rate(after);
    if (was && is)
        found.push_back({ratio_of(*was, *is), "products in bfloat16 run at " + rate_text(*is, 1e12, "TFLOP/s") +
                                                  " and not " + rate_text(*was, 1e12, "TFLOP/s")});
    const double moved_before = before.memory_bytes_per_s * class_cost(before, ComputeClass::memory).efficiency;
    const double moved_after = after.memory_bytes_per_s * class_cost(after, ComputeClass::memory).efficiency;
    found.push_back({ratio_of(moved_before, moved_after), "memory moves " + rate_text(moved_after, 1e9, "GB/s") +
                                                              " and not " + rate_text(moved_before, 1e9, "GB/s")});
    std::erase_if(found, [](const Difference& difference) { return difference.ratio < least_ratio; });
    std::ranges::stable_sort(found, std::greater<>(), &Difference::ratio);
    std::vector<std::string> clauses;
    for (Difference& difference : found) clauses.push_back(std::move(difference.clause));
    return clauses;
}

}  // namespace overlap
