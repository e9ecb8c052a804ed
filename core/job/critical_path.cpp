#include "core/job/critical_path.h"

#include <algorithm>
#include <utility>

#include "core/job/pipeline/standstill.h"

namespace overlap::job {

std::vector<PathStep> critical_path(const StepGraph& graph, const StepTimes& times, const NodeNames& names) {
    std::vector<PathStep> path;
    const auto last = std::max_element(times.end.begin(), times.end.end());
    if (last == times.end.end() || *last <= 0) return path;
    NodeIndex node = static_cast<NodeIndex>(last - times.end.begin());
    const auto who = [&](NodeIndex of) { return names.op(of) + " of rank " + std::to_string(names.rank(of)); };
    const auto same = [&](NodeIndex a, NodeIndex b) {
        return names.rank(a) == names.rank(b) && names.op(a) == names.op(b);
    };
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t unexplained = none;  // a stretch whose reason is yet to be found
    while (true) {
        const bool shown = times.end[node] > times.start[node];
        if (shown && unexplained != none) {
            path[unexplained].start_ms = times.start[node];  // an earlier part of the same operation
        } else if (shown) {
            unexplained = path.size();
            path.push_back({names.rank(node), names.op(node), times.start[node], times.end[node], "first"});
        }
        if (times.start[node] <= 0) break;
        const NodeIndex arrived = last_arrived(graph, times, node);
        std::string why = arrived == node ? "" : "waits for " + who(arrived);
        // The dependency that ended, or arrived, when it was issued; of several the one without a message.
        std::uint32_t cause = graph.first_dependency(arrived + 1);
        for (std::uint32_t i = graph.first_dependency(arrived); i < graph.first_dependency(arrived + 1); ++i) {
            if (times.end[graph.on()[i]] + graph.delay_ms()[i] != times.issued[arrived]) continue;
            cause = i;
            break;
        }
        if (cause == graph.first_dependency(arrived + 1)) break;
        const NodeIndex before = graph.on()[cause];
        if (why.empty() && !same(before, node)) why = "after " + who(before);
        if (!why.empty() && unexplained != none) path[std::exchange(unexplained, none)].why = why;
        if (graph.delay_ms()[cause] > 0) {
            const auto earlier =
                graph.on().subspan(graph.first_dependency(arrived), cause - graph.first_dependency(arrived));
            const auto which = static_cast<std::size_t>(std::ranges::count(earlier, before));
            path.push_back({names.rank(before), names.message(before, arrived, which), times.end[before],
                            times.issued[arrived], "message of " + who(before)});
        }
        node = before;
    }
    std::reverse(path.begin(), path.end());
    if (!path.empty()) path.front().why = "first";
    return path;
}

}  // namespace overlap::job
