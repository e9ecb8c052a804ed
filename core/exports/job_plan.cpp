#include "core/exports/job_plan.h"

#include <array>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/cost/cost_model.h"
#include "core/exports/formats.h"
#include "core/exports/job_digest.h"
#include "core/exports/job_nodes.h"
#include "core/exports/job_result.h"
#include "core/files/ordered_json.h"
#include "core/io/plan/plan_file.h"
#include "core/passes/overlaps/overlap_directives.h"
#include "core/plan/own_options.h"
#include "core/plan/process_groups_field.h"

namespace overlap {

namespace {

constexpr int section_version = 3;

/// What the section is made from, as the plan's document has it: a job sees by it that a plan was edited afterwards.
constexpr std::array edited_fields = {"module_rules", "buckets", "pipeline", "overlaps", "process_groups"};

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
    job["pipeline"] = job_pipeline(evaluation, steps);
    if (const std::vector<std::string> own = steps_of_own_options(steps); !own.empty()) job["exact_only"] = own.front();
    job["overlaps"] = overlap_edges(plan, evaluation);
    job["process_groups"] = job_process_groups(evaluation);
    if (std::ranges::any_of(steps, needs_times)) job["times"] = times(*evaluation.input);

    JobNodes nodes;
    Json input = Json::array(), start = Json::array();
    for (NodeId node = 0; node < evaluation.input->node_count(); ++node) {
        input.push_back(nodes.compact(*evaluation.original, node));
        start.push_back(has_given_module(evaluation, node) ? nodes.compact(*evaluation.input, node) : input.back());
    }
    const auto written = [&start](NodeId node) -> const Json& { return start[node]; };
    job["given_modules"] = given_modules(evaluation, written);
    JobResult result(plan, evaluation, nodes, written);
    const GraphFingerprint made = fingerprint(*evaluation.graph);
    Json order = result.order();
    job["outputs"] = nodes.outputs();
    job["modules"] = nodes.modules();
    // Plans without halves are as they were before nodes had this.
    if (!nodes.chunks().empty()) job["chunks"] = nodes.chunks();
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
    if (std::optional<Problem> exact = exact_mode_only(steps_that_run(plan, &evaluation)))
        notes.push_back(std::move(exact->message));
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
