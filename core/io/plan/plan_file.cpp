#include "core/io/plan/plan_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/files/atomic_file.h"
#include "core/files/format_version.h"
#include "core/files/json_bytes.h"
#include "core/files/parse_json.h"
#include "core/io/plan/bucket_entries_json.h"
#include "core/io/plan/device_order_json.h"
#include "core/io/plan/memory_section_json.h"
#include "core/io/plan/module_rules_json.h"
#include "core/io/plan/option_json.h"
#include "core/io/plan/overlap_directives_json.h"
#include "core/io/plan/plan_json.h"
#include "core/io/plan/process_groups_json.h"
#include "core/passes/registry/registry.h"

namespace overlap {

namespace {

constexpr std::string_view format_name = "overlap-plan";
constexpr int format_version = 1;

/// Fields that this version interprets. All others are kept in Plan::extra.
constexpr std::array<std::string_view, 13> known_fields = {
    "format", "version",  "name",          "graph",          "module_rules", "buckets", "pipeline",
    "memory", "overlaps", "device_orders", "process_groups", "notes",        "colour"};

/// What an export for a training job adds (core/exports/job_plan.h). It is derived from the rest and the graph, and
/// would no longer hold once the plan is edited, so it is not kept.
constexpr std::string_view derived_field = "job";

PlanColour read_colour(const Json& document) {
    if (!document.contains("colour")) return PlanColour::none;
    const std::string name = read_string(document, "colour", "");
    const std::optional<PlanColour> colour = plan_colour_by_name(name);
    if (colour && *colour != PlanColour::none) return *colour;
    std::string known;
    for (const PlanColour each : plan_colours) known.append(known.empty() ? "" : ", ").append(plan_colour_name(each));
    throw InputError("colour", "found " + in_quotes(name) + ", expected one of " + known);
}

void check_header(const Json& document) {
    if (!document.is_object()) fail_type("", document, "a plan, which is an object");
    const auto format = document.find("format");
    if (format == document.end()) {
        throw InputError("",
                         "this is an object without a format; expected an overlap-plan, or a list of passes such as "
                         "[{\"pass\": ..., \"options\": {...}}] for a pipeline");
    }
    if (*format != format_name) fail_type("format", *format, "\"overlap-plan\"");
    const auto version = document.find("version");
    if (version == document.end()) throw InputError("version", "missing, expected 1");
    if (!version->is_number_integer()) fail_type("version", *version, "1");
    check_format_version("plan", version->get<std::int64_t>(), format_version);
}

std::optional<GraphFingerprint> read_fingerprint(const Json& document) {
    const auto field = document.find("graph");
    if (field == document.end() || field->is_null()) return std::nullopt;
    if (!field->is_object()) fail_type("graph", *field, "an object with name, nodes and digest");
    std::optional<GraphFingerprint> found(std::in_place);  // GCC 12 warns of an optional that takes a value over
    GraphFingerprint& graph = *found;
    graph.name = read_string(*field, "name", "graph.");
    graph.digest = read_string(*field, "digest", "graph.");
    const auto nodes = field->find("nodes");
    if (nodes == field->end()) throw InputError("graph.nodes", "missing, expected the number of nodes");
    if (!nodes->is_number_integer() || *nodes < 0 || *nodes > 0xffffffffll) {
        fail_type("graph.nodes", *nodes, "a number of nodes");
    }
    graph.nodes = nodes->get<std::uint32_t>();
    const bool hexadecimal = graph.digest.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (graph.digest.size() != 16 || !hexadecimal) {
        throw InputError("graph.digest", "found " + in_quotes(graph.digest) + ", expected 16 hexadecimal digits");
    }
    return found;
}

/// Runs `check` and adds the step's place to its errors.
template <typename Check>
void naming_step(const std::string& step_place, Check&& check) {
    try {
        check();
    } catch (const InputError& error) {
        throw InputError(error.place().empty() ? step_place : step_place + ", " + error.place(), error.problem());
    }
}

std::string place_of_step(const std::string& list, std::size_t index) {
    return list.empty() ? "step " + std::to_string(index + 1) : item_place(list, index);
}

std::vector<PassStep> read_steps(const Json& steps, const std::string& place) {
    if (!steps.is_array()) fail_type(place, steps, "a list of steps");
    std::vector<PassStep> read;
    for (std::size_t index = 0; index < steps.size(); ++index) {
        const std::string step_place = place_of_step(place, index);
        const Json& step = steps[index];
        if (!step.is_object()) fail_type(step_place, step, "an object with pass and options");
        for (const auto& [key, ignored] : step.items()) {
            const std::vector<std::string> known = {"pass", "options", "enabled"};
            if (std::ranges::find(known, key) != known.end()) continue;
            throw InputError(step_place, "unknown field " + in_quotes(key) + suggest_names(key, known));
        }
        if (!step.contains("pass")) throw InputError(step_place, "has no pass");
        PassStep made;
        made.pass = read_string(step, "pass", step_place + ".");
        const Json options = step.value("options", Json());
        if (!options.is_null()) {
            naming_step(step_place, [&] { made.options = read_options(require_pass(made.pass), options); });
        }
        if (step.contains("enabled")) {
            if (!step.at("enabled").is_boolean())
                fail_type(step_place + ".enabled", step.at("enabled"), "true or false");
            made.enabled = step.at("enabled").get<bool>();
        }
        read.push_back(std::move(made));
    }
    return read;
}

/// Checks the steps as they would run, with the plan's buckets put in, those that are switched off too.
void check_steps(const std::vector<PassStep>& steps, const std::string& place) {
    for (std::size_t index = 0; index < steps.size(); ++index) {
        naming_step(place_of_step(place, index),
                    [&] { check_options(require_pass(steps[index].pass), steps[index].options); });
    }
}

/// Unreadable settings are no reason to refuse the plan: everything shown without a run stays right.
void read_groups(const Json& groups, Plan& plan) {
    try {
        plan.process_groups = read_process_groups(groups);
    } catch (const InputError& error) {
        plan.unread_process_groups = UnreadField{groups.dump(), error.place(), error.problem()};
    }
}

/// Adds the passes of the plan's memory section that its pipeline lacks.
void add_memory_steps(Plan& plan) {
    std::vector<PassStep> whole = with_memory_steps(plan.pipeline);
    for (const PassStep& step : whole)
        if (std::ranges::find(plan.pipeline, step.pass, &PassStep::pass) == plan.pipeline.end())
            plan.added_by_reading.memory_passes.push_back(step.pass);
    plan.pipeline = std::move(whole);
}

Plan read_document(const Json& document) {
    check_header(document);
    Plan plan;
    if (document.contains("name")) plan.name = read_string(document, "name", "");
    plan.graph = read_fingerprint(document);
    if (plan.graph) {
        for (const auto& [key, value] : document.at("graph").items())
            if (key != "name" && key != "nodes" && key != "digest") plan.graph_extra.emplace_back(key, value.dump());
    }
    if (const auto rules = document.find("module_rules"); rules != document.end()) {
        plan.module_rules = read_module_rules(*rules);
    }
    if (const auto buckets = document.find("buckets"); buckets != document.end()) {
        if (!buckets->is_array()) fail_type("buckets", *buckets, "a list");
        ExpansionBounds bounds;
        for (std::size_t index = 0; index < buckets->size(); ++index) {
            for (BucketEntry& entry : read_bucket_entries((*buckets)[index], item_place("buckets", index), bounds)) {
                plan.buckets.push_back(std::move(entry));
            }
        }
    }
    if (const auto pipeline = document.find("pipeline"); pipeline != document.end()) {
        plan.pipeline = read_steps(*pipeline, "pipeline");
    }
    if (const auto memory = document.find("memory"); memory != document.end() && !memory->is_null()) {
        plan.memory = read_memory_section(*memory);
        add_memory_steps(plan);
    }
    std::vector<PassStep> lowered;
    for (const PassStep& step : plan.pipeline) lowered.push_back(lower(plan, step));
    check_steps(lowered, "pipeline");
    if (const auto overlaps = document.find("overlaps"); overlaps != document.end()) {
        plan.overlaps = read_overlap_directives(*overlaps);
    }
    if (const auto orders = document.find("device_orders"); orders != document.end()) {
        if (!orders->is_array()) fail_type("device_orders", *orders, "a list");
        for (std::size_t index = 0; index < orders->size(); ++index) {
            plan.device_orders.push_back(read_device_order((*orders)[index], item_place("device_orders", index)));
        }
    }
    if (const auto groups = document.find("process_groups"); groups != document.end()) {
        read_groups(*groups, plan);
    }
    plan.notes = read_string(document, "notes", "");
    plan.colour = read_colour(document);
    for (const auto& [key, value] : document.items()) {
        const bool known = std::ranges::find(known_fields, key) != known_fields.end() || key == derived_field;
        if (!known) plan.extra.emplace_back(key, value.dump());
    }
    return plan;
}

std::string read_text(const std::string& path) {
    const std::optional<JsonBytes> bytes = read_json_file(path);
    return std::string(bytes->view());
}

/// Runs `read` and adds the file's name to its errors.
template <typename Read>
auto naming_file(const std::string& file, Read&& read) {
    try {
        return read();
    } catch (const InputError& error) {
        throw error.in_file(file);
    }
}

}  // namespace

Plan read_plan_text(std::string_view text, const std::string& name) {
    return naming_file(name, [&] { return read_document(parse_json_document(text)); });
}

Plan read_plan_file(const std::string& path) {
    return naming_file(path, [&] { return read_document(parse_json_document(read_text(path))); });
}

std::string write_plan_text(const Plan& plan) {
    Json document = Json::object();
    document["format"] = format_name;
    document["version"] = format_version;
    document["name"] = plan.name;
    if (plan.graph) {
        document["graph"] = {{"name", plan.graph->name}, {"nodes", plan.graph->nodes}, {"digest", plan.graph->digest}};
        add_unknown_fields(document["graph"], plan.graph_extra);
    }
    if (!plan.module_rules.empty()) document["module_rules"] = module_rules_json(plan.module_rules);
    document["buckets"] = Json::array();
    for (const BucketEntry& entry : plan.buckets) document["buckets"].push_back(bucket_entry_json(entry));
    document["pipeline"] = Json::array();
    for (const PassStep& step : plan.pipeline) {
        Json written = {{"pass", step.pass}, {"options", options_json(step.options)}};
        if (!step.enabled) written["enabled"] = false;
        document["pipeline"].push_back(std::move(written));
    }
    if (plan.memory) document["memory"] = memory_section_json(*plan.memory);
    document["overlaps"] = overlap_directives_json(plan.overlaps);
    document["device_orders"] = Json::array();
    for (const DeviceOrder& order : plan.device_orders) document["device_orders"].push_back(device_order_json(order));
    document["process_groups"] = plan.unread_process_groups ? Json::parse(plan.unread_process_groups->json)
                                                            : process_groups_json(plan.process_groups);
    document["notes"] = plan.notes;
    if (plan.colour != PlanColour::none) document["colour"] = plan_colour_name(plan.colour);
    add_unknown_fields(document, plan.extra);
    // Names come from files that were checked to be UTF-8; a title or note that is not must not prevent saving.
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_plan_file(const Plan& plan, const std::string& path) {
    write_file_atomically(path, write_plan_text(plan), OlderVersion::kept);
}

std::vector<PassStep> read_pipeline_text(std::string_view text, const std::string& name) {
    return naming_file(name, [&] {
        const Json document = parse_json_document(text);
        if (document.is_object()) return lower(read_document(document));
        if (!document.is_array()) fail_type("", document, "a list of steps or a plan");
        std::vector<PassStep> steps = read_steps(document, "");
        check_steps(steps, "");
        std::erase_if(steps, [](const PassStep& step) { return !step.enabled; });
        return steps;
    });
}

std::vector<PassStep> read_pipeline_file(const std::string& path) {
    return read_pipeline_text(naming_file(path, [&] { return read_text(path); }), path);
}

void check_plan_fits(const Plan& plan, const Graph& graph) {
    if (plan.graph) check_plan_fits(plan, fingerprint(graph));
}

void check_plan_fits(const Plan& plan, const GraphFingerprint& found) {
    if (!plan.graph) return;
    if (found.nodes == plan.graph->nodes && found.digest == plan.graph->digest) return;
    std::string problem = "the plan is for another graph: it is for ";
    problem += in_quotes(plan.graph->name) + " of " + std::to_string(plan.graph->nodes) + " nodes (digest " +
               plan.graph->digest + "), this is " + in_quotes(found.name) + " of " + std::to_string(found.nodes) +
               " nodes (digest " + found.digest + ")";
    throw InputError("graph", problem);
}

}  // namespace overlap
