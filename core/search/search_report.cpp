#include "core/search/search_report.h"

#include "core/base/wording.h"
#include "core/files/csv_table.h"
#include "core/files/json_writer.h"
#include "core/files/problem_json.h"
#include "core/pipeline/unshared_links.h"
#include "core/plan/found_note.h"

namespace overlap {
namespace {

/// Under each of the scenarios; an empty list where the search was stopped before they were tried.
void write_disturbed(JsonWriter& json, const Candidate& candidate) {
    json.key("disturbed_ms").begin_array();
    for (const double step_ms : candidate.disturbed_ms) json.value(step_ms);
    json.end_array();
}

void write_best(JsonWriter& json, const SearchResult& result, double simulated_ms) {
    const Candidate& best = result.best;
    json.key("best").begin_object().member("step_ms", best.step_ms).member("simulated_ms", simulated_ms);
    // As in the baselines and the front. The older name of the same stays for those who read it.
    json.member("exposed_ms", best.exposed_ms).member("peak_bytes", best.corrected_peak_bytes);
    json.member("corrected_peak_bytes", best.corrected_peak_bytes).member("torch_peak_memory_bytes", best.peak_bytes);
    json.member("mean_ms", best.mean_ms).member("worst_ms", best.worst_ms);
    write_disturbed(json, best);
    json.member("changes_order", best.changes_order);
    json.member("origin", std::string_view(best.origin)).end_object();
}

void write_bound(JsonWriter& json, const LowerBound& bound) {
    json.key("bound").begin_object().member("step_ms", bound.step_ms).member("ordered_ms", bound.ordered_ms);
    json.member("order_free_ms", bound.order_free_ms).member("reason", std::string_view(bound.reason));
    json.member("least_peak_bytes", bound.least_peak_bytes).key("chain");
    write_chain(json, bound.chain);
    json.end_object();
}

void write_distance(JsonWriter& json, const std::optional<PlanDifference>& from_start) {
    if (!from_start) {
        json.null();
        return;
    }
    const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
    json.begin_object().member("buckets", count(from_start->buckets)).member("passes", count(from_start->passes));
    json.member("options", count(from_start->options)).member("overlaps", count(from_start->overlaps));
    json.member("order", from_start->order).member("others", !from_start->others.empty());
    json.member("text", std::string_view(describe(*from_start))).end_object();
}

void write_element(JsonWriter& json, const PlanElement& element) {
    json.begin_object().member("element", std::string_view(element.element));
    if (element.refusal.empty()) {
        json.member("worth_ms", element.worth_ms).member("worth_bytes", element.worth_bytes).key("refusal").null();
    } else {
        json.key("worth_ms").null();
        json.key("worth_bytes").null();
        json.member("refusal", std::string_view(element.refusal));
    }
    json.end_object();
}

}  // namespace

Plan found_plan(const SearchResult& result, double simulated_ms) {
    Plan plan = result.best.plan;
    plan.added_by_reading = {};  // it was not read
    plan.name = found_plan_name(told_step_ms(simulated_ms, result.best.step_ms), result.best.corrected_peak_bytes);
    plan.notes.assign(found_note_words).append(counted(result.evaluations, "plan"));
    plan.notes.append(" (").append(result.best.origin).append(").");
    if (!result.groups_left_out.empty())
        plan.notes.append(" Without the settings of process groups that this plan does not make: ")
            .append(enumerated(result.groups_left_out))
            .append(".");
    return plan;
}

std::string search_report_json(const SearchResult& result, double simulated_ms, std::span<const Problem> problems) {
    JsonWriter json;
    json.begin_object();
    write_best(json, result, simulated_ms);
    write_bound(json, result.bound);
    json.key("baselines").begin_array();
    for (const Candidate& baseline : result.baselines) {
        json.begin_object().member("name", std::string_view(baseline.origin)).member("step_ms", baseline.step_ms);
        json.member("peak_bytes", baseline.corrected_peak_bytes).key("refusal");
        baseline.usable() ? json.null() : json.value(std::string_view(baseline.refusal));
        write_disturbed(json, baseline);
        json.end_object();
    }
    json.end_array().key("front").begin_array();
    for (const FrontPoint& point : result.front) {
        json.begin_object().member("limit_bytes", point.limit_bytes).member("step_ms", point.step_ms);
        json.member("peak_bytes", point.peak_bytes).member("bound_ms", point.bound_ms).member("knee", point.knee);
        json.member("origin", std::string_view(point.origin)).end_object();
    }
    json.end_array().member("evaluations", static_cast<std::int64_t>(result.evaluations));
    json.member("stopped", result.stopped).member("exhausted", result.exhausted).key("scenarios").begin_array();
    for (const Disturbance& scenario : scenarios()) json.value(scenario.name);
    json.end_array().key("elements").begin_array();
    for (const PlanElement& element : result.elements) write_element(json, element);
    json.end_array().key("locked").begin_array();
    for (const std::string& part : result.locked) json.value(std::string_view(part));
    json.end_array().key("groups_left_out").begin_array();
    for (const std::string& group : result.groups_left_out) json.value(std::string_view(group));
    json.end_array().key("distance");
    write_distance(json, result.from_start);
    json.key("problems");
    write_problems(json, problems);
    json.end_object();
    return json.take();
}

std::string search_front_csv(const SearchResult& result) {
    CsvTable table({"limit_bytes", "step_ms", "peak_bytes", "bound_ms", "knee", "origin"});
    for (const FrontPoint& point : result.front) {
        table.number(point.limit_bytes).milliseconds(point.step_ms).number(point.peak_bytes);
        table.milliseconds(point.bound_ms).text(point.knee ? "knee" : "").text(point.origin);
        table.end_row();
    }
    return table.take();
}

}  // namespace overlap
