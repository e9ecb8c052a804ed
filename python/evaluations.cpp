// What a plan makes of a graph: its figures, collectives, nodes and problems.

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "core/base/number_text.h"
#include "core/cost/with_cost_model.h"
#include "core/files/atomic_file.h"
#include "core/io/plan/plan_file.h"
#include "core/io/report_json.h"
#include "core/pipeline/beside_step.h"
#include "core/pipeline/evaluation.h"
#include "core/pipeline/evaluation_progress.h"
#include "core/pipeline/why_exposed.h"
#include "core/simulate/chrome_trace.h"
#include "core/simulate/simulation_json.h"
#include "core/simulate/simulation_totals.h"
#include "core/views/collective_figures.h"
#include "core/views/timeline_of.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/cost_models.h"
#include "python/handles.h"
#include "python/running.h"

namespace overlap::python {

namespace {

struct Collective {
    std::shared_ptr<const Evaluation> evaluation;
    CollectiveFigures figures;

    const CollectiveTiming& timing() const { return evaluation->simulation.collectives[figures.timing]; }
    std::optional<std::string> name_of(NodeId node) const { return name_or_none(*evaluation->graph, node); }
};

struct FigureOptions {
    bool contention = false, shared_links = false, strict = true;
};

std::shared_ptr<const Evaluation> evaluated(const GraphHandle& graph, const Plan* plan, const NamedCostModel* model,
                                            const FigureOptions& options, EvaluationProgressCall progress,
                                            std::stop_token stop) {
    const std::shared_ptr<const Graph> modelled = model ? with_cost_model(graph.graph, *model).graph : graph.graph;
    if (plan) check_plan_fits(*plan, *graph.as_read);
    std::shared_ptr<const TimeSource> source;
    if (options.contention || options.shared_links) {
        if (options.contention && options.strict) contention_of(*modelled);  // which says what is missing
        const std::optional<CostParameters>& cost = modelled->header().cost;
        source = modelled_source(options.contention, cost ? cost->compilation : std::nullopt, options.shared_links);
    }
    std::shared_ptr<const Evaluation> evaluation =
        evaluate_telling(modelled, plan, std::move(progress), std::move(stop), std::move(source));
    if (evaluation && options.strict && evaluation->refusal) throw *evaluation->refusal;
    return evaluation;
}

using PlanProgressCall = std::optional<nb::typed<nb::callable, nb::object(EvaluationProgress)>>;

EvaluationHandle evaluate_plan(const GraphHandle& graph, const std::optional<Plan>& plan,
                               const std::optional<CostModelArgument>& model, bool contention, bool shared_links,
                               bool strict, const PlanProgressCall& progress) {
    std::optional<NamedCostModel> found;
    if (model) found = cost_model_of(*model);
    Reports<EvaluationProgress> reports;
    const auto add = [&](const EvaluationProgress& made) { reports.add(made); };
    return {result_of(
        [&](std::stop_token stop) {
            return evaluated(graph, plan ? &*plan : nullptr, found ? &*found : nullptr,
                             {contention, shared_links, strict}, add, std::move(stop));
        },
        [&] {
            for (const EvaluationProgress& made : reports.take())
                if (progress) (*progress)(made);
        })};
}

std::optional<double> beside_ms(const EvaluationHandle& handle) {
    const std::optional<OptimizerStep> step = beside_step(*handle.evaluation);
    return step ? std::optional(step->time_ms) : std::nullopt;
}

nb::object figures(const EvaluationHandle& handle) {
    const Evaluation& evaluation = *handle.evaluation;
    const std::string json = result_of([&](const std::stop_token&) {
        const std::vector<std::vector<std::string>> shared =
            links_in_common(*evaluation.graph, evaluation.time_source.get());
        const bool keeps_order = !evaluation.resolved || evaluation.resolved->plan.overlaps.keep_group_order;
        return simulation_json(
            *evaluation.graph, evaluation.simulation, evaluation.corrected_memory,
            {.contention = evaluation.contention.get(),
             .beside_ms = beside_ms(handle),
             .order = {.groups_keep_order = keeps_order, .bucket_of_node = evaluation.bucket_of_node},
             .shared_links = shared});
    });
    return parsed_json(json);
}

nb::object reports(const EvaluationHandle& handle) {
    Json list = Json::array();
    for (const PassReport& report : handle.evaluation->reports) list.push_back(report_json(report));
    return parsed_json(list.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::vector<Collective> collectives_of(const EvaluationHandle& handle) {
    return result_of([&](const std::stop_token&) {
        const std::shared_ptr<const ModuleTree> modules = modules_of(*handle.evaluation, handle.evaluation->input);
        std::vector<Collective> collectives;
        for (CollectiveFigures& figures : collective_figures(*handle.evaluation, *modules))
            collectives.push_back({handle.evaluation, std::move(figures)});
        return collectives;
    });
}

std::vector<std::string> members_of(const Collective& collective) {
    std::vector<std::string> names;
    for (const NodeId member : collective.figures.members)
        names.emplace_back(collective.evaluation->input->name(member));
    return names;
}

void write_trace(const EvaluationHandle& handle, const std::filesystem::path& path) {
    const Evaluation& evaluation = *handle.evaluation;
    run_interruptibly([&](const std::stop_token&) {
        write_file_atomically(path.string(),
                              chrome_trace_json(*evaluation.graph, evaluation.simulation, evaluation.corrected_memory,
                                                evaluation.contention.get()));
    });
}

TimelineHandle timeline(const EvaluationHandle& handle) {
    return {result_of([&](const std::stop_token&) { return timeline_of(*handle.evaluation); }), handle.evaluation};
}

Column<double> node_times(const EvaluationHandle& handle, double NodeTiming::*field) {
    const std::vector<NodeTiming>& nodes = handle.evaluation->simulation.nodes;
    static_assert(sizeof(NodeTiming) == 2 * sizeof(double));
    return column(nodes.empty() ? nullptr : &(nodes.front().*field), nodes.size(), handle.evaluation, 2);
}

/// The figures in a line, then the pictures.
std::string html(const EvaluationHandle& handle) {
    const Evaluation& evaluation = *handle.evaluation;
    const TimelineHandle drawn = timeline(handle);
    std::string figures = "<p>";
    if (evaluation.times_known)
        figures += "step " + time_text(evaluation.simulation.step_ms) + ", exposed " +
                   time_text(evaluation.simulation.exposed_ms) + ", ";
    figures += "peak " + bytes_text(evaluation.corrected_memory.peak_bytes) + "</p>";
    return figures + html_of(drawn) + html_of(MemoryHandle{drawn.timeline});
}

std::string explanation(const Collective& collective) {
    return why_exposed(*collective.evaluation, collective.figures.timing);
}

void add_collectives(nb::module_& core) {
    nb::class_<Collective>(core, "Collective", "One collective of a simulated step, merged or not.")
        .def_prop_ro(
            "name", [](const Collective& one) { return *one.name_of(one.timing().start); },
            "The node that launches it.")
        .def_prop_ro(
            "wait", [](const Collective& one) { return one.name_of(one.timing().wait); }, "Its first wait, or None.")
        .def_prop_ro(
            "kind", [](const Collective& one) { return std::string(collective_kind_name(one.timing().kind)); },
            "Such as `all_gather`.")
        .def_prop_ro(
            "process_group",
            [](const Collective& one) { return one.evaluation->simulation.groups[one.timing().group].process_group; })
        .def_prop_ro(
            "bytes", [](const Collective& one) { return one.timing().bytes; },
            "The larger of what it is given and what it returns.")
        .def_prop_ro(
            "issue_ms", [](const Collective& one) { return one.timing().issue_ms; }, "When the host issues it.")
        .def_prop_ro("start_ms", [](const Collective& one) { return one.timing().start_ms; })
        .def_prop_ro("end_ms", [](const Collective& one) { return one.timing().end_ms; })
        .def_prop_ro(
            "exposed_ms", [](const Collective& one) { return one.timing().exposed_ms; },
            "How long compute stands still for it.")
        .def_prop_ro(
            "could_hide_ms", [](const Collective& one) { return one.figures.could_hide_ms; },
            "How much less would be exposed at most by what the explanation says would help; each by itself.")
        .def_prop_ro(
            "hidden_ms", [](const Collective& one) { return one.figures.hidden_ms; },
            "Of its time in which compute runs.")
        .def_prop_ro(
            "cause", [](const Collective& one) { return std::string(exposure_cause_name(one.timing().cause)); },
            "Why it is exposed: `none`, `producer_late`, `window_too_short`, `group_busy` or `order_of_issue`.")
        .def_prop_ro("explanation", explanation, "The same as a sentence; empty where it is hidden.")
        .def_prop_ro(
            "blocker", [](const Collective& one) { return one.name_of(one.timing().blocker); },
            "The node that explains the cause, or None.")
        .def_prop_ro(
            "bucket",
            [](const Collective& one) {
                return one.figures.entry < 0 ? std::optional<std::int32_t>() : std::optional(one.figures.entry);
            },
            "The index of the plan's bucket that it is of, or None.")
        .def_prop_ro("members", members_of, "The collectives of the input that it does the work of.")
        .def_prop_ro(
            "modules", [](const Collective& one) { return one.figures.modules; }, "The modules of its members.")
        .def("__repr__", [](const Collective& one) { return "<Collective " + *one.name_of(one.timing().start) + ">"; });
    nb::class_<GroupTiming>(core, "GroupTiming", "What one process group does in a step.")
        .def_ro("process_group", &GroupTiming::process_group)
        .def_ro("comm_ms", &GroupTiming::comm_ms, "Time of its collectives together.")
        .def_ro("exposed_ms", &GroupTiming::exposed_ms)
        .def_ro("collectives", &GroupTiming::collectives, "How many.");
}

template <typename Field>
auto of_simulation(Field Simulation::*field) {
    return [field](const EvaluationHandle& handle) { return handle.evaluation->simulation.*field; };
}

}  // namespace

void add_evaluations(nb::module_& core) {
    add_collectives(core);
    nb::class_<EvaluationHandle>(core, "Evaluation",
                                 "A graph with a plan's passes run on it, and the simulated step of the result. Shows "
                                 "itself in a notebook.")
        .def_prop_ro(
            "graph",
            [](const EvaluationHandle& handle) {
                return GraphHandle{handle.evaluation->graph, handle.evaluation->graph};
            },
            "The graph that results.")
        .def_prop_ro(
            "input",
            [](const EvaluationHandle& handle) {
                return GraphHandle{handle.evaluation->original, handle.evaluation->original};
            },
            "The graph that the plan was run on.")
        .def_prop_ro("step_ms", of_simulation(&Simulation::step_ms))
        .def_prop_ro("compute_ms", of_simulation(&Simulation::compute_ms), "Busy time of the compute stream.")
        .def_prop_ro("exposed_ms", of_simulation(&Simulation::exposed_ms), "Compute standing still for collectives.")
        .def_prop_ro("transfer_exposed_ms", of_simulation(&Simulation::transfer_exposed_ms),
                     "Compute standing still for copies to and from the host.")
        .def_prop_ro(
            "idle_ms", [](const EvaluationHandle& handle) { return idle_ms(handle.evaluation->simulation); },
            "Neither computing nor waiting.")
        .def_prop_ro(
            "shared_links_step_ms",
            [](const EvaluationHandle& handle) {
                const auto& shared = handle.evaluation->on_shared_links;
                return shared ? std::optional(shared->step_ms) : std::nullopt;
            },
            "The step if process groups over one link share it; None where that changes nothing or is already so.")
        .def_prop_ro("beside_ms", beside_ms,
                     "Of a compiled job, clipping and the optimizer, which are not in the graph; else None.")
        .def_prop_ro(
            "peak_bytes", [](const EvaluationHandle& handle) { return handle.evaluation->corrected_memory.peak_bytes; },
            "Memory at the peak.")
        .def_prop_ro(
            "torch_peak_bytes", [](const EvaluationHandle& handle) { return handle.evaluation->memory.peak_bytes; },
            "The same as PyTorch's estimator counts.")
        .def_prop_ro(
            "times_known", [](const EvaluationHandle& handle) { return handle.evaluation->times_known; },
            "False where neither the graph nor a cost model gives a node's time: all times are 0 then.")
        .def_prop_ro(
            "refusal",
            [](const EvaluationHandle& handle) {
                const auto& refusal = handle.evaluation->refusal;
                return refusal ? std::optional<std::string>(refusal->what()) : std::nullopt;
            },
            "Why the plan was refused, or None. The figures of a refused plan are those of its input.")
        .def_prop_ro(
            "problems", [](const EvaluationHandle& handle) { return handle.evaluation->problems; },
            "What is wrong or remarkable, of the plan first, then of the figures.")
        .def_prop_ro("groups", of_simulation(&Simulation::groups), "Process groups in order of first use.")
        .def("collectives", collectives_of, "All collectives in order of issue, made anew by each call.")
        .def_prop_ro(
            "node_start_ms", [](const EvaluationHandle& handle) { return node_times(handle, &NodeTiming::start_ms); },
            shared_array, "When each node of `graph` starts, float64, shape (nodes,).")
        .def_prop_ro(
            "node_end_ms", [](const EvaluationHandle& handle) { return node_times(handle, &NodeTiming::end_ms); },
            shared_array, "When each node of `graph` ends, float64, shape (nodes,).")
        .def_prop_ro(
            "node_times_ms",
            [](const EvaluationHandle& handle) { return column(handle.evaluation->times_ms, handle.evaluation); },
            shared_array, "What each node of `graph` takes when it runs alone, float64, shape (nodes,).")
        .def_prop_ro(
            "node_origin",
            [](const EvaluationHandle& handle) {
                auto origins = std::make_shared<std::vector<std::int64_t>>();
                for (const NodeId node : handle.evaluation->origin)
                    origins->push_back(node == no_node ? -1 : static_cast<std::int64_t>(node));
                return column(*origins, origins);
            },
            shared_array,
            "The node of `input` that each node of `graph` is, or -1 for one that a pass made, int64, shape (nodes,).")
        .def_prop_ro(
            "node_bucket",
            [](const EvaluationHandle& handle) { return column(handle.evaluation->bucket_of_node, handle.evaluation); },
            shared_array, "The plan's bucket that each node of `graph` is of, or -1, int32, shape (nodes,).")
        .def("figures", figures, nb::sig("def figures(self) -> dict[str, typing.Any]"),
             "All figures as `overlap simulate --json` prints them.")
        .def("reports", reports, nb::sig("def reports(self) -> list[dict[str, typing.Any]]"),
             "What each pass did, as `overlap apply --report` writes it.")
        .def_prop_ro("timeline", timeline, "The step as lanes of events, with its memory.")
        .def(
            "write_trace", write_trace, nb::arg("path"),
            "Writes the step as a Chrome trace, which Perfetto opens.\n\nRaises InputError where it cannot be written.")
        .def("_repr_html_", html)
        .def("__repr__", [](const EvaluationHandle& handle) {
            return "<Evaluation, step " + std::to_string(handle.evaluation->simulation.step_ms) + " ms>";
        });
    nb::class_<EvaluationProgress>(core, "EvaluationProgress", "How far an evaluation is.")
        .def_ro(
            "part", &EvaluationProgress::part,
            "What begins: the name of a pass, `overlaps` (those by hand), `simulation`, `memory`; empty at the end.")
        .def_ro("done", &EvaluationProgress::done, "How many parts are done.")
        .def_ro("of", &EvaluationProgress::of, "How many there are.");
    core.def(
        "evaluate", evaluate_plan, nb::arg("graph"), nb::arg("plan").none() = nb::none(), nb::kw_only(),
        nb::arg("cost_model").none() = nb::none(), nb::arg("contention") = false, nb::arg("shared_links") = false,
        nb::arg("strict") = true, nb::arg("progress").none() = nb::none(),
        "Runs the plan's passes on the graph, then simulates a step of the result; without a plan, of the graph as it "
        "is.\n\n"
        "`cost_model` gives all times, in place of the graph's: a CostModel, the name of a built-in one, or a file.\n"
        "`contention` slows compute and communication while they run beside one another, by the cost model's "
        "factors.\n"
        "`shared_links` lets process groups over one link share it, also where the cost model does not say so.\n"
        "`strict`: a plan that cannot be run raises PassRefusal or InputError with the step; otherwise `refusal` says "
        "why, and the figures are those of the graph.\n"
        "`progress` is called with an EvaluationProgress as each pass, the simulation and the memory curve begin, and "
        "at the end. What it raises ends the evaluation.\n"
        "Raises InputError where the plan is for another graph.");
}

}  // namespace overlap::python
