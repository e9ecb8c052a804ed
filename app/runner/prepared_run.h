#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/device_work.h"
#include "core/run/group_placement.h"
#include "core/run/host_memory.h"
#include "core/run/issue_order.h"
#include "core/run/memory_plan.h"
#include "core/run/operands.h"
#include "core/run/program.h"
#include "core/run/ranks.h"
#include "core/simulate/simulation.h"

namespace overlap::commands {
class PipelineOption;
}

namespace overlap::runner {

/// What one rank has prepared before anything is launched; a dry run and a run on devices prepare the same.
struct PreparedRun {
    std::shared_ptr<const Graph> graph;  ///< rewritten
    Program program;
    MemoryPlan memory;
    HostMemory host;
    ProgramOperands operands;
    DevicePlan device;
    std::vector<double> times_ms;            ///< of each node, by the stream model
    std::vector<GroupPlacement> placements;  ///< of each group of the program
    std::vector<std::string> remarks;        ///< on the plan: its problems, a line each
    RankAgreement agreement;
    Simulation predicted;
};

/// Reads the graph, applies the plan, and checks that this rank can run the result.
/// @param compiled what of the graph the job compiles: by that its kernels are launched and times predicted. Nothing:
/// each node is a kernel of its own, and times are those of nodes as traced.
/// @param device_memory_bytes of one device; 0 where it is not known.
/// @param tell is called with notes on what was read, a sentence each.
/// @throws InputError with the file and what is wrong in it.
PreparedRun prepare_run(const std::string& graph_file, const commands::PipelineOption& pipeline,
                        std::optional<CompiledScope> compiled, std::int64_t device_memory_bytes, const Ranks& ranks,
                        const std::function<void(const std::string&)>& tell);

}  // namespace overlap::runner
