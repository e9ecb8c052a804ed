#include "core/plan/group_passes.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/passes/registry/registry.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/plan.h"

namespace overlap {

namespace {

bool reassigns(std::string_view pass) {
    return pass == reassign_groups_pass || pass == "overlap_fsdp_ag_rs_pass";
}

/// Isolating comes before reassigning.
bool isolates_behind(const std::vector<PassStep>& steps, std::ptrdiff_t index) {
    return std::ranges::find(steps.begin() + index, steps.end(), isolate_expert_group_pass, &PassStep::pass) !=
           steps.end();
}

/// `"521" (mesh_ep)`.
std::string group_text(const Graph& graph, std::string_view name) {
    std::string text = in_quotes(name);
    const ProcessGroup* group = graph.header().process_group(name);
    if (group && !group->description.empty()) text.append(" (").append(group->description).append(")");
    return text;
}

/// The groups of a kind of collectives, in order of first use, such as `"0" (default_pg) and "513" (mesh_efsdp)`.
std::string groups_text(const Graph& graph, CollectiveKind kind) {
    std::vector<std::string_view> names;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function || graph.target_info(node).starts != kind) continue;
        const std::string_view name = graph.group_name(node);
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    std::vector<std::string> texts;
    for (const std::string_view name : names) texts.push_back(group_text(graph, name));
    return listed(texts);
}

std::string nothing_to_isolate(const Graph& graph) {
    const std::string groups = groups_text(graph, CollectiveKind::all_to_all);
    if (groups.empty()) return "The graph has no all-to-all, so there is no expert parallelism to isolate";
    return "The all-to-alls share their queue with nothing else: process group " + groups + " is theirs alone";
}

std::string nothing_to_reassign(const Graph& graph) {
    const std::string groups = groups_text(graph, CollectiveKind::all_gather);
    if (groups.empty()) return "The graph has no all-gather";
    return "None of the all-gathers on process group " + groups + " gathers a parameter";
}

}  // namespace

std::size_t group_pass_position(const std::vector<PassStep>& steps, std::string_view pass) {
    const auto later = std::ranges::find_if(steps, [&](const PassStep& step) {
        return merges_or_orders(step.pass) || (pass == isolate_expert_group_pass && reassigns(step.pass));
    });
    return static_cast<std::size_t>(later - steps.begin());
}

bool is_group_pass(std::string_view written, std::string_view pass) {
    return written == pass || (reassigns(written) && reassigns(pass));
}

void put_group_pass(std::vector<PassStep>& steps, std::string_view pass) {
    const auto found =
        std::ranges::find_if(steps, [&](const PassStep& step) { return is_group_pass(step.pass, pass); });
    PassStep step;
    step.pass = pass;
    std::ptrdiff_t stood = -1;
    if (found != steps.end()) {
        stood = found - steps.begin();
        step = std::move(*found);
        steps.erase(found);
    }
    step.enabled = true;
    auto place = static_cast<std::ptrdiff_t>(group_pass_position(steps, pass));
    // A step in a valid place stays, whatever clean-ups are around it.
    if (stood >= 0 && stood <= place && !(reassigns(pass) && isolates_behind(steps, stood))) place = stood;
    steps.insert(steps.begin() + place, std::move(step));
}

std::string group_pass_obstacle(const std::shared_ptr<const Graph>& graph, std::string_view pass) {
    if (reassigns(pass)) {
        for (const ProcessGroup& group : graph->header().process_groups) {
            if (group.description == "fsdp_extra") {
                return "The all-gathers have a group of their own already: " + group_text(*graph, group.name);
            }
        }
    }
    PassReport report;
    try {
        report = require_pass(pass).run(graph, {}, {}).report;
    } catch (const InputError& error) {
        return error.what();
    }
    if (!report.groups.empty()) return {};
    // The pass's own message is more specific.
    if (!report.problems.empty()) return report.problems.front().title + ": " + report.problems.front().message;
    return reassigns(pass) ? nothing_to_reassign(*graph) : nothing_to_isolate(*graph);
}

}  // namespace overlap
