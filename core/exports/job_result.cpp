#include "core/exports/job_result.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/exports/expert_overlap_notes.h"
#include "core/exports/export_format.h"
#include "core/exports/wrapped_operators.h"
#include "core/io/plan/option_json.h"
#include "core/io/plan/process_groups_json.h"
#include "core/plan/process_groups_field.h"

namespace overlap {

namespace {

Json group_json(const ProcessGroup& group) {
    Json json = {{"name", group.name}, {"ranks", group.ranks}};
    if (!group.description.empty()) json["description"] = group.description;
    return json;
}

bool has_inputs_of(const Execution& execution, NodeId node, NodeId origin) {
    return std::ranges::equal(execution.graph->inputs(node), execution.input->inputs(origin), {},
                              [&](NodeId input) { return execution.origin[input]; });
}

/// Whether what is known of a node besides its call may put it into another half: many passes change it otherwise.
bool may_change_half(const Execution& execution, NodeId node, NodeId origin) {
    const std::string_view after = execution.graph->text(execution.graph->metadata(node).extra_json);
    const std::string_view before = execution.input->text(execution.input->metadata(origin).extra_json);
    const auto mentions_half = [](std::string_view fields) { return fields.find("chunk") != fields.npos; };
    return after != before && (mentions_half(after) || mentions_half(before));
}

Json memory_of(const Graph& graph, NodeId node) {
    Json list = Json::array();
    for (const TensorMeta& tensor : graph.outputs(node)) {
        if (tensor.is_tensor) {
            list.push_back({graph.text(tensor.device), tensor.storage, tensor.storage_offset, tensor.storage_bytes});
        } else {
            list.push_back(nullptr);
        }
    }
    return list;
}

void extend(Json& list, NodeId origin) {
    if (!list.empty() && list.back().is_array() &&
        list.back()[0].get<NodeId>() + list.back()[1].get<NodeId>() == origin) {
        list.back()[1] = list.back()[1].get<NodeId>() + 1;
    } else {
        list.push_back({origin, 1});
    }
}

}  // namespace

JobResult::JobResult(const Plan& plan, const Execution& execution, JobNodes& nodes, Written input, bool with_memory)
    : execution_(execution),
      nodes_(nodes),
      input_(std::move(input)),
      with_memory_(with_memory),
      comparison_(*execution.input, *execution.graph, execution.origin) {
    bool any_wrapper = false;
    for (NodeId node = 0; node < execution.graph->node_count(); ++node) any_wrapper |= is_new_wrapper(node);
    if (any_wrapper) wrapped_ = wrapped_operators(plan, execution);
}

Json JobResult::order() {
    Json list = Json::array();
    for (NodeId node = 0; node < execution_.graph->node_count(); ++node) {
        const NodeId origin = execution_.origin[node];
        if (origin == no_node) {
            list.push_back(made(node));
        } else if (comparison_.same_node(origin, node) && !may_change_half(execution_, node, origin)) {
            extend(list, origin);
        } else if (Json changes = changed_fields(node, origin); changes.empty()) {
            extend(list, origin);
        } else {
            changes["from"] = origin;
            list.push_back(std::move(changes));
        }
    }
    return list;
}

Json JobResult::users_order() const {
    Json list = Json::array();
    for (NodeId node = 0; node < execution_.graph->node_count(); ++node) {
        const std::span<const NodeId> users = execution_.graph->users(node);
        if (!std::ranges::is_sorted(users)) list.push_back({node, std::vector<NodeId>(users.begin(), users.end())});
    }
    return list;
}

bool JobResult::is_new_wrapper(NodeId node) const {
    return execution_.origin[node] == no_node && execution_.graph->target(node) == "higher_order.control_deps";
}

Json JobResult::made(NodeId node) {
    const Graph& graph = *execution_.graph;
    Json written = nodes_.whole(graph, node);
    if (with_memory_ && graph.record(node).output_count > 0) written["memory"] = memory_of(graph, node);
    mark_rank_arguments(graph, node, written);
    if (is_new_wrapper(node)) {
        const auto inner = wrapped_.find(std::string(graph.name(node)));
        if (inner == wrapped_.end())
            throw InputError("", "node " + in_quotes(graph.name(node)) +
                                     " wraps an operator of an earlier step: switch insert_overlap_deps off there");
        written["wraps"] = inner->second;
    }
    return written;
}

Json JobResult::changed_fields(NodeId node, NodeId origin) {
    const Json written = nodes_.compact(*execution_.graph, node);
    const Json& before = input_(origin);
    Json changes = Json::object();
    for (const auto& [field, value] : written.items())
        if (!before.contains(field) || before[field] != value) changes[field] = value;
    for (const auto& [field, value] : before.items())
        if (!written.contains(field)) changes[field] = nullptr;
    // What wraps a node has its name: the same text may then mean another node.
    if (!has_inputs_of(execution_, node, origin))
        for (const char* field : {"args", "kwargs"})
            if (written.contains(field)) changes[field] = written[field];
    return changes;
}

bool has_given_module(const Execution& execution, NodeId node) {
    return execution.repaired && execution.repaired->rule_of_node[node] >= 0;
}

Json given_modules(const Execution& execution, const JobResult::Written& input) {
    Json ranges = Json::array();
    for (NodeId node = 0; node < execution.input->node_count(); ++node) {
        if (!has_given_module(execution, node)) continue;
        const Json& number = input(node)["modules"];
        if (!ranges.empty() && ranges.back()[2] == number &&
            ranges.back()[0].get<NodeId>() + ranges.back()[1].get<NodeId>() == node) {
            ranges.back()[1] = ranges.back()[1].get<NodeId>() + 1;
        } else {
            ranges.push_back({node, 1, number});
        }
    }
    return ranges;
}

const std::vector<GroupSettings>& asked_settings(const Execution& execution) {
    static const std::vector<GroupSettings> none;
    return execution.resolved ? execution.resolved->require_groups(*execution.graph) : none;
}

Json job_process_groups(const Execution& execution) {
    const std::vector<GroupSettings>& asked = asked_settings(execution);
    Json of_graph = Json::array(), created = Json::array();
    const GraphHeader& before = execution.input->header();
    for (const ProcessGroup& group : before.process_groups) of_graph.push_back(group_json(group));
    for (const PassReport& report : execution.reports) {
        for (const GroupReport& made : report.groups) {
            if (before.process_group(made.name)) continue;
            const ProcessGroup& listed = *execution.graph->header().process_group(made.name);
            Json group = group_json(listed);
            group["source"] = made.source;
            group["high_priority"] = made.high_priority;
            group["pass"] = report.pass;
            if (std::ranges::find(asked, made.name, &GroupSettings::group) != asked.end())
                group["settings"] = settings_json(settings_for(asked, listed));
            if (std::ranges::find(created, group["name"], [](const Json& other) { return other["name"]; }) ==
                created.end())
                created.push_back(std::move(group));
        }
    }
    return {{"of_graph", std::move(of_graph)}, {"created", std::move(created)}};
}

Json job_pipeline(const Execution& execution, const std::vector<PassStep>& steps) {
    Json pipeline = Json::array();
    for (const PassStep& step : steps) {
        const PassStep called = with_static_inputs(step, *execution.original);
        pipeline.push_back({{"pass", called.pass}, {"options", options_json(called.options)}});
    }
    return pipeline;
}

Json job_changes(const Plan& plan, const Execution& execution) {
    if (execution.refusal) throw *execution.refusal;
    JobNodes nodes;
    std::map<NodeId, Json> before;
    const auto written = [&](NodeId node) -> const Json& {
        const auto [found, is_new] = before.try_emplace(node);
        if (is_new) found->second = nodes.compact(*execution.input, node);
        return found->second;
    };
    Json given = given_modules(execution, written);
    JobResult result(plan, execution, nodes, written, true);
    Json order = result.order();
    Json changed = Json::array();
    for (const auto& [node, json] : before) changed.push_back({node, json});
    return {{"pipeline", job_pipeline(execution, steps_that_run(plan, &execution))},
            {"process_groups", job_process_groups(execution)},
            {"outputs", nodes.outputs()},
            {"modules", nodes.modules()},
            {"chunks", nodes.chunks()},
            {"given_modules", std::move(given)},
            {"before", std::move(changed)},
            {"result",
             {{"nodes", execution.graph->node_count()},
              {"order", std::move(order)},
              {"users_order", result.users_order()}}}};
}

}  // namespace overlap
