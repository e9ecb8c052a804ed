#include "app/runner/prepared_run.h"

#include "app/arguments/pipeline.h"
#include "core/base/error.h"
#include "core/cost/cost_model.h"
#include "core/imports/any_graph_file.h"
#include "core/memory/device_memory.h"
#include "core/pipeline/time_source.h"
#include "core/plan/process_groups_field.h"
#include "core/run/run_checks.h"

namespace overlap::runner {

namespace {

/// The plan's settings of process groups. @throws InputError with the plan's file for invalid ones.
std::vector<GroupSettings> groups_of(const Execution& execution, const std::string& file) {
    try {
        return execution.resolved->require_groups(*execution.graph);
    } catch (const InputError& error) {
        throw error.in_file(file);
    }
}

/// Times are needed to predict a step and to emulate collectives.
InputError with_remedy(const InputError& error) {
    if (error.code() != ErrorCode::no_cost_model) return error;
    return {error.file(), error.place(),
            error.problem() + "; overlap estimate GRAPH --cost-model MODEL -o NEW writes it with times"};
}

/// Of the kernels that are run, which are not always those of the job: what its cost model says does not count.
std::vector<double> predicted_times_ms(const Graph& graph, std::optional<CompiledScope> compiled) {
    if (!compiled) return node_times_ms(graph);
    return sourced_times(graph, modelled_source(false, Compilation{.scope = *compiled}).get()).times_ms;
}

std::vector<GroupPlacement> place_groups(const PreparedRun& prepared, const std::vector<GroupSettings>& asked,
                                         const Ranks& ranks) {
    std::vector<GroupPlacement> placements;
    const std::int64_t world_size = prepared.graph->header().world_size.value_or(0);
    for (const ProcessGroup& group : prepared.program.groups) {
        placements.push_back(place_group(group, world_size, ranks.size(), ranks.rank()));
        placements.back().settings = settings_for(asked, group);
    }
    return placements;
}

}  // namespace

PreparedRun prepare_run(const std::string& graph_file, const commands::PipelineOption& pipeline_option,
                        std::optional<CompiledScope> compiled, std::int64_t device_memory_bytes, const Ranks& ranks,
                        const std::function<void(const std::string&)>& tell) {
    PreparedRun prepared;
    OpenedGraph opened = read_any_graph_file(graph_file);
    for (const ImportNote& note : opened.notes) tell(note.sentence);
    prepared.graph = std::move(opened.graph);
    try {
        std::vector<GroupSettings> asked;
        if (pipeline_option.given()) {
            const commands::GivenPlan given = pipeline_option.read(*prepared.graph);
            const Execution execution = commands::run_plan(prepared.graph, given);
            prepared.graph = execution.graph;
            asked = groups_of(execution, given.file);
            for (const auto* problems : {&given.notes, &execution.problems}) {
                for (const Problem& problem : *problems)
                    prepared.remarks.push_back(commands::problem_line(given.file, problem));
            }
        }
        const Graph& graph = *prepared.graph;
        if (const auto problem = memory_problem(graph, memory_profile(graph, StorageRule::corrected)))
            prepared.remarks.push_back(commands::problem_line(graph_file, *problem));
        for (const auto& problem :
             {uncounted_results_problem(graph), unknown_sizes_problem(graph), memory_on_cpu_problem(graph)})
            if (problem) prepared.remarks.push_back(commands::problem_line(graph_file, *problem));
        prepared.program = make_program(graph, compiled.value_or(CompiledScope::eager));
        prepared.memory = plan_memory(graph, prepared.program);
        prepared.host = plan_host_memory(prepared.program);
        prepared.operands = find_operands(graph, prepared.program, prepared.memory);
        prepared.device = plan_device_work(prepared.program, prepared.operands);
        check_runnable(graph, prepared.memory, prepared.device, device_memory_bytes);
        prepared.placements = place_groups(prepared, asked, ranks);
        check_collectives(graph, prepared.program, prepared.placements);
        prepared.times_ms = predicted_times_ms(graph, compiled);
        prepared.predicted = sourced_simulation(graph, prepared.times_ms, nullptr).simulation;
    } catch (const InputError& error) {
        if (!error.file().empty()) throw;
        throw with_remedy(error).in_file(graph_file);
    }
    prepared.agreement = {fingerprint(*prepared.graph).digest, issue_order(prepared.program)};
    return prepared;
}

}  // namespace overlap::runner
