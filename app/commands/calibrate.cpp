// overlap calibrate GRAPH RUN... [--plan PLAN]... [--cost-model BASE] [--name NAME] -o MODEL: a cost model fitted to
// measured runs, with its errors before and after.

#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/pipeline.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/calibrate/calibration.h"
#include "core/calibrate/plan_prediction.h"
#include "core/cost/with_cost_model.h"
#include "core/files/ordered_json.h"
#include "core/io/calibration_run_file.h"
#include "core/io/cost_model/cost_model_file.h"
#include "core/io/run_file.h"
#include "core/passes/pass.h"
#include "core/plan/presets.h"

namespace overlap::commands {

namespace {

std::string errors_text(const RelativeError& error) {
    return percent_text(error.median * 100) + ", " + percent_text(error.ninetieth * 100);
}

std::string_view kind_name(CalibrationRow::Kind kind) {
    if (kind == CalibrationRow::Kind::host_link) return "link";
    return kind == CalibrationRow::Kind::compute_class ? "class" : "process group";
}

/// As the window and cost models write it: `345.6 GB/s`.
std::string rate_text(double bytes_per_s) {
    return number_text(bytes_per_s / 1e9) + " GB/s";
}

/// `62.00 % of full rates, 0.004 ms`, or a link's bandwidth and latency.
std::string fitted_text(const NamedCostModel& model, const CalibrationRow& row) {
    if (row.kind == CalibrationRow::Kind::compute_class) {
        const auto cost = model.classes.find(row.name);
        if (cost == model.classes.end()) return "as before";
        return percent_text(cost->second.efficiency * 100) + " of full rates, " +
               milliseconds_text(cost->second.overhead_ms);
    }
    if (row.kind == CalibrationRow::Kind::host_link) return rate_text(model.host_link_bytes_per_s);
    const auto link = model.links_of_groups.find(row.name);
    if (link == model.links_of_groups.end()) return "not fitted";
    return rate_text(link->second.bytes_per_s) + ", " + milliseconds_text(link->second.latency_ms);
}

void write_text(std::ostream& out, const Calibration& calibration) {
    TextTable rows({"", "name", "samples", "fitted", "error before", "error after", ""});
    for (const CalibrationRow& row : calibration.rows) {
        rows.add({std::string(kind_name(row.kind)), name_text(row.name), std::to_string(row.samples),
                  fitted_text(calibration.model, row), errors_text(row.before), errors_text(row.after),
                  name_text(row.note, longest_sentence)});
    }
    out << "relative errors: median, 90th percentile\n";
    rows.write(out, "");
    TextTable steps({"run", "step measured", "before", "after", "exposed measured", "before", "after"});
    for (const CalibratedStep& step : calibration.steps) {
        const auto measured = [](const std::optional<double>& time_ms) {
            return time_ms ? milliseconds_text(*time_ms) : std::string("unknown");
        };
        steps.add({step.run, measured(step.measured_ms), milliseconds_text(step.before_ms),
                   milliseconds_text(step.after_ms), measured(step.measured_exposed_ms),
                   milliseconds_text(step.before_exposed_ms), milliseconds_text(step.after_exposed_ms)});
    }
    steps.write(out, "");
    if (!calibration.model.contention) return;
    const NamedCostModel::Contention& contention = *calibration.model.contention;
    for (const auto& [name, slowdown] : contention.compute_slowdown)
        out << "communication slows " << name_text(name) << " down by " << percent_text(slowdown * 100) << '\n';
    if (contention.communication_slowdown)
        out << "compute slows communication down by " << percent_text(*contention.communication_slowdown * 100) << '\n';
}

std::string expected_text(const PlanPrediction& prediction) {
    return prediction.expected_error ? "within " + percent_text(*prediction.expected_error * 100)
                                     : std::string("not known: no run has the time of a step");
}

void write_predictions(std::ostream& out, const std::vector<PlanPrediction>& predictions) {
    TextTable table({"plan", "step predicted", "exposed", "expected error"});
    for (const PlanPrediction& prediction : predictions) {
        if (prediction.refusal.empty())
            table.add({name_text(prediction.plan), milliseconds_text(prediction.step_ms),
                       milliseconds_text(prediction.exposed_ms), expected_text(prediction)});
        else
            table.add({name_text(prediction.plan), "refused", "", name_text(prediction.refusal, longest_sentence)});
    }
    out << "expected errors: that of the measured steps, and what sums are off that were held out of the fit\n";
    table.write(out, "");
}

Json error_json(const RelativeError& error) {
    return {{"median", error.median}, {"ninetieth_percentile", error.ninetieth}};
}

Json number_or_null(const std::optional<double>& number) {
    return number ? Json(*number) : Json(nullptr);
}

Json prediction_json(const PlanPrediction& prediction) {
    const bool known = prediction.refusal.empty();
    return {{"plan", prediction.plan},
            {"step_ms", known ? Json(prediction.step_ms) : Json()},
            {"exposed_ms", known ? Json(prediction.exposed_ms) : Json()},
            {"expected_error", number_or_null(prediction.expected_error)},
            {"refusal", known ? Json() : Json(prediction.refusal)}};
}

Json as_json(const Calibration& calibration, const std::vector<PlanPrediction>& predictions) {
    Json rows = Json::array(), steps = Json::array(), predicted = Json::array();
    for (const PlanPrediction& prediction : predictions) predicted.push_back(prediction_json(prediction));
    for (const CalibrationRow& row : calibration.rows) {
        rows.push_back({{"kind", kind_name(row.kind)},
                        {"name", row.name},
                        {"samples", row.samples},
                        {"relative_error_before", error_json(row.before)},
                        {"relative_error_after", error_json(row.after)},
                        {"held_out_error", number_or_null(row.held_out)},
                        {"note", row.note}});
    }
    for (const CalibratedStep& step : calibration.steps) {
        steps.push_back({{"run", step.run},
                         {"measured_step_ms", number_or_null(step.measured_ms)},
                         {"measured_exposed_ms", number_or_null(step.measured_exposed_ms)},
                         {"before", {{"step_ms", step.before_ms}, {"exposed_ms", step.before_exposed_ms}}},
                         {"after", {{"step_ms", step.after_ms}, {"exposed_ms", step.after_exposed_ms}}}});
    }
    return {{"model", Json::parse(cost_model_text(calibration.model))},
            {"rows", std::move(rows)},
            {"steps", std::move(steps)},
            {"predictions", std::move(predicted)},
            {"notes", calibration.notes}};
}

class Calibrate final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command =
            parser.add_subcommand("calibrate", "Fits a cost model to measured runs and reports its errors.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"))->required();
        reads(
            command->add_option(
                "RUN", runs_,
                "results of overlap-runner, or traces of a job's profiler; several are fitted together, and traces of "
                "several ranks of a job are one run, that of the first"))
            ->required();
        reads(command->add_option(
                  "--plan", plans_,
                  "plan or list of passes that runs were made with; for several plans, given several times"))
            ->allow_extra_args(false);
        reads(command->add_option(
            "--cost-model", base_,
            "built-in cost model or file to begin with: rates of the device, and what runs do not show; "
            "default: the graph's own"));
        reads(command->add_option(
                  "--predict", predicted_,
                  "further plan or list of passes whose step the model predicts; for several, given several times"))
            ->allow_extra_args(false);
        command->add_option("--name", name_, "what the model is called; default: the output's name");
        writes(command->add_option("-o,--output", output_, "cost model to write, such as MODEL.cost.json"))->required();
        command->add_flag("--json", json_, "print JSON");
        return command;
    }

    void run(const Streams& streams) override {
        const std::shared_ptr<const Graph> graph = read_graph(file_, streams);
        const CalibrationBase base = base_for(*graph);
        const std::vector<std::shared_ptr<const Evaluation>> variants = evaluate_plans(graph, streams);
        const std::vector<CalibrationRun> runs = read_runs(variants);
        const Calibration calibration = calibrate(runs, base, name());
        write_cost_model_file(calibration.model, output_);
        const std::vector<PlanPrediction> predictions = predict_plans(graph, runs, calibration);
        // Of plans that runs were made with it is told already.
        for (const PlanPrediction& each : predictions)
            if (std::ranges::find(predicted_, each.plan) != predicted_.end())
                print_problems(streams, each.plan, each.problems);
        if (json_) {
            streams.out << json_text(as_json(calibration, predictions)) << '\n';
        } else {
            write_text(streams.out, calibration);
            write_predictions(streams.out, predictions);
        }
        for (const std::string& note : calibration.notes) streams.notes << "overlap: " << one_line(note) << '\n';
    }

  private:
    std::string name() const {
        if (!name_.empty()) return name_;
        std::string stem = std::filesystem::path(output_).filename().string();
        for (const std::string_view ending : {".gz", ".json", ".cost"}) {
            if (stem.ends_with(ending) && stem.size() > ending.size()) stem.resize(stem.size() - ending.size());
        }
        return stem;
    }

    CalibrationBase base_for(const Graph& graph) const {
        if (!base_.empty()) return {find_cost_model(base_), false};
        if (!graph.header().cost) {
            throw InputError(file_, "",
                             "the graph has no cost model to begin with; --cost-model gives the rates of the device");
        }
        return {named_model_of(*graph.header().cost, graph.header().name), true};
    }

    /// The graph without a plan, and with each plan. A base other than the graph's own is used for evaluation.
    std::vector<std::shared_ptr<const Evaluation>> evaluate_plans(std::shared_ptr<const Graph> graph,
                                                                  const Streams& streams) const {
        if (!base_.empty()) graph = with_cost_model(graph, find_cost_model(base_)).graph;
        std::vector<std::shared_ptr<const Evaluation>> variants = {evaluate_baseline(graph)};
        for (const std::string& file : plans_) {
            variants.push_back(evaluate(graph, read_plan_or_passes(file, *graph)));
            require_run(*variants.back(), file);
            print_problems(streams, file, std::span(variants.back()->problems).first(variants.back()->plan_problems));
        }
        return variants;
    }

    /// The graph as it is, what torchtitan would run on it, and the plans of `--plan` and `--predict`: those of the job
    /// that ran.
    std::vector<PlanPrediction> predict_plans(const std::shared_ptr<const Graph>& graph,
                                              const std::vector<CalibrationRun>& runs,
                                              const Calibration& calibration) const {
        const std::optional<Compilation>& compilation = runs.front().compilation;
        const auto predict = [&](const Plan* plan, const std::string& name) {
            return predict_plan(calibration, graph, plan, name, compilation);
        };
        std::vector<PlanPrediction> predictions = {predict(nullptr, "the graph as it is")};
        const std::vector<PipelinePreset> presets = pipeline_presets(*graph);
        for (std::size_t preset = 0; preset < preset_names.size(); ++preset) {
            const Plan plan = plan_of(presets[preset], *graph, presets[preset].title);
            predictions.push_back(predict(&plan, std::string(preset_names[preset])));
        }
        for (const std::vector<std::string>* files : {&plans_, &predicted_}) {
            for (const std::string& file : *files) {
                const Plan plan = read_plan_or_passes(file, *graph);
                predictions.push_back(predict(&plan, file));
            }
        }
        return predictions;
    }

    std::vector<CalibrationRun> read_runs(const std::vector<std::shared_ptr<const Evaluation>>& variants) const {
        std::vector<CalibrationRun> runs;
        std::vector<std::string> traces;
        for (const std::string& run : runs_) {
            if (is_run_file(run)) {
                runs.push_back(of_runner(run, variants));
            } else {
                traces.push_back(run);
            }
        }
        // A trace does not name its plan: the last one given, or the graph without a plan.
        for (CalibrationRun& run : read_calibration_traces(traces, variants.back())) runs.push_back(std::move(run));
        return runs;
    }

    /// A run identifies its graph by the digest.
    CalibrationRun of_runner(const std::string& file,
                             const std::vector<std::shared_ptr<const Evaluation>>& variants) const {
        const RunnerTimes times = read_run_file(file);
        for (const auto& variant : variants) {
            if (fingerprint(*variant->graph).digest == times.graph_digest)
                return run_of_runner(file, variant->graph, times);
        }
        throw InputError(file, "graph.digest",
                         "it is of another graph than " + file_ +
                             (plans_.empty() ? "; the plan it was made with is given with --plan"
                                             : ", with none of the plans given"));
    }

    std::string file_, base_, name_, output_;
    std::vector<std::string> runs_, plans_, predicted_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_calibrate() {
    return std::make_unique<Calibrate>();
}

}  // namespace overlap::commands
