// overlap simulate GRAPH [--pipeline PIPELINE | --preset PRESET] [--cost-model MODEL] [--contention]: the stream
// model's figures and, on request, its timeline as a Chrome trace.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/node_times.h"
#include "app/arguments/number_range.h"
#include "app/arguments/pipeline.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/cost/with_cost_model.h"
#include "core/files/atomic_file.h"
#include "core/memory/device_memory.h"
#include "core/memory/memory_kinds.h"
#include "core/memory/memory_profile.h"
#include "core/pipeline/beside_step.h"
#include "core/pipeline/time_source.h"
#include "core/pipeline/unshared_links.h"
#include "core/simulate/chrome_trace.h"
#include "core/simulate/contention.h"
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
    std::optional<AccumulatedStep> accumulated;          ///< of a job with several microbatches
    std::vector<std::int32_t> bucket_of_node;            ///< see IssueOrder
    IssueOrder order;                                    ///< that the plan keeps
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
    if (!simulation.transfers.empty())
        out << "copies   " << milliseconds_text(simulation.transfer_exposed_ms) << " waited for "
            << simulation.transfers.size() << " copies between device and host\n";
    if (const double idle = idle_ms(simulation); idle > 0)
        out << "idle     " << milliseconds_text(idle) << ", neither computing nor waiting for communication\n";
    out << "memory   " << bytes_text(figures.memory.peak_bytes) << " at the peak";
    if (figures.torch_peak_bytes != figures.memory.peak_bytes)
        out << ", " << bytes_text(figures.torch_peak_bytes) << " as PyTorch estimates it";
    if (const std::int64_t held = device_memory_bytes(*figures.graph); held > 0)
        out << "; the device holds " << bytes_text(held);
    out << '\n';
    const HeldMemory held = held_memory(*figures.graph, peak_point(figures.memory));
    std::string kinds;
    for (std::size_t kind = 0; kind < memory_kind_count; ++kind) {
        if (held.by_kind[kind] == 0) continue;
        kinds += (kinds.empty() ? "" : ", ") + bytes_text(held.by_kind[kind]) + ' ' +
                 memory_kind_title(static_cast<MemoryKind>(kind));
    }
    if (!kinds.empty()) out << "         " << kinds << '\n';
    if (figures.optimizer) {
        out << "beside   " << milliseconds_text(figures.optimizer->time_ms)
            << " of clipping and AdamW, which are not in the graph\n";
    }
    if (figures.accumulated) {
        out << "job      " << milliseconds_text(figures.accumulated->ms) << " for "
            << counted(static_cast<std::size_t>(figures.accumulated->microbatches), "microbatch run")
            << (figures.optimizer ? ", gradients added, and what is beside them\n"
                                  : ", without what adds gradients and updates: only a compiled job has times of it\n");
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

/// The collectives that compute waits for longest, and why. @param rows how many; 0: all.
void write_worst(std::ostream& out, const Figures& figures, std::size_t rows) {
    const Simulation& simulation = figures.simulation;
    std::vector<std::size_t> exposed;
    for (std::size_t index = 0; index < simulation.collectives.size(); ++index) {
        if (simulation.collectives[index].cause != ExposureCause::none) exposed.push_back(index);
    }
    std::ranges::stable_sort(exposed, std::greater(),
                             [&](std::size_t index) { return simulation.collectives[index].exposed_ms; });
    const std::size_t shown = rows == 0 ? exposed.size() : std::min(rows, exposed.size());
    if (shown == 0) return;
    TextTable table({"most exposed", "group", "exposed", "takes", "cause"});
    for (const std::size_t index : std::span(exposed).first(shown)) {
        const CollectiveTiming& timing = simulation.collectives[index];
        table.add({name_text(figures.graph->name(timing.start)),
                   name_text(simulation.groups[timing.group].process_group), milliseconds_text(timing.exposed_ms),
                   milliseconds_text(timing.end_ms - timing.start_ms), std::string(exposure_cause_name(timing.cause))});
    }
    table.write(out, "");
    for (const std::size_t index : std::span(exposed).first(shown)) {
        out << name_text(figures.graph->name(simulation.collectives[index].start)) << ": "
            << name_text(explain_exposure(simulation, *figures.graph, index, figures.order), longest_sentence) << '\n';
    }
    if (shown < exposed.size()) out << "and " << counted(exposed.size() - shown, "other exposed collective") << '\n';
}

class Simulate final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "simulate", "Step time, exposed communication and peak memory of a graph by the stream model.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"))->required();
        passes_.declare(*command, 0);
        cost_model_.declare(*command);
        cost_model_.declare_batch(*command);
        cost_model_.declare_compilation(*command);
        cost_model_.declare_shared_links(*command);
        command->add_flag("--contention", contention_, contention_help);
        reads(command->add_option("--times", times_file_,
                                  "JSON object with the time of some nodes in milliseconds, by name, in place of the "
                                  "model's or the graph's"));
        command->add_option("--launch-us", options_.launch_us, "microseconds the host takes for each node")
            ->check(number_from(0, 1e9))
            ->capture_default_str();
        command
            ->add_option("--microbatches", microbatches_,
                         "times that the job runs the graph for a step, one after the other: also give the time of "
                         "all, gradients added, and of what is beside the graph once")
            ->check(whole_number_from(1, 1'000'000));
        writes(command->add_option("--trace", trace_file_, "write the timeline as a Chrome trace (JSON)"));
        command->add_option("--rows", rows_, "exposed collectives to list, the most exposed first; 0: all")
            ->check(whole_number_from(0, 1'000'000'000))
            ->capture_default_str();
        command->add_flag("--json", json_, "print JSON, with every collective");
        return command;
    }

    void run(const Streams& streams) override {
        Figures figures;
        const std::shared_ptr<const Graph> as_read = read_graph(file_, streams);
        figures.graph = cost_model_.apply(as_read, file_, streams, contention_);
        const std::shared_ptr<const Graph> input = figures.graph;
        if (passes_.given()) {
            const GivenPlan given = passes_.read(*figures.graph, *as_read);
            const Execution result = run_with_hint(figures.graph, given);
            print_problems(streams, given.file, given.notes);
            print_problems(streams, given.file, result.problems);
            figures.graph = result.graph;
            figures.bucket_of_node = result.bucket_of_node;
            figures.order.bucket_of_node = figures.bucket_of_node;
            figures.order.groups_keep_order = given.plan.overlaps.keep_group_order;
        }
        const std::vector<double> times_ms = times_of_nodes(*input, *figures.graph, streams);
        if (contention_) {
            simulate_contended(figures, times_ms, streams);
        } else {
            SourcedSimulation sourced =
                sourced_simulation(*figures.graph, times_ms, cost_model_.link_source(*figures.graph).get(), options_);
            figures.simulation = std::move(sourced.simulation);
            figures.shared_links = std::move(sourced.shared_links);
        }
        print_unshared_links(figures, times_ms, streams);
        figures.memory = memory_profile(*figures.graph, StorageRule::corrected);
        figures.torch_peak_bytes = memory_profile(*figures.graph, StorageRule::reference).peak_bytes;
        print_memory_problem(streams, file_, *figures.graph, figures.memory);
        figures.optimizer = beside_step(*figures.graph, own_time_source(*figures.graph).get());
        if (microbatches_) {
            figures.accumulated = {*microbatches_, accumulated_step_ms(figures.simulation.step_ms, *microbatches_,
                                                                       figures.optimizer.value_or(OptimizerStep()))};
        }
        const AppliedContention* contention = figures.contention ? &*figures.contention : nullptr;
        if (!trace_file_.empty()) {
            write_file_atomically(trace_file_,
                                  chrome_trace_json(*figures.graph, figures.simulation, figures.memory, contention));
        }
        if (json_) {
            streams.out << simulation_json(*figures.graph, figures.simulation, figures.memory,
                                           {.contention = contention,
                                            .beside_ms = beside_ms(figures),
                                            .accumulated = figures.accumulated,
                                            .order = figures.order,
                                            .shared_links = figures.shared_links})
                        << '\n';
        } else {
            write_text(streams.out, figures);
            write_worst(streams.out, figures, rows_);
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

    void print_unshared_links(const Figures& figures, const std::vector<double>& times_ms,
                              const Streams& streams) const {
        auto source = cost_model_.link_source(*figures.graph);
        if (!source) source = modelled_source(contention_, {});
        if (const auto shared =
                step_on_shared_links(*figures.graph, times_ms, figures.simulation, source.get(), options_))
            print_problems(streams, file_, std::vector{unshared_links_problem(*shared, figures.simulation.step_ms)});
    }

    void simulate_contended(Figures& figures, const std::vector<double>& times_ms, const Streams& streams) const {
        try {
            const Contention factors = contention_of(*figures.graph);
            print_contention_notes(streams, file_, *figures.graph);
            ContendedSimulation contended = simulate_with_contention(*figures.graph, times_ms, factors, options_);
            figures.simulation = std::move(contended.simulation);
            figures.contention = {factors, std::move(contended.transfers)};
            figures.shared_links = links_in_common(*figures.graph);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(file_) : error;
        }
    }

    std::string file_, trace_file_, times_file_;
    PipelineOption passes_;
    CostModelOption cost_model_;
    SimulationOptions options_;
    std::optional<std::int64_t> microbatches_;
    std::size_t rows_ = 5;
    bool contention_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_simulate() {
    return std::make_unique<Simulate>();
}

}  // namespace overlap::commands
