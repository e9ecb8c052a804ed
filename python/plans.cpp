// Plans: read, made and written.

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/graph/module_tree.h"
#include "core/io/plan/plan_file.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/handles.h"
#include "python/running.h"

namespace overlap::python {

namespace {

/// Entries of a plan: a text with abbreviations, or an entry each, of one module or several.
using BucketsArgument = std::variant<std::string, std::vector<std::variant<std::string, std::vector<std::string>>>>;

std::vector<BucketEntry> entries_of(const BucketsArgument& buckets) {
    if (const auto* typed = std::get_if<std::string>(&buckets)) return parse_bucket_entries(*typed);
    std::vector<BucketEntry> entries;
    for (const auto& item : std::get<1>(buckets)) {
        BucketEntry entry;
        if (const auto* module = std::get_if<std::string>(&item))
            entry.modules = {*module};
        else {
            entry.modules = std::get<1>(item);
            entry.written_as_list = entry.modules.size() == 1;
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::vector<std::vector<std::string>> buckets_of(const Plan& plan) {
    std::vector<std::vector<std::string>> buckets;
    for (const BucketEntry& entry : plan.buckets) buckets.push_back(entry.modules);
    return buckets;
}

std::vector<std::string> passes_of(const Plan& plan) {
    std::vector<std::string> passes;
    for (const PassStep& step : plan.pipeline)
        if (step.enabled) passes.push_back(step.pass);
    return passes;
}

Plan made_plan(const GraphHandle& graph, const BucketsArgument& buckets, const std::string& name) {
    std::vector<BucketEntry> entries = entries_of(buckets);
    Plan plan = make_plan(*graph.as_read, name);
    plan.buckets = std::move(entries);
    return plan;
}

Plan plan_by_block(const GraphHandle& graph, std::size_t blocks_per_bucket, const std::string& name) {
    if (blocks_per_bucket == 0) throw InputError("blocks_per_bucket", "expected 1 or more");
    Plan plan = make_plan(*graph.as_read, name);
    const ModuleTree modules(*graph.graph, module_source(plan, *graph.graph));
    plan.buckets = one_bucket_per_blocks(modules, blocks_per_bucket, graph.graph.get());
    return plan;
}

struct Preset {
    PipelinePreset preset;
    Plan plan;
};

std::vector<Preset> presets_of(const GraphHandle& graph) {
    return result_of([&](const std::stop_token&) {
        std::vector<Preset> presets;
        for (PipelinePreset& preset : pipeline_presets(*graph.graph)) {
            Plan plan = plan_of(preset, *graph.as_read, preset.title);
            presets.push_back({std::move(preset), std::move(plan)});
        }
        return presets;
    });
}

Preset preset_of(const GraphHandle& graph, const std::string& name) {
    std::vector<std::string> names;
    for (Preset& preset : presets_of(graph)) {
        if (preset.preset.name == name) return std::move(preset);
        names.push_back(preset.preset.name);
    }
    throw InputError("name", "there is no preset " + in_quotes(name) + suggest_names(name, names));
}

void add_problems(nb::module_& core) {
    nb::class_<Problem>(core, "Problem", "Something that a user should know of a plan or a result.")
        .def_prop_ro(
            "severity", [](const Problem& problem) { return std::string(severity_name(problem.severity)); },
            "`note`, `caution` or `error`.")
        .def_prop_ro(
            "kind", [](const Problem& problem) { return std::string(problem_kind_name(problem.kind)); },
            "What it is about, such as `unknown_module`: programs decide by it.")
        .def_ro("title", &Problem::title, "Two or three words.")
        .def_ro("message", &Problem::message, "A sentence without full stop.")
        .def_ro("nodes", &Problem::nodes, "Names of the nodes concerned.")
        .def_prop_ro(
            "plan_entry",
            [](const Problem& problem) {
                return problem.plan_entry < 0 ? std::optional<int>() : std::optional(problem.plan_entry);
            },
            "The index of the plan's bucket concerned, or None.")
        .def(
            "__repr__",
            [](const Problem& problem) {
                return text("<Problem " + std::string(severity_name(problem.severity)) + ": " + problem.message + ">");
            },
            nb::sig("def __repr__(self) -> str"));
}

}  // namespace

void add_plans(nb::module_& core) {
    add_problems(core);
    nb::class_<Plan>(core, "Plan", "What a user makes and a training job executes: buckets, passes, overlaps by hand.")
        .def_ro("name", &Plan::name)
        .def_ro("notes", &Plan::notes, "What its author wrote.")
        .def_prop_ro("buckets", buckets_of, "Dotted paths of the modules of each bucket, in packing order.")
        .def_prop_ro("passes", passes_of, "Names of the passes that it runs, in order.")
        .def(
            "json", [](const Plan& plan) { return write_plan_text(plan); }, "The overlap-plan document as text.")
        .def(
            "document", [](const Plan& plan) { return parsed_json(write_plan_text(plan)); },
            nb::sig("def document(self) -> dict[str, typing.Any]"),
            "The overlap-plan document. Changed, it is a plan again by `parse_plan`.")
        .def(
            "write", [](const Plan& plan, const std::filesystem::path& path) { write_plan_file(plan, path.string()); },
            nb::arg("path"),
            "Writes the document. The file appears whole or not at all.\n\nRaises InputError where it cannot be "
            "written.")
        .def(
            "__eq__", [](const Plan& plan, const Plan& other) { return plan == other; }, nb::is_operator(),
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def(
            "__repr__",
            [](const Plan& plan) {
                return text("<Plan " + in_quotes(plan.name) + ", " + std::to_string(plan.buckets.size()) +
                            " buckets, " + std::to_string(passes_of(plan).size()) + " passes>");
            },
            nb::sig("def __repr__(self) -> str"));
    core.def(
        "read_plan", [](const std::filesystem::path& path) { return read_plan_file(path.string()); }, nb::arg("path"),
        "Reads an overlap-plan document.\n\nRaises InputError with file and place.");
    core.def(
        "parse_plan",
        [](nb::handle document, const std::string& name) {
            return read_plan_text(
                nb::isinstance<nb::str>(document) ? nb::cast<std::string>(document) : json_of(document), name);
        },
        nb::arg("document"), nb::arg("name") = "plan",
        nb::sig("def parse_plan(document: str | collections.abc.Mapping[str, typing.Any], name: str = 'plan') -> Plan"),
        "Reads an overlap-plan document from a text or from what `Plan.document` gives.\n\n"
        "`name` stands for the file in errors. Raises InputError with the place.");
    core.def(
        "make_plan", made_plan, nb::arg("graph"), nb::arg("buckets") = "", nb::arg("name") = "Plan A",
        "A plan for a graph: one step of manual_overlap_bucketing with these buckets.\n\n"
        "`buckets` is a text as the window takes it, such as `layers.[0-31], norm+lm_head`, or a list with a module or "
        "a list of modules for each bucket.\nRaises InputError with line and column of the text.");
    core.def("plan_by_block", plan_by_block, nb::arg("graph"), nb::arg("blocks_per_bucket") = 1,
             nb::arg("name") = "Plan A",
             "A plan with a bucket for each block of the model, or for that many blocks, as torchtitan makes it.");
    nb::class_<Preset>(core, "Preset", "What torchtitan's trainer would run on a graph.")
        .def_prop_ro("name", [](const Preset& preset) { return preset.preset.name; })
        .def_prop_ro("title", [](const Preset& preset) { return preset.preset.title; })
        .def_prop_ro(
            "help", [](const Preset& preset) { return preset.preset.help; }, "A sentence.")
        .def_ro("plan", &Preset::plan)
        .def_prop_ro(
            "notes", [](const Preset& preset) { return preset.preset.notes; },
            "What the trainer would run as well and the plan does not.");
    core.def("presets", presets_of, nb::arg("graph"), "All presets, made for this graph.");
    core.def("preset", preset_of, nb::arg("graph"), nb::arg("name"),
             "The preset of that name, made for this graph.\n\nRaises InputError where there is none.");
    core.def(
        "automatic_plan",
        [](const GraphHandle& graph) { return automatic_plan(make_plan(*graph.as_read, "Automatic"), *graph.as_read); },
        nb::arg("graph"), "A plan that leaves buckets and order to PyTorch's overlap scheduler.");
}

}  // namespace overlap::python
