// What the passes of a plan make of a graph, without figures: for jobs that run them on their own graph.

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/exports/job_result.h"
#include "core/io/plan/plan_file.h"
#include "core/io/report_json.h"
#include "core/pipeline/execution.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/handles.h"
#include "python/running.h"

namespace overlap::python {

namespace {

struct AppliedHandle {
    std::shared_ptr<const Execution> execution;
};

AppliedHandle apply(const GraphHandle& graph, const Plan& plan) {
    return {result_of([&](std::stop_token stop) {
        if (plan.graph) check_plan_fits(plan, *graph.as_read);
        std::optional<Execution> execution =
            execute(resolve(graph.graph, plan),
                    {.stop = std::move(stop), .strictness = Strictness::strict, .plan_file = plan.name});
        return execution ? std::make_shared<const Execution>(*std::move(execution)) : nullptr;
    })};
}

nb::bytes changes(const AppliedHandle& handle) {
    const std::string json = result_of([&](const std::stop_token&) {
        const Execution& execution = *handle.execution;
        return job_changes(execution.resolved->plan, execution).dump(-1, ' ', false, Json::error_handler_t::replace);
    });
    return nb::bytes(json.data(), json.size());
}

nb::object reports_of(const AppliedHandle& handle) {
    Json list = Json::array();
    for (const PassReport& report : handle.execution->reports) list.push_back(report_json(report));
    return parsed_json(list.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void add_applications(nb::module_& core) {
    nb::class_<AppliedHandle>(core, "Applied", "What the passes of a plan make of a graph, without figures.")
        .def_prop_ro(
            "graph",
            [](const AppliedHandle& applied) {
                return GraphHandle{applied.execution->graph, applied.execution->graph};
            },
            "The graph that results.")
        .def_prop_ro(
            "problems", [](const AppliedHandle& applied) { return applied.execution->problems; },
            "What is wrong or remarkable.")
        .def_prop_ro("reports", reports_of, nb::sig("def reports(self) -> list[dict[str, typing.Any]]"),
                     "What each pass did, as `overlap apply --report` writes it.")
        .def_prop_ro(
            "run_ms", [](const AppliedHandle& applied) { return applied.execution->run_ms(); },
            "Milliseconds that the passes took.")
        .def("changes", changes,
             "What a job needs to make this of its own graph, as JSON: nodes that stay, change and are new. It is what "
             "`overlap_studio.native_pass` carries out.\n\n"
             "Raises InputError where that cannot be told, such as of operators that an earlier step has wrapped.");
    core.def("apply", apply, nb::arg("graph"), nb::arg("plan"),
             "Runs the passes of a plan on a graph and applies its overlaps by hand, as `overlap apply` does.\n\n"
             "Raises InputError with the step where it is refused, also where PyTorch's pass would fail.");
}

}  // namespace overlap::python
