// Measured steps: a profiler's traces, a plan compared with one, and cost models fitted to runs.

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/base/error.h"
#include "core/calibrate/calibration.h"
#include "core/cost/with_cost_model.h"
#include "core/io/calibration_run_file.h"
#include "core/io/run_file.h"
#include "core/io/trace_file.h"
#include "core/measure/job_match.h"
#include "core/measure/prediction_error.h"
#include "core/measure/variant_comparison.h"
#include "core/trace/trace_statistics.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/cost_models.h"
#include "python/handles.h"
#include "python/running.h"

namespace overlap::python {

namespace {

struct TraceHandle {
    std::shared_ptr<const MeasuredTrace> trace;
    std::string path;
};

struct Measured {
    MeasuredComparison measured;
    Comparison comparison;
};

using ProgressCall = std::optional<nb::typed<nb::callable, void(double)>>;

TraceHandle read_trace(const std::filesystem::path& path, const ProgressCall& progress) {
    Reports<double> shares;
    auto trace = result_of(
        [&](std::stop_token stop) {
            return read_trace_file(path.string(),
                                   {std::move(stop), [&](std::uint64_t done, std::uint64_t of) {
                                        if (of > 0) shares.add(static_cast<double>(done) / static_cast<double>(of));
                                    }});
        },
        [&] {
            for (const double share : shares.take())
                if (progress) (*progress)(share);
        });
    return {std::move(trace), path.string()};
}

std::vector<DeviceTimes> devices_of(const TraceHandle& trace) {
    return result_of([&](const std::stop_token&) { return device_times(*trace.trace); });
}

Measured compare_with_trace(const EvaluationHandle& handle, const std::vector<TraceHandle>& traces,
                            const std::string& device, const std::string& step) {
    if (traces.empty()) throw InputError("traces", "expected one trace or more");
    return result_of([&](const std::stop_token&) {
        std::vector<std::shared_ptr<const MeasuredTrace>> ranks;
        for (const TraceHandle& trace : traces) ranks.push_back(trace.trace);
        const AlignedRanks aligned = align_ranks(ranks);
        try {
            MeasuredComparison measured = compare_with_measurement(
                handle.evaluation, measured_step(ranks.front(), {device, step}), {.ranks = &aligned, .own = 0});
            require_same_job(job_match(measured));
            Comparison comparison = compare_variants(measured);
            return Measured{std::move(measured), std::move(comparison)};
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(traces.front().path) : error;
        }
    });
}

using MeasuredRun = std::pair<std::filesystem::path, EvaluationHandle>;

Calibration calibrated(const std::vector<MeasuredRun>& files, const std::optional<CostModelArgument>& model,
                       const std::string& name) {
    if (files.empty()) throw InputError("runs", "expected one run or more");
    std::optional<NamedCostModel> given;
    if (model) given = cost_model_of(*model);
    return result_of([&](const std::stop_token& stop) {
        std::vector<CalibrationRun> runs;
        std::map<const Evaluation*, std::vector<std::string>> traces;  // of what ran
        for (const auto& [file, ran] : files) {
            if (stop.stop_requested()) return Calibration{};  // it is not looked at then
            if (is_run_file(file.string())) {
                runs.push_back(read_runner_run(file.string(), ran.evaluation));
            } else {
                traces[ran.evaluation.get()].push_back(file.string());
            }
        }
        for (const auto& [file, ran] : files) {
            const auto of_run = traces.find(ran.evaluation.get());
            if (of_run == traces.end()) continue;
            for (CalibrationRun& run : read_calibration_traces(of_run->second, ran.evaluation))
                runs.push_back(std::move(run));
            traces.erase(of_run);
        }
        const Graph& graph = *files.front().second.evaluation->original;
        if (!given && !graph.header().cost)
            throw InputError("cost_model", "the graph has no cost model to begin with, and none is given");
        const CalibrationBase base =
            given ? CalibrationBase{*given, false}
                  : CalibrationBase{named_model_of(*graph.header().cost, graph.header().name), true};
        return calibrate(runs, base, name);
    });
}

template <typename Field>
auto milliseconds(Field GpuTimes::*field) {
    return [field](const GpuTimes& times) { return static_cast<double>(times.*field) / 1e6; };
}

void add_traces(nb::module_& core) {
    nb::class_<GpuTimes>(core, "GpuTimes", "How a GPU uses its time. No moment counts twice.")
        .def_prop_ro("span_ms", milliseconds(&GpuTimes::span_ns), "From the first event to the end of the last.")
        .def_prop_ro("compute_ms", milliseconds(&GpuTimes::compute_ns))
        .def_prop_ro("communication_ms", milliseconds(&GpuTimes::communication_ns))
        .def_prop_ro("exposed_ms", milliseconds(&GpuTimes::exposed_ns), "Communication while no compute runs.")
        .def_prop_ro("memory_ms", milliseconds(&GpuTimes::memory_ns), "Copies and fills.")
        .def_prop_ro("idle_ms", milliseconds(&GpuTimes::idle_ns), "Within the span, nothing runs.")
        .def_prop_ro("overlap_percent", &GpuTimes::overlap_percent,
                     "Share of communication that compute covers; None where nothing communicates.");
    nb::class_<StepTimes>(core, "MeasuredStep", "A step of one GPU.")
        .def_ro("name", &StepTimes::name, "Such as `ProfilerStep#3`.")
        .def_ro("times", &StepTimes::times)
        .def_ro("counted", &StepTimes::is_counted,
                "Whether the GPU's totals have it; the recording may have cut off the last.");
    nb::class_<DeviceTimes>(core, "MeasuredDevice", "A GPU of a trace.")
        .def_ro("device", &DeviceTimes::device, "Its number, as the trace writes it.")
        .def_ro("times", &DeviceTimes::total, "Of all its steps that count.")
        .def_ro("steps", &DeviceTimes::steps, "In order of time; none where the trace has no steps.");
    nb::class_<TraceHandle>(core, "Trace", "What a profiler has recorded of one rank.")
        .def_prop_ro(
            "path", [](const TraceHandle& trace) { return path_text(trace.path); }, nb::sig("def path(self) -> str"))
        .def(
            "__len__", [](const TraceHandle& trace) { return trace.trace->events().size(); }, "Number of events.")
        .def_prop_ro(
            "rank", [](const TraceHandle& trace) { return trace.trace->header().rank; }, "None where it is not said.")
        .def_prop_ro(
            "world_size", [](const TraceHandle& trace) { return trace.trace->header().world_size; },
            "None where it is not said.")
        .def_prop_ro("devices", devices_of, "Its GPUs with their times, as `overlap trace-stats` prints them.");
    core.def("read_trace", read_trace, nb::arg("path"), nb::kw_only(), nb::arg("progress").none() = nb::none(),
             "Reads a profiler's trace (Kineto's or Chrome's, plain or gzip).\n\n"
             "`progress` is called with the share that has been read, 0 to 1.\nRaises InputError with file and place.");
}

void add_measured_comparisons(nb::module_& core) {
    nb::class_<Measured>(core, "MeasuredComparison", "A plan's step and a measured one.")
        .def_prop_ro(
            "before", [](const Measured& made) { return made.comparison.before; }, "The figures of the plan.")
        .def_prop_ro(
            "after", [](const Measured& made) { return made.comparison.after; },
            "Those of the measured step; its memory is not known.")
        .def_prop_ro(
            "rows", [](const Measured& made) { return made.comparison.rows; },
            "Every collective of either side once, the greatest effects first.")
        .def_prop_ro(
            "device", [](const Measured& made) { return made.measured.step.device; }, "The GPU, by number.")
        .def_prop_ro(
            "step", [](const Measured& made) { return made.measured.step.name; },
            "Such as `ProfilerStep#3`; empty where the trace has no steps.")
        .def_prop_ro(
            "matched", [](const Measured& made) { return job_match(made.measured).pairs; },
            "Collectives that both sides have.")
        .def_prop_ro(
            "doubt", [](const Measured& made) { return job_match(made.measured).doubt(); },
            "Why the trace may be of another job, or that it was simulated: a sentence without full stop; empty where "
            "there "
            "is no reason.")
        .def_prop_ro(
            "mean_error_ms", [](const Measured& made) { return error_of_plan(made.measured).mean_absolute_ms; },
            "How far predicted times of collectives are off, on average.")
        .def_prop_ro(
            "median_relative_error", [](const Measured& made) { return error_of_plan(made.measured).median_relative; },
            "The median of their relative errors.");
    core.def(
        "compare_with_trace", compare_with_trace, nb::arg("evaluation"), nb::arg("traces"), nb::kw_only(),
        nb::arg("device") = "", nb::arg("step") = "",
        "Compares a plan with a measured step, as `overlap compare --trace` does.\n\n"
        "`traces` are of one job: the one to compare with, then those of other ranks, by which it is known who came "
        "late. `device` and `step` choose in it, by name or number; without them the first GPU and the last step "
        "that counts.\n"
        "Raises InputError where the trace is of another job, or has no such step.");
}

void add_calibrations(nb::module_& core) {
    nb::class_<RelativeError>(core, "RelativeError", "|predicted - measured| / measured, over samples.")
        .def_ro("median", &RelativeError::median)
        .def_ro("ninetieth", &RelativeError::ninetieth, "The 90th percentile.");
    nb::class_<CalibrationRow>(core, "CalibrationRow", "What was fitted for a class of compute or a process group.")
        .def_prop_ro(
            "kind",
            [](const CalibrationRow& row) {
                if (row.kind == CalibrationRow::Kind::host_link) return "host_link";
                return row.kind == CalibrationRow::Kind::compute_class ? "class" : "process_group";
            },
            "`class`, `process_group` or `host_link`.")
        .def_ro("name", &CalibrationRow::name)
        .def_ro("samples", &CalibrationRow::samples)
        .def_ro("before", &CalibrationRow::before)
        .def_ro("after", &CalibrationRow::after)
        .def_ro("note", &CalibrationRow::note, "What could not be determined, a clause; may be empty.");
    nb::class_<CalibratedStep>(core, "CalibratedStep", "A run predicted as a whole.")
        .def_ro("run", &CalibratedStep::run, "The file.")
        .def_ro("measured_ms", &CalibratedStep::measured_ms, "None where it was not measured, as of the next.")
        .def_ro("measured_exposed_ms", &CalibratedStep::measured_exposed_ms)
        .def_ro("before_ms", &CalibratedStep::before_ms)
        .def_ro("after_ms", &CalibratedStep::after_ms)
        .def_ro("before_exposed_ms", &CalibratedStep::before_exposed_ms)
        .def_ro("after_exposed_ms", &CalibratedStep::after_exposed_ms);
    nb::class_<Calibration>(core, "Calibration", "A cost model fitted to runs, with its errors.")
        .def_ro("cost_model", &Calibration::model, "For `evaluate` and `Graph.with_cost_model`.")
        .def_ro("rows", &Calibration::rows)
        .def_ro("steps", &Calibration::steps, "One for each run, in order.")
        .def_ro("notes", &Calibration::notes, "What could not be determined: sentences without full stop.");
    core.def("calibrate", calibrated, nb::arg("runs"), nb::kw_only(), nb::arg("cost_model").none() = nb::none(),
             nb::arg("name") = "calibrated",
             "Fits a cost model to measured runs, as `overlap calibrate` does.\n\n"
             "`runs` are pairs: a result of overlap-runner or a trace of a profiler, and the evaluation of what ran. "
             "Traces of several ranks of one job are one run, that of the first rank. "
             "`cost_model` is what to begin with, for what runs do not show; without it the graph's own.\n"
             "Raises InputError with the file where a run is of something else, or nothing can be fitted.");
}

}  // namespace

void add_measurements(nb::module_& core) {
    add_traces(core);
    add_measured_comparisons(core);
    add_calibrations(core);
}

}  // namespace overlap::python
