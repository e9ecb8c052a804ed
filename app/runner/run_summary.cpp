#include "app/runner/run_summary.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

#include "app/commands/formatting.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/statistics.h"
#include "core/base/wording.h"

namespace overlap::runner {

namespace {

void write_what_ran(std::ostream& out, const RunRecord& record) {
    const std::set<std::string> machines(record.machines.begin(), record.machines.end());
    out << (record.graph_name.empty() ? "graph without a name" : commands::name_text(record.graph_name)) << ": "
        << (record.dry ? "dry run" : "run on " + record.device) << ", " << counted(record.machines.size(), "rank")
        << " on " << counted(machines.size(), "machine") << '\n';
}

void write_commands(std::ostream& out, const Program& program, const RunRecord& record) {
    const std::size_t waits =
        program.commands.size() - program.compute.size() - program.collectives.size() - program.transfers.size();
    out << counted(program.commands.size(), "command") << " a step: " << program.compute.size() << " compute, "
        << counted(program.collectives.size(), "collective") << ", ";
    if (!program.transfers.empty())
        out << program.transfers.size() << (program.transfers.size() == 1 ? " copy" : " copies")
            << " between device and host, ";
    out << counted(waits, "wait");
    if (record.machines.size() > 1) out << "; collectives in the same order on all ranks";
    out << '\n';
    const DeviceWorkTotals& work = record.work;
    out << "compute on a device: " << counted(work.own_products, "product") << " as in the job, ";
    if (work.scaled_products > 0) {
        out << work.scaled_products << " of 8-bit floats" << (record.dry ? " where the device has them, " : ", ");
    }
    if (work.expert_products > 0) out << work.expert_products << " of experts with as many rows each, ";
    if (work.attentions > 0) {
        out << counted(work.attentions, "attention") << " by cuDNN" << (record.dry ? " where it is found, " : ", ");
    }
    out << work.stand_in_products << " by products with as many operations and moved bytes, " << work.moved_bytes
        << " as moved bytes\n";
    if (record.compiled == CompiledScope::eager) return;
    out << "compiled: " << compiled_scope_text(record.compiled) << "; " << counted(work.fused_kernels, "kernel")
        << " of several nodes, " << work.fused_nodes << " in all; " << counted(work.inlined_nodes, "node")
        << " without a kernel, computed where they are read\n";
}

void write_memory(std::ostream& out, const Graph& graph, const MemoryPlan& memory, const RunRecord& record) {
    out << "memory " << bytes_text(memory.pool_bytes) << " to allocate for "
        << counted(memory.buffers.size(), "buffer");
    if (memory.live_peak_node != no_node)
        out << "; at most " << bytes_text(memory.live_peak_bytes) << " held at one time, at "
            << in_quotes(commands::name_text(graph.name(memory.live_peak_node)));
    out << "; " << bytes_text(record.bytes_beside_pool) << " beside it on a device";
    if (!record.dry) out << "; " << bytes_text(record.peak_memory_bytes) << " allocated in all";
    if (record.host_bytes > 0) out << "; " << bytes_text(record.host_bytes) << " pinned on the host";
    out << '\n';
}

void write_groups(std::ostream& out, const Program& program, const RunRecord& record) {
    const std::vector<GroupTotals> totals = totals_of(program);
    commands::TextTable table({"process group", "size", "runs", "collectives", "bytes", "because"});
    for (std::size_t index = 0; index < program.groups.size(); ++index) {
        const GroupPlacement& placement = record.groups[index];
        table.add({in_quotes(commands::name_text(program.groups[index].name)),
                   std::to_string(program.groups[index].ranks.size()), placement.real ? "with NCCL" : "emulated",
                   std::to_string(totals[index].collectives), bytes_text(totals[index].bytes), placement.reason});
    }
    if (!table.empty()) table.write(out, "");
}

void write_times(std::ostream& out, const RunRecord& record) {
    out << "predicted: a step of " << time_text(record.predicted_step_ms) << ", "
        << time_text(record.predicted_exposed_ms) << " of it exposed communication, "
        << (record.host_bytes > 0 ? time_text(record.predicted_transfer_exposed_ms) + " exposed copies, "
                                  : std::string())
        << (record.predicted_as_traced                ? "by the times of nodes as traced"
            : record.compiled == CompiledScope::eager ? "each operator a kernel of its own"
                                                      : "with these kernels")
        << '\n';
    if (record.step_ms.empty()) return;
    const auto [shortest, longest] = std::minmax_element(record.step_ms.begin(), record.step_ms.end());
    out << "measured: a step of " << time_text(median(record.step_ms)) << " (median of "
        << counted(record.step_ms.size(), "step") << ", " << time_text(*shortest) << " to " << time_text(*longest)
        << ")";
    if (record.recorded_steps > 0)
        out << "; " << time_text(record.recorded_exposed_ms) << " exposed while kernels were recorded";
    if (record.recorded_steps > 0 && record.host_bytes > 0)
        out << ", " << time_text(record.recorded_transfer_exposed_ms) << " for copies";
    out << '\n';
}

/// How far the ranks' times differ, and how long waiting for late ones takes.
void write_ranks(std::ostream& out, const RunRecord& record) {
    if (record.ranks.size() > 1) {
        std::vector<double> medians;
        for (const RankMeasurement& rank : record.ranks) medians.push_back(median(rank.step_ms));
        const auto [fastest, slowest] = std::minmax_element(medians.begin(), medians.end());
        out << "ranks: the fastest takes " << time_text(*fastest) << " a step (rank " << fastest - medians.begin()
            << "), the slowest " << time_text(*slowest) << " (rank " << slowest - medians.begin() << ")\n";
    }
    if (record.aligned.empty()) return;
    double waited_ms = 0;
    for (const AlignedCollective& aligned : record.aligned) waited_ms += aligned.late_peers_ms;
    out << "rank 0 stood " << time_text(waited_ms) << " a step in collectives for ranks that came later\n";
}

}  // namespace

void write_run_summary(std::ostream& out, const Graph& graph, const Program& program, const MemoryPlan& memory,
                       const RunRecord& record) {
    write_what_ran(out, record);
    write_commands(out, program, record);
    write_memory(out, graph, memory, record);
    write_groups(out, program, record);
    write_times(out, record);
    write_ranks(out, record);
    for (const std::string& note : record.notes) out << "note: " << commands::one_line(note) << '\n';
    if (record.dry) out << "nothing was launched on a device\n";
}

}  // namespace overlap::runner
