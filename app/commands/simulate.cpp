// overlap simulate GRAPH [--pipeline PIPELINE | --preset PRESET] [--cost-model MODEL] [--contention]: the stream
// model's figures and, on request, its timeline as a Chrome trace.

#include <optional>
#include <ostream>
#include <string>

#include "app/commands/command.h"
#include "app/commands/cost_model_option.h"
#include "app/commands/file_arguments.h"
#include "app/commands/formatting.h"
#include "app/commands/graph_input.h"
#include "app/commands/node_times.h"
#include "app/commands/number_range.h"
#include "app/commands/pipeline.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/cost/with_cost_model.h"
#include "core/files/atomic_file.h"
#include "core/pipeline/beside_step.h"
#include "core/pipeline/time_source.h"
#include "core/simulate/chrome_trace.h"
#include "core/simulate/contention.h"
#include "core/simulate/device_memory.h"
#include "core/simulate/memory_profile.h"
#include "core/simulate/simulation.h"
#include "core/simulate/simulation_json.h"
#include "core/simulate/simulation_totals.h"

namespace overlap::commands {

namespace {

struct Figures {
    std::shared_ptr<const Graph> graph;
    Simulation simulation;
    std::optional<AppliedContention> contention;
    std::vector<std::vector<std::string>> shared_links;  ///< process groups that share one, a list a link
    MemoryProfile memory;                                ///< by StorageRule::corrected
    std::int64_t torch_peak_bytes = 0;                   ///< as PyTorch's estimator counts
    std::optional<OptimizerStep> optimizer;              ///< of a compiled job, beside the step
};

std::optional<double> beside_ms(const Figures& figures) {
    return figures.optimizer ? std::optional(figures.optimizer->time_ms) : std::nullopt;
}

void write_text(std::ostream& out, const Figures& figures) {
    const Simulation& simulation = figures.simulation;
    out << name_text(figures.graph->header().name) << (figures.contention ? ", with contention" : "") << '\n'
        << "step     " << milliseconds_text(simulation.step_ms) << '\n'
        << "compute  " << milliseconds_text(simulation.compute_ms) << '\n'
        << "exposed  " << milliseconds_text(simulation.exposed_ms) << '\n';
    if (const double idle = idle_ms(simulation); idle > 0)
        out << "idle     " << milliseconds_text(idle) << ", neither computing nor waiting for communication\n";
    out << "memory   " << bytes_text(figures.memory.peak_bytes) << " at the peak";
    if (figures.torch_peak_bytes != figures.memory.peak_bytes)
        out << ", " << bytes_text(figures.torch_peak_bytes) << " as PyTorch estimates it";
    if (const std::int64_t held = device_memory_bytes(*figures.graph); held > 0)
        out << "; the device holds " << bytes_text(held);
    out << '\n';
    if (figures.optimizer) {
        out << "beside   " << milliseconds_text(figures.optimizer->time_ms)
            << " of clipping and AdamW, which are not in the graph\n";
    }
    TextTable table({"group", "collectives", "communication", "exposed"});
    for (const GroupTiming& group : simulation.groups) {
        table.add({name_text(group.process_group), std::to_string(group.collectives), milliseconds_text(group.comm_ms),
                   milliseconds_text(group.exposed_ms)});
    }
    if (!table.empty()) table.write(out, "");
    for (const std::vector<std::string>& link : figures.shared_links) {
        std::vector<std::string> groups;
        for (const std::string& group : link) groups.push_back(name_text(group));
        out << "one link is shared by the process groups " << enumerated(groups) << '\n';
    }
}

class Simulate final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "simulate", "Step time, exposed communication and peak memory of a graph by the stream model.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"))->required();
        passes_.declare(*command, 0);
        cost_model_.declare(*command);
        cost_model_.declare_compilation(*command);
        command->add_flag(
            "--contention", contention_,
            "slow compute and communication down while they run beside one another, by the factors of the "
            "cost model");
        reads(command->add_option("--times", times_file_,
                                  "JSON object with the time of some nodes in milliseconds, by name, in place of the "
                                  "model's or the graph's"));
        command->add_option("--launch-us", options_.launch_us, "microseconds the host takes for each node")
            ->check(number_from(0, 1e9))
            ->capture_default_str();
        writes(command->add_option("--trace", trace_file_, "write the timeline as a Chrome trace (JSON)"));
        command->add_flag("--json", json_, "print JSON, with every collective");
        return command;
    }

    void run(const Streams& streams) override {
        Figures figures;
        figures.graph = cost_model_.apply(read_graph(file_, streams), file_, streams);
        const std::shared_ptr<const Graph> input = figures.graph;
        if (passes_.given()) {
            const GivenPlan given = passes_.read(*figures.graph);
            const Execution result = run_with_hint(figures.graph, given);
            print_problems(streams, given.file, given.notes);
            print_problems(streams, given.file, result.problems);
            figures.graph = result.graph;
        }
        const std::vector<double> times_ms = times_of_nodes(*input, *figures.graph, streams);
        if (contention_) {
            simulate_contended(figures, times_ms, streams);
        } else {
            SourcedSimulation sourced = sourced_simulation(*figures.graph, times_ms, nullptr, options_);
            figures.simulation = std::move(sourced.simulation);
            figures.shared_links = std::move(sourced.shared_links);
        }
        figures.memory = memory_profile(*figures.graph, StorageRule::corrected);
        figures.torch_peak_bytes = memory_profile(*figures.graph, StorageRule::reference).peak_bytes;
        print_memory_problem(streams, file_, *figures.graph, figures.memory);
        figures.optimizer = beside_step(*figures.graph, own_time_source(*figures.graph).get());
        const AppliedContention* contention = figures.contention ? &*figures.contention : nullptr;
        if (!trace_file_.empty()) {
            write_file_atomically(trace_file_,
                                  chrome_trace_json(*figures.graph, figures.simulation, figures.memory, contention));
        }
        if (json_) {
            streams.out << simulation_json(*figures.graph, figures.simulation, figures.memory,
                                           {.contention = contention,
                                            .beside_ms = beside_ms(figures),
                                            .shared_links = figures.shared_links})
                        << '\n';
        } else {
            write_text(streams.out, figures);
        }
    }

  private:
    std::vector<double> times_of_nodes(const Graph& input, const Graph& result, const Streams& streams) const {
        std::vector<double> times_ms = times_of(result, file_);
        if (times_file_.empty()) return times_ms;
        const std::size_t replaced = put_node_times(read_node_times(times_file_), times_file_, input, result, times_ms);
        if (replaced > 0)
            streams.notes << "overlap: " << times_file_ << ": passes replaced " << replaced
                          << " of these nodes, whose times do not count\n";
        return times_ms;
    }

    Execution run_with_hint(const std::shared_ptr<const Graph>& graph, const GivenPlan& given) const {
        try {
            return run_plan(graph, given);
        } catch (const InputError& error) {
            throw with_cost_model_hint(error, file_);
        }
    }

    void simulate_contended(Figures& figures, const std::vector<double>& times_ms, const Streams& streams) const {
        try {
            const Contention factors = contention_of(*figures.graph);
            if (factors.none()) {
                streams.notes
                    << "overlap: " << file_
                    << ": the cost model's factors of contention are all zero, so figures are those without it\n";
            }
            print_unknown_factors(*figures.graph, streams);
            ContendedSimulation contended = simulate_with_contention(*figures.graph, times_ms, factors, options_);
            figures.simulation = std::move(contended.simulation);
            figures.contention = {factors, std::move(contended.transfers)};
            figures.shared_links = links_in_common(*figures.graph);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(file_) : error;
        }
    }

    void print_unknown_factors(const Graph& graph, const Streams& streams) const {
        std::string unknown;
        for (const std::string& factor :
             unknown_factors(*named_model_of(*graph.header().cost, graph.header().name).contention))
            unknown += (unknown.empty() ? "" : "; ") + factor;
        if (unknown.empty()) return;
        streams.notes << "overlap: " << file_
                      << ": the cost model does not know, and figures leave out: " << one_line(unknown) << '\n';
    }

    std::string file_, trace_file_, times_file_;
    PipelineOption passes_;
    CostModelOption cost_model_;
    SimulationOptions options_;
    bool contention_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_simulate() {
    return std::make_unique<Simulate>();
}

}  // namespace overlap::commands
