#include "app/runner/device_run.h"

#include <string>
#include <utility>
#include <vector>

#include "core/cost/cost_model.h"
#include "core/graph/error.h"
#include "core/run/cuda/cuda_executor.h"

namespace overlap::runner {

std::map<std::string, std::string> library_versions() {
    const cuda::Versions versions = cuda::versions();
    return {{"driver", versions.driver},
            {"cuda_runtime", versions.runtime},
            {"nccl", versions.nccl},
            {"cublas", versions.cublas},
            {"cupti", versions.cupti}};
}

cuda::Device device_of(const Ranks& ranks) {
    const std::vector<cuda::Device> devices = cuda::find_devices();
    const auto wanted = static_cast<std::size_t>(ranks.rank_on_machine());
    if (wanted >= devices.size()) {
        throw InputError(ranks.machine(), "it has " + std::to_string(devices.size()) + " devices, and rank " +
                                              std::to_string(ranks.rank()) + " is number " +
                                              std::to_string(wanted + 1) + " there");
    }
    return devices[wanted];
}

Simulation run_on_device(const Graph& graph, const Program& program, const MemoryPlan& memory, Ranks& ranks,
                         const RunOptions& run, const DeviceRunOptions& options, RunRecord& record) {
    const cuda::Device device = device_of(ranks);
    const ProgramOperands operands = find_operands(graph, program, memory);
    const std::vector<double> times_ms = node_times_ms(graph);
    cuda::CudaOptions settings;
    settings.as_cuda_graph = options.as_cuda_graph;
    settings.thread_blocks_of_emulation = options.thread_blocks_of_emulation;
    record.device = device.name;
    record.libraries = library_versions();
    {
        cuda::CudaExecutor executor(device, program, operands, memory, record.groups, times_ms, ranks, settings);
        record.step_ms = run_steps(program, executor, ranks, run);
        record.peak_memory_bytes = executor.peak_bytes();
    }
    settings.as_cuda_graph = false;
    settings.record_activities = true;
    MeasuredRun measured(graph);
    if (options.recorded_steps > 0) {
        cuda::CudaExecutor executor(device, program, operands, memory, record.groups, times_ms, ranks, settings);
        RunOptions single;
        single.warm_up = 0;
        single.iterations = 1;
        std::vector<double> step_ms;
        // The first step loads kernels and chooses algorithms, and does not count.
        for (std::uint32_t step = 0; step <= options.recorded_steps; ++step) {
            const double taken_ms = run_steps(program, executor, ranks, single).front();
            const std::vector<NodeActivity> activities = executor.take_activities();
            if (step == 0) continue;
            step_ms.push_back(taken_ms);
            measured.add_step(activities);
        }
        record.recorded_step_ms = median_of(std::move(step_ms));
    }
    Simulation timeline = measured.timeline();
    record.recorded_steps = measured.steps();
    record.recorded_exposed_ms = timeline.exposed_ms;
    record.activities_without_node = measured.activities_without_node();
    record.nodes = measured.measurements();
    return timeline;
}

}  // namespace overlap::runner
