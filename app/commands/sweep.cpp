// overlap sweep GRAPH... [--plan PLAN]... [--cost-model MODEL]... [--set PASS.OPTION=A,B]... [--csv OUT]: a table of
// steps over graphs, cost models, plans and values of options.

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/number_range.h"
#include "app/arguments/pipeline.h"
#include "app/arguments/readable_value.h"
#include "app/arguments/sweep_values.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "app/commands/step_figures.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/on_threads.h"
#include "core/base/wording.h"
#include "core/cost/shared_links.h"
#include "core/cost/with_cost_model.h"
#include "core/files/atomic_file.h"
#include "core/files/csv_table.h"
#include "core/files/ordered_json.h"
#include "core/io/cost_model/cost_model_file.h"
#include "core/io/plan/plan_file.h"
#include "core/passes/pass.h"
#include "core/pipeline/time_source.h"

namespace overlap::commands {

namespace {

/// One row of the table: what is evaluated, and what came of it.
struct Point {
    std::string graph_file, cost_model, plan_file;  ///< a model or a plan that is not given is empty
    std::shared_ptr<const Graph> graph;
    const Plan* plan = nullptr;            ///< null: the graph as it is
    std::vector<std::size_t> combination;  ///< of the values of options; empty where they do not matter
    std::optional<StepFigures> figures;
    std::vector<Problem> plan_problems;  ///< those of figures are theirs
    std::string refusal;                 ///< why there are no figures
};

/// A plan of the command line, and whether it is for the graphs.
struct SweptPlan {
    Plan plan;
    std::optional<InputError> refusal{};  ///< why it is not for the graph that was read last
    bool fits_one = false;                ///< it is for one of the graphs that were read
};

class Sweep final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command =
            parser.add_subcommand("sweep", "A table of steps over graphs, cost models, plans and values of options.");
        const auto several = [](CLI::Option* option) { option->allow_extra_args(false); };
        reads(command->add_option("GRAPH", graph_files_, "overlap-graph files, plain or gzip"))->required();
        several(reads(command->add_option("--plan", plan_files_,
                                          "plan or list of passes; several times for several, beside the graph as it "
                                          "is")));
        several(reads(command->add_option("--cost-model", models_,
                                          "built-in cost model or file; several times for several; default: the "
                                          "graph's own times")));
        command->add_flag("--shared-links", share_links_, shared_links_help);
        several(command
                    ->add_option("--set", settings_,
                                 "PASS.OPTION=A,B,C: values of an option, for each plan that runs the pass; several "
                                 "options make all combinations")
                    ->check(readable_by(read_swept_option)));
        command->add_option("--jobs", jobs_, "how many rows are evaluated at a time; default: one for each processor")
            ->check(whole_number_from(1, 1024));
        writes(command->add_option("--csv", csv_file_, "write the table as CSV, instead of printing it"));
        command->add_flag("--json", json_, "print JSON");
        return command;
    }

    void run(const Streams& streams) override {
        for (const std::string& setting : settings_) options_.push_back(read_swept_option(setting));
        read_graphs(streams);
        evaluate_all(streams);
        report_problems(streams);
        if (!csv_file_.empty()) write_file_atomically(csv_file_, csv());
        if (json_) {
            streams.out << json_text(json()) << '\n';
        } else if (csv_file_.empty()) {
            print(streams.out);
        }
    }

  private:
    void read_graphs(const Streams& streams) {
        for (const std::string& file : plan_files_) plans_.push_back({read_plan_or_passes(file)});
        std::vector<NamedCostModel> models;
        for (const std::string& model : models_) models.push_back(find_cost_model(model));
        for (const std::string& file : graph_files_) {
            const std::shared_ptr<const Graph> graph = read_graph(file, streams);
            for (SweptPlan& plan : plans_) check_fit(plan, *graph);
            if (models.empty()) add_points(file, "", linked(graph));
            for (std::size_t model = 0; model < models.size(); ++model)
                add_points(file, models_[model], linked(with_cost_model(graph, models[model]).graph));
        }
        for (std::size_t plan = 0; plan < plans_.size(); ++plan)
            if (!plans_[plan].fits_one) throw plans_[plan].refusal->in_file(plan_files_[plan]);
        for (const SweptOption& option : options_) {
            const auto runs_it = [&](const SweptPlan& plan) { return has_pass(plan.plan, option.pass); };
            if (std::ranges::none_of(plans_, runs_it))
                throw InputError("--set", "no plan runs the pass " + option.pass + ", so its options have no effect");
        }
    }

    std::shared_ptr<const Graph> linked(const std::shared_ptr<const Graph>& graph) const {
        return share_links_ ? with_shared_links(graph, LinkSharing::by_host) : graph;
    }

    /// A list of passes fits every graph, a plan of the application one.
    static void check_fit(SweptPlan& plan, const Graph& graph) {
        try {
            check_plan_fits(plan.plan, graph);
            plan.refusal.reset();
            plan.fits_one = true;
        } catch (const InputError& error) {
            plan.refusal = error;
        }
    }

    /// The graph as it is, then each plan with each combination of values.
    void add_points(const std::string& file, const std::string& model, const std::shared_ptr<const Graph>& graph) {
        Point point;
        point.graph_file = file;
        point.cost_model = model;
        point.graph = graph;
        points_.push_back(point);
        for (std::size_t index = 0; index < plan_files_.size(); ++index) {
            point.plan_file = plan_files_[index];
            point.plan = &plans_[index].plan;
            point.combination.clear();
            point.refusal.clear();
            if (plans_[index].refusal) {
                point.refusal = plans_[index].refusal->what();
                points_.push_back(point);
                continue;
            }
            for (const std::vector<std::size_t>& combination : combinations(options_)) {
                if (!matters(*point.plan, combination)) continue;
                point.combination = combination;
                points_.push_back(point);
            }
        }
    }

    /// Of the values of an option whose pass the plan does not run, the first stands for all.
    bool matters(const Plan& plan, const std::vector<std::size_t>& combination) const {
        for (std::size_t option = 0; option < combination.size(); ++option) {
            if (combination[option] > 0 && !has_pass(plan, options_[option].pass)) return false;
        }
        return true;
    }

    void evaluate(Point& point) const {
        if (!point.refusal.empty()) return;
        try {
            std::shared_ptr<const Graph> result = point.graph;
            if (point.plan) {
                const Plan plan = with_values(*point.plan, options_, point.combination);
                const Execution execution = run_plan(point.graph, {point.plan_file, plan, {}});
                point.plan_problems = execution.problems;
                result = execution.graph;
            }
            point.figures = step_figures(*result, link_source(*result, share_links_).get());
        } catch (const InputError& error) {
            point.refusal = with_cost_model_hint(error, point.graph_file).what();
        }
    }

    void evaluate_all(const Streams& streams) {
        std::atomic<std::size_t> next = 0;
        std::size_t done = 0;
        std::mutex lock;
        std::exception_ptr failure;
        const auto work = [&] {
            for (std::size_t index = next++; index < points_.size(); index = next++) {
                try {
                    evaluate(points_[index]);
                    const std::string told = one_line(title(points_[index]));
                    const std::scoped_lock guard(lock);
                    streams.notes << "overlap: " << ++done << " of " << points_.size() << ": " << told << '\n';
                } catch (...) {
                    const std::scoped_lock guard(lock);
                    failure = std::current_exception();
                    next = points_.size();
                    return;
                }
            }
        };
        const std::size_t wanted = jobs_ > 0 ? jobs_ : std::max(1u, std::thread::hardware_concurrency());
        on_threads(std::min(wanted, points_.size()), work);
        if (failure) std::rethrow_exception(failure);
    }

    /// Those of plans each once, however many rows have it; those of figures with their row.
    void report_problems(const Streams& streams) const {
        std::vector<std::string> told;
        for (const Point& point : points_) {
            for (const Problem& problem : point.plan_problems) {
                std::string line = problem_line(point.plan_file, problem);
                if (std::ranges::find(told, line) != told.end()) continue;
                streams.notes << "overlap: " << line << '\n';
                told.push_back(std::move(line));
            }
            if (point.figures) print_problems(streams, one_line(title(point)), point.figures->problems);
            if (!point.refusal.empty())
                streams.notes << "overlap: " << one_line(title(point) + ": " + point.refusal) << '\n';
        }
    }

    std::string value_text(const Point& point, std::size_t option) const {
        if (point.combination.empty() || !has_pass(*point.plan, options_[option].pass)) return {};
        return options_[option].texts[point.combination[option]];
    }

    std::string title(const Point& point) const {
        std::string text = point.graph_file;
        if (!point.cost_model.empty()) text += ", " + point.cost_model;
        if (!point.plan_file.empty()) text += ", " + point.plan_file;
        for (std::size_t option = 0; option < options_.size(); ++option) {
            const std::string value = value_text(point, option);
            if (!value.empty()) text += ", " + options_[option].name() + "=" + value;
        }
        return text;
    }

    std::string csv() const {
        std::vector<std::string> heading = {"graph", "cost_model", "plan"};
        for (const SweptOption& option : options_) heading.push_back(option.name());
        for (const char* column : {"step_ms", "compute_ms", "exposed_ms", "idle_ms", "peak_memory_bytes",
                                   "torch_peak_memory_bytes", "collectives", "refusal"})
            heading.emplace_back(column);
        CsvTable table(heading);
        for (const Point& point : points_) {
            table.text(point.graph_file).text(point.cost_model).text(point.plan_file);
            for (std::size_t option = 0; option < options_.size(); ++option) table.text(value_text(point, option));
            if (point.figures) {
                const StepFigures& step = *point.figures;
                table.milliseconds(step.step_ms).milliseconds(step.compute_ms).milliseconds(step.exposed_ms);
                table.milliseconds(step.idle_ms).number(step.peak_memory_bytes).number(step.torch_peak_memory_bytes);
                table.number(static_cast<std::int64_t>(step.collectives));
            } else {
                for (int column = 0; column < 7; ++column) table.empty();
            }
            table.text(point.refusal);
            table.end_row();
        }
        return table.take();
    }

    Json json() const {
        Json rows = Json::array();
        const auto name_or_null = [](const std::string& name) { return name.empty() ? Json(nullptr) : Json(name); };
        for (const Point& point : points_) {
            Json set = Json::object();
            for (std::size_t option = 0; option < options_.size(); ++option) {
                const std::string value = value_text(point, option);
                if (!value.empty()) set[options_[option].name()] = value;
            }
            rows.push_back({{"graph", point.graph_file},
                            {"cost_model", name_or_null(point.cost_model)},
                            {"plan", name_or_null(point.plan_file)},
                            {"set", std::move(set)},
                            {"step", step_json(point.figures)},
                            {"refusal", name_or_null(point.refusal)}});
        }
        return {{"rows", std::move(rows)}};
    }

    void print(std::ostream& out) const {
        TextTable table({"graph, cost model, plan, options", "step", "exposed", "peak memory", "collectives"});
        for (const Point& point : points_) {
            if (!point.figures) {
                table.add({name_text(title(point), longest_sentence), "refused", "", "", ""});
                continue;
            }
            table.add({name_text(title(point), longest_sentence), milliseconds_text(point.figures->step_ms),
                       milliseconds_text(point.figures->exposed_ms), bytes_text(point.figures->peak_memory_bytes),
                       std::to_string(point.figures->collectives)});
        }
        table.write(out, "");
    }

    std::vector<std::string> graph_files_, plan_files_, models_, settings_;
    std::string csv_file_;
    std::size_t jobs_ = 0;
    bool share_links_ = false, json_ = false;

    std::vector<SweptOption> options_;
    std::vector<SweptPlan> plans_;  ///< of plan_files_
    std::vector<Point> points_;
};

}  // namespace

std::unique_ptr<Command> make_sweep() {
    return std::make_unique<Sweep>();
}

}  // namespace overlap::commands
