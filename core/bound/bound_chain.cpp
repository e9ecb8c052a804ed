#include <algorithm>
#include <array>
#include <string>

#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/bound/lower_bound.h"

namespace overlap {
namespace {

constexpr std::size_t kinds = 4;

/// `1921.4 of 1974 ms`: the unit once where both have the same one.
std::string share_text(double sum_ms, double step_ms) {
    std::string sum = time_text(sum_ms);
    const std::string step = time_text(step_ms);
    const std::size_t unit = sum.rfind(' ');
    if (sum.compare(unit, std::string::npos, step, step.rfind(' ')) == 0) sum.erase(unit);
    return sum + " of " + step;
}

/// What the step is beside compute of every plan: as times where the plan's compute is known.
std::string rest_text(const ComparedStep& step) {
    if (!step.compute_ms) return "; the rest is waiting, or compute that a plan may save";
    constexpr double nanosecond_in_ms = 1e-6;
    const double waiting_ms = step.step_ms - *step.compute_ms;
    const double beyond_ms = *step.compute_ms - step.in_every_plan_ms;
    std::string parts;
    if (waiting_ms >= nanosecond_in_ms) parts = time_text(waiting_ms) + " is waiting";
    if (beyond_ms >= nanosecond_in_ms)
        parts += (parts.empty() ? "" : " and ") + time_text(beyond_ms) + " is compute that a plan may save";
    return parts.empty() ? parts : "; of the rest " + parts;
}

}  // namespace

std::string_view bound_step_kind_name(BoundStep::Kind kind) {
    constexpr std::array<std::string_view, kinds> names = {"compute", "link", "collective", "memory"};
    return names[static_cast<std::size_t>(kind)];
}

std::string bound_reason(const std::vector<BoundStep>& chain, const ComparedStep& step, bool any_order) {
    const double step_ms = step.step_ms;
    if (chain.empty()) return "nothing takes time";
    std::array<double, kinds> sums_ms{};
    std::vector<std::string> groups;
    double longest_ms = 0;
    for (const BoundStep& part : chain) {
        sums_ms[static_cast<std::size_t>(part.kind)] += part.end_ms - part.start_ms;
        if (part.kind != BoundStep::Kind::link || part.end_ms - part.start_ms <= longest_ms) continue;
        longest_ms = part.end_ms - part.start_ms;
        groups = part.groups;
        for (std::string& group : groups) group = in_quotes(group);
    }
    const auto sum_ms = [&](BoundStep::Kind kind) { return sums_ms[static_cast<std::size_t>(kind)]; };
    const double compute_ms = sum_ms(BoundStep::Kind::compute), link_ms = sum_ms(BoundStep::Kind::link);
    const double single_ms = sum_ms(BoundStep::Kind::collective), memory_ms = sum_ms(BoundStep::Kind::memory);
    const std::string network =
        "the network (process group" + std::string(groups.size() == 1 ? " " : "s ") + enumerated(groups) + ")";
    const std::string in_every_plan = any_order ? "in every plan, whatever the order of compute" : "in every plan";
    constexpr double most_of_it = 0.9, nearly_all = 0.95, about_the_bound = 1.01;
    const double bound_ms = chain.back().end_ms;
    // Further above the bound another plan may help as well.
    const auto is_all = [&](double sum) {
        return sum >= nearly_all * step_ms && step_ms <= about_the_bound * bound_ms;
    };
    if (link_ms >= most_of_it * bound_ms)
        return network + " is busy at least " + share_text(link_ms, step_ms) +
               (is_all(link_ms)
                    ? (any_order ? ", whatever the order of compute" : std::string()) + ": only fewer bytes can help"
                    : " " + in_every_plan + "; the rest is compute that waits, or work that a plan may save");
    // All compute of every plan, though the chain begins after some of it: one figure, whichever bound is told of.
    if (compute_ms >= most_of_it * bound_ms)
        return "compute takes " + share_text(step.in_every_plan_ms, step_ms) +
               (is_all(compute_ms)
                    ? (any_order ? ", whatever the order of compute" : std::string()) + ": only less compute can help"
                    : " " + in_every_plan + rest_text(step));
    std::vector<std::string> parts{time_text(compute_ms) + " of compute"};
    if (memory_ms > 0) parts.push_back(time_text(memory_ms) + " of compute that has to end before a gather has room");
    if (link_ms > 0) parts.push_back(time_text(link_ms) + " of " + network);
    if (single_ms > 0) parts.push_back(time_text(single_ms) + " of collectives that compute has to wait for");
    return in_every_plan + (any_order ? ", " : " ") + enumerated(parts) + " follow one another, of a step of " +
           time_text(step_ms);
}

}  // namespace overlap
