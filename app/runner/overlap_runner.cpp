// overlap-runner: executes a graph on attached devices, or everything except the kernels. mpirun and srun start several
// ranks of it.
//
// 0 done, 1 the input is wrong or a rank failed (a sentence on stderr), 2 wrong usage.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/arguments/compiled_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/number_range.h"
#include "app/arguments/pipeline.h"
#include "app/commands/formatting.h"
#include "app/commands/uncaught_exceptions.h"
#include "app/runner/device_options.h"
#include "app/runner/device_support.h"
#include "app/runner/found_devices.h"
#include "app/runner/launch_environment.h"
#include "app/runner/mpi_support.h"
#include "app/runner/prepared_run.h"
#include "app/runner/run_summary.h"
#include "core/base/byte_units.h"
#include "core/base/error.h"
#include "core/files/atomic_file.h"
#include "core/files/json_output.h"
#include "core/memory/memory_profile.h"
#include "core/run/run.h"
#include "core/simulate/chrome_trace.h"
#include "core/simulate/simulation.h"

namespace {

using namespace overlap;
using runner::PreparedRun;

constexpr int run_failed = 1;
constexpr int usage_is_wrong = 2;

struct Arguments {
    std::string graph, result, trace, commands;
    commands::PipelineOption pipeline;
    commands::CompiledOption compiled;
    bool dry = false;
    bool writes_standard_output = false;  ///< what is told goes to stderr then
    double device_memory_gib = 0;
    std::uint32_t rank_timeout_s = 60;
    RunOptions run;
    runner::DeviceRunOptions device;
};

void print_message(const std::string& sentence) {
    std::cerr << commands::one_line("overlap-runner: " + sentence) + "\n";
}

/// Every rank calls this, whether it could prepare or not, so that none waits for one that has ended. Rank 0 prints
/// each different sentence once, with the ranks that said it.
/// @returns whether all ranks are ready.
bool all_ready(Ranks& ranks, const std::string& failure) {
    if (!ranks.any(!failure.empty())) return true;
    const std::vector<std::string> failures = ranks.gather(failure);
    if (ranks.rank() != 0) return false;
    for (std::size_t rank = 0; rank < failures.size(); ++rank) {
        const std::string& sentence = failures[rank];
        const auto same = [&](std::size_t other) { return failures[other] == sentence; };
        bool told = sentence.empty();
        for (std::size_t other = 0; other < rank; ++other) told = told || same(other);
        if (told) continue;
        bool everywhere = true;
        for (std::size_t other = 0; other < failures.size(); ++other) everywhere = everywhere && same(other);
        print_message(everywhere ? sentence : "rank " + std::to_string(rank) + ": " + sentence);
    }
    return false;
}

/// Compares what the ranks will run. @returns the first difference, empty where they agree.
std::string disagreement(Ranks& ranks, const RankAgreement& mine) {
    std::vector<RankAgreement> all;
    for (const std::string& text : ranks.gather(agreement_text(mine))) all.push_back(read_agreement(text));
    return first_disagreement(all);
}

/// Problems that the figures of a run would not show.
std::vector<std::string> notes_on(const PreparedRun& prepared, const Ranks& ranks) {
    std::vector<std::string> notes;
    const std::int64_t world_size = prepared.graph->header().world_size.value_or(0);
    if (world_size > 0 && ranks.size() > world_size) {
        notes.push_back(std::to_string(ranks.size()) + " ranks are attached, and the job has " +
                        std::to_string(world_size) + ": groups do not lie as they do there");
    }
    const std::vector<AttentionWork>& attentions = prepared.program.attentions;
    if (const auto assumed = std::ranges::count_if(attentions, &AttentionWork::mask_assumed); assumed > 0) {
        notes.push_back(std::to_string(assumed)
                            .append(assumed == 1 ? " flex attention is" : " flex attentions are")
                            .append(" taken as causal: the graph does not tell their masks"));
    }
    return notes;
}

RunRecord describe(const PreparedRun& prepared, Ranks& ranks, const Arguments& arguments) {
    RunRecord record;
    record.dry = arguments.dry;
    record.graph_name = prepared.graph->header().name;
    record.graph_digest = prepared.agreement.graph_digest;
    record.node_count = prepared.graph->node_count();
    record.machines = ranks.gather(ranks.machine());
    record.groups = prepared.placements;
    record.bytes_beside_pool = prepared.device.bytes_beside_pool();
    record.work = prepared.device.totals();
    record.compiled = prepared.program.scope;
    record.order_digest = prepared.agreement.order.digest;
    record.predicted_as_traced = !arguments.compiled.scope();
    record.predicted_step_ms = prepared.predicted.step_ms;
    record.predicted_exposed_ms = prepared.predicted.exposed_ms;
    record.predicted_transfer_exposed_ms = prepared.predicted.transfer_exposed_ms;
    record.host_bytes = prepared.host.bytes;
    record.options = arguments.run;
    record.environment = runner::run_environment();
    record.notes = notes_on(prepared, ranks);
    return record;
}

/// What each kernel computes that the job's compiler writes, by the node with which it is launched. Its time is that of
/// no operator: it may compute others where it reads them.
std::map<NodeId, std::vector<NodeId>> kernels_of(const Program& program) {
    std::map<NodeId, std::vector<NodeId>> kernels;
    for (const ComputeWork& work : program.compute) {
        if (work.kernel) kernels.emplace(work.node, work.kernel->members);
    }
    return kernels;
}

/// Which rank a timeline is of: of one rank alone that of the graph, else that of this run, with groups as they ran.
TracedRank traced_rank(const PreparedRun& prepared, const Ranks& ranks) {
    const GraphHeader& header = prepared.graph->header();
    if (ranks.size() == 1) {
        return {header.rank.value_or(0),
                header.world_size.value_or(1),
                header.process_groups,
                {},
                kernels_of(prepared.program)};
    }
    TracedRank traced{ranks.rank(), ranks.size(), prepared.program.groups, {}, kernels_of(prepared.program)};
    for (std::size_t index = 0; index < traced.groups.size(); ++index) {
        const GroupPlacement& placement = prepared.placements[index];
        if (placement.real) {
            traced.groups[index].ranks = placement.members;
        } else {
            traced.alone.push_back(traced.groups[index].name);
        }
    }
    return traced;
}

/// The timeline of each rank as a trace, on all ranks; of a dry run the predicted one alone. Nothing where none is
/// asked for, or a rank has recorded nothing: a timeline of zeros would be mistaken for a measured one.
std::vector<std::string> traces_of_ranks(const PreparedRun& prepared, const RunRecord& record,
                                         const Simulation& timeline, Ranks& ranks, const Arguments& arguments) {
    const bool left_out = arguments.trace.empty() || (!record.dry && record.recorded_steps == 0);
    if (ranks.any(left_out)) return {};
    const Graph& graph = *prepared.graph;
    const MemoryProfile memory = memory_profile(graph, StorageRule::corrected);
    if (record.dry) return {chrome_trace_json(graph, timeline, memory)};
    const TracedRank rank = traced_rank(prepared, ranks);
    return ranks.gather(chrome_trace_json(graph, timeline, memory, nullptr, &rank));
}

/// `trace.json` of rank 0, `trace.rank1.json` of rank 1.
std::string trace_file_of(const std::string& file, std::size_t rank) {
    if (rank == 0) return file;
    const std::filesystem::path path(file);
    return path.parent_path() / (path.stem().string() + ".rank" + std::to_string(rank) + path.extension().string());
}

void write_results(const PreparedRun& prepared, const RunRecord& record, const std::vector<std::string>& traces,
                   const Arguments& arguments) {
    const Graph& graph = *prepared.graph;
    for (std::size_t rank = 0; rank < traces.size(); ++rank) {
        write_json_file(trace_file_of(arguments.trace, rank), traces[rank]);
    }
    if (!arguments.commands.empty()) {
        write_file_atomically(arguments.commands, command_list(graph, prepared.program));
    }
    write_json_file(arguments.result, run_json(graph, prepared.program, prepared.memory, record) + "\n");
    std::ostream& told = arguments.writes_standard_output ? std::cerr : std::cout;
    runner::write_run_summary(told, graph, prepared.program, prepared.memory, record);
    told << "the result is in " << arguments.result << '\n';
    commands::require_standard_output();
}

/// The first and the last step, and one a second between them.
void print_progress(std::uint32_t done, std::uint32_t of) {
    using Clock = std::chrono::steady_clock;
    static Clock::time_point told;
    const Clock::time_point now = Clock::now();
    if (done != 1 && done != of && now - told < std::chrono::seconds(1)) return;
    told = now;
    std::cerr << "step " << done << " of " << of << '\n';
}

/// A run on devices first checks that there is one for this rank, and uses its memory as the limit.
void check_mode(const Ranks& ranks, Arguments& arguments) {
    if (arguments.dry) return;
    const std::int64_t free_bytes = runner::device_support().free_bytes(ranks);
    if (arguments.device_memory_gib == 0) arguments.device_memory_gib = static_cast<double>(free_bytes) / bytes_per_gib;
}

/// The steps themselves. @returns the timeline to write: measured, or as it was predicted.
Simulation execute(const PreparedRun& prepared, Ranks& ranks, const Arguments& arguments, RunRecord& record) {
    if (arguments.dry) {
        DryExecutor executor(prepared.program);
        run_steps(prepared.program, executor, ranks, arguments.run);
        return prepared.predicted;
    }
    return runner::device_support().run(prepared, ranks, arguments.run, arguments.device, record);
}

/// @returns the exit status.
int run(Ranks& ranks, Arguments& arguments) {
    PreparedRun prepared;
    std::string failure;
    try {
        check_mode(ranks, arguments);
        prepared = runner::prepare_run(arguments.graph, arguments.pipeline, arguments.compiled.scope(),
                                       static_cast<std::int64_t>(arguments.device_memory_gib * bytes_per_gib), ranks,
                                       print_message);
    } catch (const InputError& error) {
        failure = error.what();
    } catch (const std::bad_alloc&) {
        failure = "the input needs more memory than there is";
    }
    if (!all_ready(ranks, failure)) return run_failed;
    if (const std::string difference = disagreement(ranks, prepared.agreement); !difference.empty()) {
        if (ranks.rank() == 0) print_message("the ranks do not agree, so nothing was launched: " + difference);
        return run_failed;
    }
    if (ranks.rank() == 0) {
        for (const std::string& remark : prepared.remarks) print_message(remark);
        arguments.run.progress = print_progress;
    }
    arguments.run.longest_wait = std::chrono::seconds(arguments.rank_timeout_s);
    // The first step is launched as it is, the second captured and loaded onto the device; neither is like the later
    // ones.
    if (arguments.device.as_cuda_graph) arguments.run.warm_up = std::max(arguments.run.warm_up, 2u);
    runner::set_run_environment();
    RunRecord record = describe(prepared, ranks, arguments);
    const Simulation timeline = execute(prepared, ranks, arguments, record);
    const std::vector<std::string> traces = traces_of_ranks(prepared, record, timeline, ranks, arguments);
    failure.clear();
    try {
        if (ranks.rank() == 0) write_results(prepared, record, traces, arguments);
    } catch (const InputError& error) {
        failure = error.what();
    }
    return all_ready(ranks, failure) ? 0 : run_failed;
}

void declare(CLI::App& parser, Arguments& arguments) {
    parser.set_version_flag("--version", OVERLAP_VERSION);
    commands::reads(parser.add_option("GRAPH", arguments.graph, "overlap-graph file, plain or gzip"))->required();
    arguments.pipeline.declare(parser, 0);
    arguments.compiled.declare(
        parser,
        "kernels and predicted times of a job that compiles its transformer blocks, the whole graph, or nothing "
        "(eager): "
        "what its compiler fuses is one launch; none, as without this option: a kernel for each node, with times as "
        "traced");
    parser.add_flag("--dry-run", arguments.dry, "everything but the kernels: memory plan, order check, commands");
    commands::writes(parser.add_option("-o,--output", arguments.result, "write the result (JSON)"))->required();
    commands::writes(parser.add_option("--trace", arguments.trace,
                                       "write the timeline as a Chrome trace (JSON); of several ranks on devices one "
                                       "each, FILE.rank1.json beside FILE.json"));
    commands::writes(parser.add_option("--commands", arguments.commands,
                                       "write what would be issued in one step, one line a command"));
    parser.add_option("--iterations", arguments.run.iterations, "steps that count")
        ->check(commands::whole_number_from(1, 100'000'000))
        ->capture_default_str();
    parser.add_option("--warm-up", arguments.run.warm_up, "steps before them")
        ->check(commands::whole_number_from(0, 100'000'000))
        ->capture_default_str();
    parser
        .add_option("--device-memory-gib", arguments.device_memory_gib,
                    "refuse what needs more than this; a run on devices asks the device")
        ->check(commands::number_from(0, 1e6));
    parser.add_flag("--cuda-graph", arguments.device.as_cuda_graph,
                    "on devices: capture a step as a CUDA graph and launch it as a whole; takes two steps of warm-up");
    parser
        .add_option("--emulation-blocks", arguments.device.thread_blocks_of_emulation,
                    "on devices: thread blocks that an emulated collective holds")
        ->check(commands::whole_number_from(1, 1024))
        ->capture_default_str();
    parser
        .add_option("--recorded", arguments.device.recorded_steps,
                    "on devices: steps of the pass in which every kernel is recorded")
        ->check(commands::whole_number_from(0, 10'000))
        ->capture_default_str();
    parser
        .add_option("--rank-timeout", arguments.rank_timeout_s,
                    "seconds after which the run is ended for a rank that does not come to a step")
        ->check(commands::whole_number_from(1, 86'400))
        ->capture_default_str();
    const auto print_devices = [] {
        std::cout << runner::found_devices_json() << '\n';
        throw CLI::Success();
    };
    parser.add_flag_callback("--devices", print_devices, "print the devices found, or why none, as JSON, and exit")
        ->trigger_on_parse();
    parser.footer(
        "Several ranks: mpirun --oversubscribe -n 4 overlap-runner --dry-run GRAPH -o RESULT\n"
        "Exit status: 0 done, 1 the input is wrong or a rank failed, 2 wrong usage.");
}

/// Help, the version or the devices found. @returns the exit status.
int print_answer(const CLI::App& parser, const CLI::Success& asked) {
    parser.exit(asked);
    try {
        commands::require_standard_output();
    } catch (const InputError& error) {
        print_message(error.what());
        return run_failed;
    }
    return 0;
}

/// The other ranks may be waiting for this one. Where there is no memory for the sentence,
/// print_uncaught_exceptions() has made sure of one.
/// @returns the exit status.
int end_all(Ranks& ranks, const std::exception& error) noexcept {
    print_message("rank " + std::to_string(ranks.rank()) + " on " + ranks.machine() + ": " + error.what());
    ranks.end_all(run_failed);
    return run_failed;
}

/// @throws std::bad_alloc, std::system_error before there are ranks.
int run_ranks(int argument_count, char** argument_values) {
    CLI::App parser("Executes one rank's training step, or everything of it but the kernels.", "overlap-runner");
    Arguments arguments;
    declare(parser, arguments);
    try {
        parser.parse(argument_count, argument_values);
        commands::check_files(parser);
        arguments.writes_standard_output = commands::writes_standard_output(parser);
    } catch (const CLI::Success& asked) {
        return print_answer(parser, asked);
    } catch (const CLI::ParseError& error) {
        print_message(std::string(error.what()) + "; see overlap-runner --help");
        return usage_is_wrong;
    }
    std::unique_ptr<Ranks> ranks;
    try {
        ranks = runner::started_ranks(argument_count, argument_values);
        return run(*ranks, arguments);
    } catch (const std::bad_alloc&) {
        if (!ranks) throw;
        commands::print_out_of_memory();
        ranks->end_all(run_failed);
        return run_failed;
    } catch (const std::exception& error) {
        if (ranks) return end_all(*ranks, error);
        print_message(error.what());
        return run_failed;
    }
}

}  // namespace

int main(int argument_count, char** argument_values) {
    commands::print_uncaught_exceptions("overlap-runner", run_failed);
    try {
        return run_ranks(argument_count, argument_values);
    } catch (const std::bad_alloc&) {
        commands::print_out_of_memory();
    } catch (const std::system_error& error) {
        commands::print_refusal_of_the_system(error);
    }
    return run_failed;
}
