#include "core/predict/checked_range.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace overlap {
namespace {

constexpr std::int64_t most_ranks = 256;

bool has_target(const Graph& graph, std::initializer_list<std::string_view> parts) {
    for (std::uint32_t target = 0; target < graph.target_count(); ++target) {
        const std::string_view name = graph.target_text(target);
        const auto in_name = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
        if (std::ranges::any_of(parts, in_name)) return true;
    }
    return false;
}

std::int64_t ranks_of(const Graph& graph) {
    std::int64_t ranks = graph.header().world_size.value_or(0);
    for (const ProcessGroup& group : graph.header().process_groups)
        ranks = std::max(ranks, static_cast<std::int64_t>(group.ranks.size()));
    return ranks;
}

}  // namespace

std::vector<std::string> outside_checked_runs(const Graph& graph, const std::optional<Compilation>& compilation) {
    std::vector<std::string> differences;
    if (!compilation || compilation->scope != CompiledScope::blocks)
        differences.emplace_back(
            "here figures are not of a job that compiles each transformer block, as the checked jobs do");
    if (has_target(graph, {"all_to_all", "_grouped_mm"}))
        differences.emplace_back(
            "it has experts or all-to-alls, and no checked run has; two published runs with experts took 19 and 89 % "
            "longer than predicted");
    if (has_target(graph, {"_scaled_mm", "_scaled_grouped_mm"}))
        differences.emplace_back("it has products in float8, and no checked run has");
    if (const std::int64_t ranks = ranks_of(graph); ranks > most_ranks)
        differences.push_back(std::to_string(ranks) + " ranks, and no checked run has more than " +
                              std::to_string(most_ranks));
    return differences;
}

}  // namespace overlap
