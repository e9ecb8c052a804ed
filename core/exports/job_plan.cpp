#include "core/exports/job_plan.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/cost/cost_model.h"
#include "core/exports/expert_overlap_notes.h"
#include "core/exports/formats.h"
#include "core/exports/job_digest.h"
#include "core/exports/job_nodes.h"
#include "core/exports/wrapped_operators.h"
#include "core/files/ordered_json.h"
#include "core/io/option_json.h"
#include "core/io/plan_file.h"
#include "core/io/process_groups_json.h"
#include "core/passes/overlaps/overlap_directives.h"
#include "core/passes/registry/registry.h"
#include "core/plan/process_groups_field.h"

namespace overlap {

namespace {

constexpr int section_version = 3;

/// What the section is made from, as the plan's document has it: a job sees by it that a plan was edited afterwards.
constexpr std::array edited_fields = {"module_rules", "buckets", "pipeline", "overlaps", "process_groups"};

Json group_json(const ProcessGroup& group) {
    Json json = {{"name", group.name}, {"ranks", group.ranks}};
    if (!group.description.empty()) json["description"] = group.description;
    return json;
}

/// What the plan asks of process groups; nothing for a graph without a plan.
const std::vector<GroupSettings>& asked_settings(const Evaluation& evaluation) {
    static const std::vector<GroupSettings> none;
    return evaluation.resolved ? evaluation.resolved->require_groups(*evaluation.graph) : none;
}

/// The groups of the plan's graph, and those that its passes create, in the order of their creation.
/// @throws InputError for settings that cannot be, or of a group that there is not.
Json process_groups(const Evaluation& evaluation) {
    const std::vector<GroupSettings>& asked = asked_settings(evaluation);
    Json of_graph = Json::array(), created = Json::array();
    const GraphHeader& before = evaluation.input->header();
    for (const ProcessGroup& group : before.process_groups) of_graph.push_back(group_json(group));
    for (const PassReport& report : evaluation.reports) {
        for (const GroupReport& made : report.groups) {
            if (before.process_group(made.name)) continue;
            const ProcessGroup& listed = *evaluation.graph->header().process_group(made.name);
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

/// Overlaps by hand that hold, as places of nodes in the graph that the pipeline makes.
Json overlap_edges(const Plan& plan, const Evaluation& evaluation) {
    Json directives = Json::array();
    for (const DirectiveOutcome& outcome : evaluation.overlaps.directives) {
        if (!outcome.holds()) continue;
        Json edges = Json::array();
        for (const OverlapEdge& edge : outcome.edges) edges.push_back({edge.target, edge.source});
        directives.push_back({{"start", outcome.start}, {"edges", std::move(edges)}});
    }
    return {{"keep_group_order", plan.overlaps.keep_group_order},
            {"insert_overlap_deps", plan.overlaps.insert_overlap_deps},
            {"directives", std::move(directives)}};
}

/// What the scheduler takes times from, so that a job schedules with the times that the application had.
Json times(const Graph& graph) {
    Json json = {{"node_ms", node_times_ms(graph)}};
    if (graph.header().cost) json["cost_model"] = Json::parse(graph.header().cost->json);
    return json;
}

bool needs_times(const PassStep& step) {
    return step.pass == "schedule_overlap_bucketing" || step.pass == "pre_bucket_fsdp_collectives";
}

/// Steps whose result PyTorch cannot make, because an option of theirs is the application's own.
std::vector<std::string> steps_of_ours(const std::vector<PassStep>& steps) {
    std::vector<std::string> told;
    for (std::size_t index = 0; index < steps.size(); ++index) {
        for (const PassOption& option : require_pass(steps[index].pass).options()) {
            const OptionValue* given = steps[index].options.find(option.name);
            if (option.of_reference || !given || same_value(*given, option.default_value)) continue;
            told.push_back("step " + std::to_string(index + 1) + " (" + steps[index].pass + ") has the option " +
                           option.name + ", which PyTorch does not know");
        }
    }
    return told;
}

bool has_given_module(const Evaluation& evaluation, NodeId node) {
    return evaluation.repaired && evaluation.repaired->rule_of_node[node] >= 0;
}

/// What the plan's rules give, as `[first, count, number]`: neighbouring nodes with one entry of `modules`.
/// @param start the nodes with these modules.
Json given_modules(const Evaluation& evaluation, const Json& start) {
    Json ranges = Json::array();
    for (NodeId node = 0; node < start.size(); ++node) {
        if (!has_given_module(evaluation, node)) continue;
        const Json& number = start[node]["modules"];
        if (!ranges.empty() && ranges.back()[2] == number &&
            ranges.back()[0].get<NodeId>() + ranges.back()[1].get<NodeId>() == node) {
            ranges.back()[1] = ranges.back()[1].get<NodeId>() + 1;
        } else {
            ranges.push_back({node, 1, number});
        }
    }
    return ranges;
}

/// The nodes of the plan's result: ranges of unchanged nodes of the input, changed ones, and new ones.
class ResultNodes {
  public:
    ResultNodes(const Plan& plan, const Evaluation& evaluation, JobNodes& nodes, const Json& input)
        : evaluation_(evaluation), nodes_(nodes), input_(input) {
        if (std::ranges::any_of(all_nodes(), [&](NodeId node) { return is_new_wrapper(node); }))
            wrapped_ = wrapped_operators(plan, evaluation);
    }

    Json order() {
        Json list = Json::array();
        for (const NodeId node : all_nodes()) {
            const NodeId origin = evaluation_.origin[node];
            if (origin == no_node) {
                list.push_back(made(node));
            } else if (Json changes = changed_fields(node, origin); changes.empty()) {
                extend(list, origin);
            } else {
                changes["from"] = origin;
                list.push_back(std::move(changes));
            }
        }
        return list;
    }

    /// Nodes whose users are registered in another order than they stand in: `[node, [users...]]` by place.
    Json users_order() const {
        Json list = Json::array();
        for (const NodeId node : all_nodes()) {
            const std::span<const NodeId> users = evaluation_.graph->users(node);
            if (!std::ranges::is_sorted(users)) list.push_back({node, std::vector<NodeId>(users.begin(), users.end())});
        }
        return list;
    }

  private:
    std::ranges::iota_view<NodeId, NodeId> all_nodes() const { return {0, evaluation_.graph->node_count()}; }

    bool is_new_wrapper(NodeId node) const {
        return evaluation_.origin[node] == no_node && evaluation_.graph->target(node) == "higher_order.control_deps";
    }

    Json made(NodeId node) {
        const Graph& graph = *evaluation_.graph;
        Json written = nodes_.whole(graph, node);
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

    Json changed_fields(NodeId node, NodeId origin) {
        const Json written = nodes_.compact(*evaluation_.graph, node);
        const Json& before = input_[origin];
        Json changes = Json::object();
        for (const auto& [field, value] : written.items())
            if (!before.contains(field) || before[field] != value) changes[field] = value;
        for (const auto& [field, value] : before.items())
            if (!written.contains(field)) changes[field] = nullptr;
        // What wraps a node has its name: the same text may then mean another node.
        if (!has_inputs_of(node, origin))
            for (const char* field : {"args", "kwargs"})
                if (written.contains(field)) changes[field] = written[field];
        return changes;
    }

    bool has_inputs_of(NodeId node, NodeId origin) const {
        return std::ranges::equal(evaluation_.graph->inputs(node), evaluation_.input->inputs(origin), {},
                                  [&](NodeId input) { return evaluation_.origin[input]; });
    }

    static void extend(Json& list, NodeId origin) {
        if (!list.empty() && list.back().is_array() &&
            list.back()[0].get<NodeId>() + list.back()[1].get<NodeId>() == origin) {
            list.back()[1] = list.back()[1].get<NodeId>() + 1;
        } else {
            list.push_back({origin, 1});
        }
    }

    const Evaluation& evaluation_;
    JobNodes& nodes_;
    const Json& input_;
    std::map<std::string, Json> wrapped_;
};

/// Appends a value, and lists of nodes with each item on a line of its own.
void append_member(std::string& text, const std::string& key, const Json& value, const std::string& indent) {
    const auto compact = [](const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); };
    text += indent + Json(key).dump() + ": ";
    if (value.is_array() && value.size() > 1 && value[0].is_structured()) {
        text += "[\n";
        for (std::size_t index = 0; index < value.size(); ++index)
            text += indent + "  " + compact(value[index]) + (index + 1 < value.size() ? ",\n" : "\n");
        text += indent + "]";
    } else if (value.is_object() && !value.empty() && indent.size() < 6) {
        text += "{\n";
        std::size_t left = value.size();
        for (const auto& [inner, item] : value.items()) {
            append_member(text, inner, item, indent + "  ");
            text += --left > 0 ? ",\n" : "\n";
        }
        text += indent + "}";
    } else {
        text += compact(value);
    }
}

}  // namespace

Json job_section(const Plan& plan, const Evaluation& evaluation) {
    if (const std::string refusal = refusal_of(evaluation); !refusal.empty())
        throw InputError("", "the plan is refused, so there is nothing that a job could apply: " + refusal);
    const GraphHeader& header = evaluation.input->header();
    const std::vector<PassStep> steps = steps_that_run(plan, &evaluation);
    Json job = {{"version", section_version}};
    if (header.rank) job["rank"] = *header.rank;
    if (header.world_size) job["world_size"] = *header.world_size;
    const Json document = Json::parse(write_plan_text(plan));
    for (const char* field : edited_fields) job["made_from"][field] = document.value(field, Json());
    // Plans without the section are as they were before there was one.
    if (document.contains("memory")) job["made_from"]["memory"] = document["memory"];
    job["pipeline"] = Json::array();
    for (const PassStep& step : steps) {
        const PassStep called = with_static_inputs(step, *evaluation.original);
        job["pipeline"].push_back({{"pass", called.pass}, {"options", options_json(called.options)}});
    }
    if (const std::vector<std::string> ours = steps_of_ours(steps); !ours.empty()) job["exact_only"] = ours.front();
    job["overlaps"] = overlap_edges(plan, evaluation);
    job["process_groups"] = process_groups(evaluation);
    if (std::ranges::any_of(steps, needs_times)) job["times"] = times(*evaluation.input);

    JobNodes nodes;
    Json input = Json::array(), start = Json::array();
    for (NodeId node = 0; node < evaluation.input->node_count(); ++node) {
        input.push_back(nodes.compact(*evaluation.original, node));
        start.push_back(has_given_module(evaluation, node) ? nodes.compact(*evaluation.input, node) : input.back());
    }
    job["given_modules"] = given_modules(evaluation, start);
    ResultNodes result(plan, evaluation, nodes, start);
    const GraphFingerprint made = fingerprint(*evaluation.graph);
    Json order = result.order();
    job["outputs"] = nodes.outputs();
    job["modules"] = nodes.modules();
    job["input"] = std::move(input);
    job["result"] = {{"nodes", made.nodes},
                     {"digest", made.digest},
                     {"order", std::move(order)},
                     {"users_order", result.users_order()}};
    job["digest"] = value_digest(job);
    return job;
}

std::string write_job_plan_text(const Plan& plan, const Evaluation& evaluation) {
    Plan named = plan;
    named.graph = fingerprint(*evaluation.original);
    std::string text = write_plan_text(named);
    text.resize(text.find_last_of('}'));
    while (text.back() == '\n' || text.back() == ' ') text.pop_back();
    text += ",\n";
    append_member(text, "job", job_section(plan, evaluation), "  ");
    return text + "\n}\n";
}

std::vector<std::string> job_plan_notes(const Plan& plan, const Evaluation& evaluation) {
    std::vector<std::string> notes;
    for (std::size_t index = 0; index < evaluation.overlaps.directives.size(); ++index) {
        const DirectiveOutcome& outcome = evaluation.overlaps.directives[index];
        if (!outcome.holds())
            notes.push_back("left out: " + describe(plan.overlaps.list[index]) + ", because " + outcome.refusal);
    }
    for (const std::string& step : steps_of_ours(steps_that_run(plan, &evaluation)))
        notes.push_back(step + ": the job can apply this plan in mode \"exact\" only");
    for (const GroupSettings& settings : asked_settings(evaluation)) {
        if (evaluation.input->header().process_group(settings.group))
            notes.push_back("settings of process group " + in_quotes(settings.group) +
                            " are left to the job, which makes that group itself");
    }
    if (!plan.device_orders.empty())
        notes.emplace_back("device orders are not applied by passes: the job lays its parameters out itself");
    return notes;
}

ExportOutput export_job_plan(const ExportInput& input) {
    return {write_job_plan_text(input.plan, *input.result), job_plan_notes(input.plan, *input.result)};
}

}  // namespace overlap
