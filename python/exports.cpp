// A plan and its result for jobs, other tools and readers.

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/exports/export_format.h"
#include "core/files/atomic_file.h"
#include "core/pipeline/evaluation.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/handles.h"
#include "python/running.h"

namespace overlap::python {

namespace {

ExportOutput export_plan(const EvaluationHandle& handle, const std::string& name) {
    const ExportFormat& format = require_export_format(name);
    const std::shared_ptr<const Evaluation>& evaluation = handle.evaluation;
    if (!evaluation->resolved)
        throw InputError("", "this is an evaluation of a graph as it is, without a plan to export");
    return result_of([&](std::stop_token stop) {
        const auto baseline = evaluate_baseline(evaluation->original, std::move(stop), evaluation->time_source);
        if (!baseline) return ExportOutput{};  // it was interrupted
        // Without a date, so that exports of one plan are equal.
        return write_export(format, {evaluation->resolved->plan, evaluation, baseline, "overlap " OVERLAP_VERSION, ""});
    });
}

std::vector<std::string> format_names() {
    std::vector<std::string> names;
    for (const ExportFormat& format : export_formats()) names.emplace_back(format.name);
    return names;
}

}  // namespace

void add_exports(nb::module_& core) {
    nb::class_<ExportOutput>(core, "Export", "A plan in some format.")
        .def_prop_ro(
            "data", [](const ExportOutput& made) { return nb::bytes(made.bytes.data(), made.bytes.size()); },
            "What the file has.")
        .def_ro("notes", &ExportOutput::notes,
                "What the plan says and the format cannot, and what a reader must know: sentences without full stop.")
        .def(
            "write",
            [](const ExportOutput& made, const std::filesystem::path& path) {
                write_file_atomically(path.string(), made.bytes);
            },
            nb::arg("path"),
            "Writes the file, which appears whole or not at all.\n\nRaises InputError where it cannot be written.");
    core.def("export_formats", format_names, "Names of the formats, such as `job`, `report` and `perfetto`.");
    core.def(
        "export", export_plan, nb::arg("evaluation"), nb::arg("format"),
        "An evaluated plan in a format, as `overlap export` writes it, without a date: `job` is what `apply_plan` "
        "takes in a training job, `report` a page to read.\n\n"
        "Raises InputError for an unknown format, with the nearest; for an evaluation without a plan, or of one that "
        "is refused; for figures of a graph without times.");
}

}  // namespace overlap::python
