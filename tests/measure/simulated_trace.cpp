#include "tests/measure/simulated_trace.h"

#include <cmath>

#include "core/trace/measured_trace_builder.h"

namespace overlap::test {

namespace {

std::int64_t nanoseconds(double time_ms) {
    return std::llround(time_ms * 1e6);
}

/// The host is this much ahead of the GPU.
constexpr std::int64_t ahead_ns = 300'000;

std::string_view profiler_name(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::all_gather:
            return "_allgather_base";
        case CollectiveKind::reduce_scatter:
            return "_reduce_scatter_base";
        case CollectiveKind::all_reduce:
            return "allreduce";
        case CollectiveKind::all_to_all:
            return "all_to_allv";
        default:
            return "broadcast";
    }
}

std::string list_text(const std::vector<std::int64_t>& ranks) {
    std::string text = "[";
    for (const std::int64_t rank : ranks) text += (text.size() > 1 ? ", " : "") + std::to_string(rank);
    return text + "]";
}

/// Microseconds with three decimals, as the profiler writes them.
std::string microseconds_text(std::int64_t time_ns) {
    const std::string rest = std::to_string(time_ns % 1000);
    return std::to_string(time_ns / 1000) + "." + std::string(3 - rest.size(), '0') + rest;
}

}  // namespace

SimulatedTrace::SimulatedTrace(const Evaluation& evaluation) {
    const Simulation& simulation = evaluation.simulation;
    for (const GroupTiming& group : simulation.groups) {
        const ProcessGroup* known = evaluation.graph->header().process_group(group.process_group);
        groups.push_back({group.process_group, {known->ranks.begin(), known->ranks.end()}});
    }
    constexpr std::int64_t begin_ns = 1'000'000;
    for (NodeId node = 0; node < evaluation.graph->node_count(); ++node) {
        if (evaluation.times_ms[node] <= 0 || simulation.collective_of_node[node] >= 0) continue;
        if (evaluation.graph->target_info(node).is_wait) continue;
        Kernel& kernel = compute.emplace_back();
        kernel.node = node;
        kernel.name = "gemm";
        kernel.start_ns = begin_ns + nanoseconds(simulation.nodes[node].start_ms);
        kernel.length_ns = begin_ns + nanoseconds(simulation.nodes[node].end_ms) - kernel.start_ns;
        kernel.launch_ns = kernel.start_ns - ahead_ns;
    }
    for (const CollectiveTiming& timing : simulation.collectives) {
        Collective& collective = collectives.emplace_back();
        collective.start_ns = begin_ns + nanoseconds(timing.start_ms);
        collective.length_ns = begin_ns + nanoseconds(timing.end_ms) - collective.start_ns;
        collective.launch_ns = collective.start_ns - ahead_ns;
        collective.kind = timing.kind;
        collective.bytes = timing.bytes;
        collective.group = timing.group;
        const TensorMeta& output = evaluation.graph->outputs(timing.start)[0];
        collective.dtype = c10_dtype_name(output.dtype);
        collective.element_bytes = dtype_info(output.dtype).bytes;
        collective.output_elements = evaluation.graph->element_count(output);
    }
}

void SimulatedTrace::delay_from(std::int64_t time_ns, std::int64_t delay_ns) {
    const auto delay = [&](Kernel& kernel) {
        if (kernel.start_ns < time_ns) return;
        kernel.start_ns += delay_ns;
        kernel.launch_ns += delay_ns;
    };
    for (Kernel& kernel : compute) delay(kernel);
    for (Collective& collective : collectives) delay(collective);
}

void SimulatedTrace::lengthen(std::size_t collective, std::int64_t more_ns) {
    const std::int64_t end_ns = collectives[collective].end_ns();
    delay_from(end_ns, more_ns);
    collectives[collective].length_ns += more_ns;
}

std::shared_ptr<const MeasuredTrace> SimulatedTrace::finish(std::int64_t clock_ns) const {
    MeasuredTraceBuilder builder;
    std::int64_t correlation = 0;
    const auto add = [&](const Kernel& kernel, const std::string& name, const std::string& stream,
                         const Collective* collective) {
        TraceEvent call;
        call.phase = 'X';
        call.category = "cuda_runtime";
        call.name = "cudaLaunchKernel";
        call.process = "100";
        call.thread = "101";
        call.start_ns = clock_ns + kernel.launch_ns;
        call.duration_ns = 1'000;
        call.correlation = ++correlation;
        builder.add(call);
        TraceEvent event = call;
        event.category = "kernel";
        event.name = name;
        event.process = "0";
        event.thread = stream;
        event.has_stream = true;
        event.start_ns = clock_ns + kernel.start_ns;
        event.duration_ns = kernel.length_ns;
        if (collective && collective->has_arguments) {
            CollectiveArguments& arguments = event.collective.emplace();
            arguments.name = builder.intern(profiler_name(collective->kind));
            arguments.dtype = builder.intern("Byte");
            arguments.group_name = builder.intern(groups[collective->group].name);
            arguments.group_ranks = builder.intern(list_text(groups[collective->group].ranks));
            arguments.input_elements = arguments.output_elements = collective->bytes;
        }
        builder.add(event);
    };
    for (const Kernel& kernel : compute) add(kernel, kernel.name, "7", nullptr);
    for (const Collective& collective : collectives) {
        add(collective, "ncclDevKernel_Generic", std::to_string(20 + collective.group), &collective);
    }
    return builder.finish({});
}

std::string SimulatedTrace::json(std::optional<int> rank) const {
    std::string events;
    for (const Collective& collective : collectives) {
        events += events.empty() ? "\n" : ",\n";
        events += R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic", "pid": 0, "tid": )" +
                  std::to_string(20 + collective.group) + R"(, "ts": )" + microseconds_text(collective.start_ns) +
                  R"(, "dur": )" + microseconds_text(collective.length_ns) + R"(, "args": {"Collective name": ")" +
                  std::string(profiler_name(collective.kind)) + R"(", "dtype": ")" + collective.dtype +
                  R"(", "Process Group Name": ")" + groups[collective.group].name + R"(", "Process Group Ranks": ")" +
                  list_text(groups[collective.group].ranks) + R"(", "In msg nelems": )" +
                  std::to_string(collective.bytes / collective.element_bytes) + R"(, "Out msg nelems": )" +
                  std::to_string(collective.output_elements) + "}}";
    }
    const std::string said = rank ? R"("distributedInfo": {"rank": )" + std::to_string(*rank) + "}, " : "";
    return R"({"schemaVersion": 1, )" + said + R"("traceEvents": [)" + events + "\n]}\n";
}

}  // namespace overlap::test
