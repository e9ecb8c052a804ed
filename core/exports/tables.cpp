// Tables for spreadsheets and scripts: the buckets that a plan's passes made, and every collective of the result.

#include <memory>
#include <unordered_map>

#include "core/exports/formats.h"
#include "core/files/csv_table.h"
#include "core/files/ordered_json.h"
#include "core/pipeline/manual_start.h"
#include "core/pipeline/why_exposed.h"
#include "core/plan/automatic_plan.h"
#include "core/views/collective_figures.h"

namespace overlap {

namespace {

/// Names in one cell, so that each can be had again: a JSON list.
std::string names_cell(const std::vector<std::string>& names) {
    return Json(names).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Cells that a bucket and a single collective share.
void add_figures(CsvTable& table, const CollectiveTiming& timing) {
    table.number(timing.bytes).milliseconds(timing.start_ms).milliseconds(timing.end_ms);
    table.milliseconds(timing.end_ms - timing.start_ms)
        .milliseconds(timing.exposed_ms)
        .text(exposure_cause_name(timing.cause));
}

void add_entry(CsvTable& table, const Plan& plan, std::int32_t entry) {
    if (entry < 0) {
        table.empty().empty();
        return;
    }
    const BucketEntry& bucket = plan.buckets[static_cast<std::size_t>(entry)];
    table.number(std::int64_t{entry} + 1).text(bucket.title.empty() ? display_name(bucket) : bucket.title);
}

std::vector<std::string> modules_of(const Plan& plan, std::int32_t entry) {
    return entry < 0 ? std::vector<std::string>() : plan.buckets[static_cast<std::size_t>(entry)].modules;
}

/// What each collective of the result was made of, by its name.
std::unordered_map<std::string, std::vector<std::string>> members_by_start(const Evaluation& result) {
    std::unordered_map<std::string, std::vector<std::string>> members;
    for (FinalBucket& bucket : final_buckets(result)) members[bucket.start] = std::move(bucket.members);
    return members;
}

std::string dtype_of(const Graph& graph, NodeId start) {
    const auto outputs = graph.outputs(start);
    return outputs.empty() ? std::string() : std::string(dtype_info(outputs.front().dtype).name);
}

}  // namespace

ExportOutput export_buckets_table(const ExportInput& input) {
    const Evaluation& result = *input.result;
    const Simulation& simulation = result.simulation;
    const auto members = members_by_start(result);
    CsvTable table({"bucket", "title", "modules", "collective", "kind", "process_group", "dtype", "member_count",
                    "members", "bytes", "start_ms", "end_ms", "duration_ms", "exposed_ms", "cause"});
    std::vector<bool> has_bucket(input.plan.buckets.size(), false);
    for (const CollectiveTiming& timing : simulation.collectives) {
        const auto merged = members.find(std::string(result.graph->name(timing.start)));
        if (merged == members.end()) continue;
        const std::int32_t entry = result.bucket_of_node[timing.start];
        if (entry >= 0) has_bucket[static_cast<std::size_t>(entry)] = true;
        add_entry(table, input.plan, entry);
        table.text(names_cell(modules_of(input.plan, entry))).text(merged->first);
        table.text(collective_kind_name(timing.kind)).text(simulation.groups[timing.group].process_group);
        table.text(dtype_of(*result.graph, timing.start)).number(static_cast<std::int64_t>(merged->second.size()));
        table.text(names_cell(merged->second));
        add_figures(table, timing);
        table.end_row();
    }
    // Entries that merged nothing are in the plan, so they are in the table.
    for (std::size_t entry = 0; entry < has_bucket.size(); ++entry) {
        if (has_bucket[entry]) continue;
        add_entry(table, input.plan, static_cast<std::int32_t>(entry));
        table.text(names_cell(input.plan.buckets[entry].modules)).empty().empty().empty().empty();
        table.number(std::int64_t{0}).text("[]").empty().empty().empty().empty().empty().empty();
        table.end_row();
    }
    return {table.take(), {}};
}

ExportOutput export_collectives_table(const ExportInput& input) {
    const Evaluation& result = *input.result;
    const Simulation& simulation = result.simulation;
    const Graph& graph = *result.graph;
    const std::vector<CollectiveFigures> figures = collective_figures(result, *modules_of(result, result.input));
    const auto members = members_by_start(result);
    CsvTable table({"collective", "kind", "process_group", "module", "bucket", "title", "member_count", "bytes",
                    "start_ms", "end_ms", "duration_ms", "exposed_ms", "cause", "issue_ms", "ready_ms", "wait",
                    "blocker", "explanation"});
    for (std::size_t index = 0; index < simulation.collectives.size(); ++index) {
        const CollectiveTiming& timing = simulation.collectives[index];
        const std::string name(graph.name(timing.start));
        const auto merged = members.find(name);
        table.text(name).text(collective_kind_name(timing.kind));
        table.text(simulation.groups[timing.group].process_group);
        table.text(figures[index].module);
        add_entry(table, input.plan, result.bucket_of_node[timing.start]);
        table.number(merged == members.end() ? std::int64_t{1} : static_cast<std::int64_t>(merged->second.size()));
        add_figures(table, timing);
        table.milliseconds(timing.issue_ms).milliseconds(timing.ready_ms);
        table.text(timing.wait == no_node ? std::string_view() : graph.name(timing.wait));
        table.text(timing.blocker == no_node ? std::string_view() : graph.name(timing.blocker));
        table.text(why_exposed(result, index));
        table.end_row();
    }
    return {table.take(), {}};
}

}  // namespace overlap
