#include "core/views/exposed_time.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/views/members_of_result.h"

namespace overlap {

namespace {

std::vector<double> exposed_ms_of_input(const Evaluation& evaluation, const MembersOfResult& members_of) {
    std::vector<double> exposed_ms(evaluation.input->node_count(), 0);
    for (const CollectiveTiming& timing : evaluation.simulation.collectives) {
        if (timing.exposed_ms <= 0) continue;
        const std::vector<NodeId> members = members_of.sources_of(timing.start);
        const std::vector<double> parts = shares_by_bytes(*evaluation.input, members);
        for (std::size_t index = 0; index < members.size(); ++index)
            exposed_ms[members[index]] += timing.exposed_ms * parts[index];
    }
    return exposed_ms;
}

}  // namespace

std::vector<double> exposed_ms_of_input(const Evaluation& evaluation) {
    return exposed_ms_of_input(evaluation, MembersOfResult(evaluation));
}

ModuleExposure module_exposed_ms(const Evaluation& evaluation, const ModuleTree& tree) {
    return module_sums(tree, exposed_ms_of_input(evaluation));
}

std::vector<ExposureChange> exposure_changes(const Evaluation& before, const Evaluation& after) {
    constexpr double least_ms = 1e-3;
    const MembersOfResult members_of(before);
    const std::vector<double> before_ms = exposed_ms_of_input(before, members_of);
    const std::vector<double> after_ms = exposed_ms_of_input(after);
    std::vector<ExposureChange> changes;
    for (const CollectiveTiming& timing : before.simulation.collectives) {
        ExposureChange change{std::string(before.graph->name(timing.start)), 0, 0, 0};
        for (const NodeId member : members_of.of(timing.start)) {
            ++change.members;
            change.before_ms += before_ms[member];
            change.after_ms += after_ms[member];
        }
        if (std::abs(change.added_ms()) >= least_ms) changes.push_back(std::move(change));
    }
    std::ranges::stable_sort(changes, std::greater(), &ExposureChange::added_ms);
    return changes;
}

}  // namespace overlap
