// overlap simulate GRAPH [--pipeline PIPELINE | --preset PRESET]: the stream model's figures and, on request, its
// timeline as a Chrome trace.

#include <ostream>
#include <string>

#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "app/commands/graph_input.h"
#include "app/commands/pipeline.h"
#include "core/cost/cost_model.h"
#include "core/graph/error.h"
#include "core/io/json_output.h"
#include "core/simulate/chrome_trace.h"
#include "core/simulate/memory_profile.h"
#include "core/simulate/simulation.h"
#include "core/simulate/simulation_json.h"

namespace overlap::commands {

namespace {

struct Figures {
    std::shared_ptr<const Graph> graph;
    Simulation simulation;
    MemoryProfile memory;            ///< as the reference estimates it
    MemoryProfile corrected_memory;  ///< see StorageRule::corrected
};

void write_text(std::ostream& out, const Figures& figures) {
    const Simulation& simulation = figures.simulation;
    out << figures.graph->header().name << '\n'
        << "step     " << milliseconds_text(simulation.step_ms) << '\n'
        << "compute  " << milliseconds_text(simulation.compute_ms) << '\n'
        << "exposed  " << milliseconds_text(simulation.exposed_ms) << '\n'
        << "memory   " << bytes_text(figures.memory.peak_bytes) << " at the peak";
    if (figures.corrected_memory.peak_bytes != figures.memory.peak_bytes) {
        out << " as torch estimates it, " << bytes_text(figures.corrected_memory.peak_bytes) << " corrected";
    }
    out << '\n';
    TextTable table({"group", "collectives", "communication", "exposed"});
    for (const GroupTiming& group : simulation.groups) {
        table.add({group.process_group, std::to_string(group.collectives), milliseconds_text(group.comm_ms),
                   milliseconds_text(group.exposed_ms)});
    }
    if (!table.empty()) table.write(out, "");
}

class Simulate final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "simulate", "Step time, exposed communication and peak memory of a graph by the stream model.");
        command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip")->required();
        passes_.declare(*command, 0);
        command->add_option("--launch-us", options_.launch_us, "microseconds the host takes for each node")
            ->check(CLI::Range(0.0, 1e9))
            ->capture_default_str();
        command->add_option("--trace", trace_file_, "write the timeline as a Chrome trace (JSON)");
        command->add_flag("--json", json_, "print JSON, with every collective");
        return command;
    }

    void run(const Streams& streams) override {
        Figures figures;
        figures.graph = read_graph(file_, streams);
        if (passes_.given()) {
            const Pipeline pipeline = passes_.read(*figures.graph);
            const PipelineResult result = run_passes(figures.graph, pipeline);
            tell_problems(streams, pipeline, result);
            figures.graph = result.graph;
        }
        try {
            const std::vector<double> times_ms = node_times_ms(*figures.graph);
            figures.simulation = simulate(*figures.graph, times_ms, options_);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(file_) : error;
        }
        figures.memory = memory_profile(*figures.graph, StorageRule::reference);
        figures.corrected_memory = memory_profile(*figures.graph, StorageRule::corrected);
        if (!trace_file_.empty()) {
            write_file_atomically(trace_file_, chrome_trace_json(*figures.graph, figures.simulation, figures.memory));
        }
        if (json_) {
            streams.out << simulation_json(*figures.graph, figures.simulation, figures.memory) << '\n';
        } else {
            write_text(streams.out, figures);
        }
    }

  private:
    std::string file_, trace_file_;
    PipelineOption passes_;
    SimulationOptions options_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_simulate() {
    return std::make_unique<Simulate>();
}

}  // namespace overlap::commands
