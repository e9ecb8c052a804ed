// The module that needs CUDA: see device_support.h.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/device_support.h"
#include "core/base/error.h"
#include "core/base/statistics.h"
#include "core/run/cuda/cublas_products.h"
#include "core/run/cuda/cuda_executor.h"
#include "core/run/cuda/fused_attention.h"
#include "core/run/run_checks.h"

namespace overlap::runner {

namespace {

/// Ranks on a machine take its devices in order.
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

/// Runs steps with every kernel recorded. The first of them loads kernels and chooses algorithms, and does not count.
/// Measured times exist already, so a failure of CUPTI to record is only a note; all ranks stop together.
void record_steps(const cuda::Device& device, const cuda::CudaProgram& program, Ranks& ranks,
                  cuda::CudaOptions settings, std::uint32_t steps, MeasuredRun& measured, RunRecord& record) {
    std::optional<cuda::ActivityRecorder> recorder;
    const auto stopped = [&](const auto& attempt) {
        std::string failure;
        try {
            attempt();
        } catch (const InputError& error) {
            failure = error.what();
        }
        if (!ranks.any(!failure.empty())) return false;
        record.notes.push_back("kernels were not recorded further: " +
                               (failure.empty() ? "another rank could not record them" : failure));
        return true;
    };
    if (stopped([&] { recorder.emplace(); })) return;
    settings.as_cuda_graph = false;
    settings.recorder = &*recorder;
    cuda::CudaExecutor executor(device, program, ranks, settings);
    RunOptions single;
    single.warm_up = 0;
    single.iterations = 1;
    single.longest_wait = settings.longest_step;
    std::vector<double> step_ms;
    for (std::uint32_t step = 0; step <= steps; ++step) {
        const double taken_ms = run_steps(program.program, executor, ranks, single).front();
        std::vector<NodeActivity> activities;
        if (stopped([&] { activities = executor.take_activities(); })) break;
        if (step == 0) continue;
        step_ms.push_back(taken_ms);
        measured.add_step(activities);
    }
    record.recorded_step_ms = median(std::move(step_ms));
}

/// Every rank sends what it has measured, so that waiting for late ranks is distinguished from collectives themselves.
void gather_measurements(const PreparedRun& prepared, const MeasuredRun& measured, Ranks& ranks, RunRecord& record) {
    const RankMeasurement mine = rank_measurement(prepared.program, measured, record.step_ms);
    for (const std::string& text : ranks.gather(measurement_text(mine))) record.ranks.push_back(read_measurement(text));
    record.aligned = align_collectives(prepared.program, prepared.placements, record.ranks, ranks.rank());
}

/// How this device carries compute out, which a dry run cannot know, and what is remarkable about it.
/// @throws InputError where it has less memory than that needs.
DevicePlan plan_for(const PreparedRun& prepared, const cuda::Device& device, cuda::FusedAttention& attention,
                    RunRecord& record) {
    cuda::ProductTrials products;
    const DeviceAbilities abilities{[&](const AttentionShape& shape) { return attention.runs(shape); },
                                    [&](const ProductShape& product) { return products.runs(product); }};
    DevicePlan plan = plan_device_work(prepared.program, prepared.operands, abilities);
    plan.attention_workspace_bytes = attention.workspace_bytes();
    // Stand-ins and workspaces need other memory than was counted without the device.
    check_runnable(*prepared.graph, prepared.memory, plan, cuda::free_bytes(device));
    record.work = plan.totals();
    record.bytes_beside_pool = plan.bytes_beside_pool();
    const DeviceWorkTotals asked = prepared.device.totals();
    const auto note = [&](std::int64_t missing, const std::string& one, const std::string& several,
                          const std::string& obstacle) {
        if (missing == 0) return;
        record.notes.push_back(std::to_string(missing)
                                   .append(missing == 1 ? " " + one + " is run" : " " + several + " are run")
                                   .append(" as products with as many operations: ")
                                   .append(obstacle));
    };
    note(asked.attentions - record.work.attentions, "attention", "attentions", attention.obstacle());
    const std::int64_t missing = asked.scaled_products - record.work.scaled_products;
    note(missing, "product of 8-bit floats", "products of 8-bit floats",
         (missing > 1 ? "of the first, " : "") + products.obstacle());
    return plan;
}

class CudaSupport : public DeviceSupport {
  public:
    std::vector<cuda::Device> find_devices() const override { return cuda::find_devices(); }

    std::map<std::string, std::string> library_versions() const override {
        const cuda::Versions versions = cuda::versions();
        std::map<std::string, std::string> found{{"driver", versions.driver},
                                                 {"cuda_runtime", versions.runtime},
                                                 {"nccl", versions.nccl},
                                                 {"cublas", versions.cublas},
                                                 {"cupti", versions.cupti}};
        if (!versions.cudnn.empty()) found.emplace("cudnn", versions.cudnn);
        return found;
    }

    std::int64_t free_bytes(const Ranks& ranks) const override { return cuda::free_bytes(device_of(ranks)); }

    Simulation run(const PreparedRun& prepared, Ranks& ranks, const RunOptions& run, const DeviceRunOptions& options,
                   RunRecord& record) const override {
        const cuda::Device device = device_of(ranks);
        cuda::FusedAttention attention(device);
        const DevicePlan plan = plan_for(prepared, device, attention, record);
        const cuda::CudaProgram program{prepared.program,    prepared.operands, prepared.memory, prepared.host, plan,
                                        prepared.placements, prepared.times_ms};
        cuda::CudaOptions settings;
        settings.attention = &attention;
        settings.as_cuda_graph = options.as_cuda_graph;
        settings.thread_blocks_of_emulation = options.thread_blocks_of_emulation;
        settings.longest_step = run.longest_wait;
        record.device = device.name;
        record.libraries = library_versions();
        record.modelled_ms = prepared.times_ms;
        {
            cuda::CudaExecutor executor(device, program, ranks, settings);
            record.step_ms = run_steps(prepared.program, executor, ranks, run);
            record.peak_memory_bytes = executor.peak_bytes();
        }
        MeasuredRun measured(*prepared.graph, prepared.program);
        if (options.recorded_steps > 0) {
            record_steps(device, program, ranks, settings, options.recorded_steps, measured, record);
        }
        record.recorded_steps = measured.steps();
        record.recorded_exposed_ms = median(measured.exposed_ms());
        record.recorded_transfer_exposed_ms = median(measured.transfer_exposed_ms());
        record.activities_without_node = measured.activities_without_node();
        record.nodes = measured.measurements();
        gather_measurements(prepared, measured, ranks, record);
        return measured.timeline();
    }
};

}  // namespace

}  // namespace overlap::runner

/// The module's only entry.
extern "C" const overlap::runner::DeviceSupport* overlap_device_support() {
    static const overlap::runner::CudaSupport support;
    return &support;
}
