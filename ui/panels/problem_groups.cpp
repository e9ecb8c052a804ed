#include "ui/panels/problem_groups.h"

#include <map>
#include <string_view>
#include <tuple>

namespace overlap::ui {

std::vector<std::vector<std::size_t>> group_problems(const std::vector<Problem>& problems) {
    using Likeness = std::tuple<ProblemKind, Severity, std::string_view>;
    const auto likeness = [](const Problem& problem) {
        return Likeness(problem.kind, problem.severity, problem.title);
    };
    std::map<Likeness, std::vector<std::size_t>> alike;
    for (std::size_t index = 0; index < problems.size(); ++index) alike[likeness(problems[index])].push_back(index);
    std::vector<std::vector<std::size_t>> rows;
    for (std::size_t index = 0; index < problems.size(); ++index) {
        const std::vector<std::size_t>& members = alike[likeness(problems[index])];
        const bool together =
            problems[index].kind != ProblemKind::import_note && members.size() >= least_grouped_problems;
        if (!together) {
            rows.push_back({index});
        } else if (members.front() == index) {
            rows.push_back(members);
        }
    }
    return rows;
}

}  // namespace overlap::ui
