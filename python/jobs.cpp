// Whole jobs of stages, microbatches and ranks.

#include <nanobind/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/imports/any_graph_file.h"
#include "core/job/document/job_document.h"
#include "core/job/document/job_file.h"
#include "core/job/pipeline/pipeline_step.h"
#include "core/job/run_job.h"
#include "core/job/stages/graph_stages.h"
#include "core/job/step/job_result.h"
#include "core/job/step/stopped.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/running.h"

namespace overlap::python {

namespace {

nb::object simulate_job(const std::filesystem::path& path, bool fold) {
    const std::string json = result_of([&](const std::stop_token& stop) {
        const job::JobDocument document = job::read_job_file(path.string());
        job::GraphStages stages(path.parent_path().string(), [&](const std::string& graph) {
            std::shared_ptr<const Graph> read = read_any_graph_file(graph, {.stop = stop, .progress = {}}).graph;
            job::require_not_stopped(stop);
            return read;
        });
        job::PipelineOptions options;
        options.fold = fold;
        options.evaluator = stages.evaluator(stop);
        options.folder = path.parent_path().string();
        options.stop = stop;
        try {
            return job::result_json(job::run_job(document, options));
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(path.string()) : error;
        }
    });
    return parsed_json(json);
}

}  // namespace

void add_jobs(nb::module_& core) {
    core.def(
        "simulate_job", simulate_job, nb::arg("path"), nb::kw_only(), nb::arg("fold") = true,
        nb::sig("def simulate_job(path: str | os.PathLike, *, fold: bool = True) -> dict[str, typing.Any]"),
        "Simulates the job of an overlap-job document, as `overlap job simulate --json` prints it: its step, what each "
        "rank waits for, the critical path.\n\n"
        "`fold` simulates ranks that cannot be told apart once.\n"
        "Raises InputError with file and place.");
}

}  // namespace overlap::python
