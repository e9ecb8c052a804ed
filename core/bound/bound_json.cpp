#include "core/bound/lower_bound.h"
#include "core/files/json_writer.h"
#include "core/files/problem_json.h"

namespace overlap {

void write_chain(JsonWriter& json, const std::vector<BoundStep>& chain) {
    json.begin_array();
    for (const BoundStep& step : chain) {
        json.begin_object().member("kind", bound_step_kind_name(step.kind));
        json.member("start_ms", step.start_ms).member("end_ms", step.end_ms);
        json.member("first", std::string_view(step.first)).member("last", std::string_view(step.last));
        json.key("process_groups").begin_array();
        for (const std::string& group : step.groups) json.value(std::string_view(group));
        json.end_array().end_object();
    }
    json.end_array();
}

std::string bound_json(const LowerBound& bound, std::optional<std::int64_t> memory_limit, double plan_step_ms,
                       std::int64_t plan_peak_bytes, const KeptWork& kept, std::span<const Problem> problems) {
    JsonWriter json;
    const auto member = [&json](std::string_view name, const std::string& clause) {
        json.key(name);
        clause.empty() ? json.null() : json.value(std::string_view(clause));
    };
    json.begin_object();
    json.member("step_ms", bound.step_ms);
    json.member("ordered_ms", bound.ordered_ms);
    json.member("order_free_ms", bound.order_free_ms);
    json.key("memory_limit_bytes");
    memory_limit ? json.value(*memory_limit) : json.null();
    json.member("least_peak_bytes", bound.least_peak_bytes);
    json.member("least_peak_node", std::string_view(bound.least_peak_node));
    json.member("reason", std::string_view(bound.reason));
    json.member("plan_step_ms", plan_step_ms).member("plan_peak_bytes", plan_peak_bytes);
    member("plan_leaves_out", kept.missing);
    member("plan_reorders", kept.moved);
    json.key("problems");
    write_problems(json, problems);
    json.key("chain");
    write_chain(json, bound.chain);
    json.key("order_free_chain");
    write_chain(json, bound.order_free_chain);
    json.end_object();
    return json.take();
}

}  // namespace overlap
