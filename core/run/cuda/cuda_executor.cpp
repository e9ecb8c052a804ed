#include "core/run/cuda/cuda_executor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/run/cuda/communicators.h"
#include "core/run/cuda/cublas_products.h"
#include "core/run/cuda/device_errors.h"
#include "core/run/cuda/device_objects.h"
#include "core/run/cuda/fused_attention.h"
#include "core/run/cuda/host_copies.h"
#include "core/run/cuda/kernels.h"
#include "core/run/move_launches.h"

namespace overlap::cuda {

struct CudaExecutor::State {
    const Device& device;
    const Program& program;
    const ProgramOperands& operands;
    const DevicePlan& plan;
    const std::vector<double>& times_ms;
    CudaOptions options;

    std::int64_t free_before;  ///< of the device's memory
    Allocation pool, scratch;
    Stream compute;
    std::deque<Stream> groups;            ///< one a process group of the program
    std::vector<GroupSettings> settings;  ///< of each group
    std::vector<Event> issued, finished;  ///< one a collective
    HostCopies copies;
    Event step_began{Event::Timing::on}, step_ended{Event::Timing::on};
    MatrixProducts products;
    Allocation attention_workspace;
    Communicators communicators;
    GraphExecution captured;  ///< before the communicators are given up: NCCL waits for captured launches
    std::uint64_t steps = 0;  ///< that have ended

    State(const Device& on, const CudaProgram& of, Ranks& ranks, const CudaOptions& asked)
        : device(on),
          program(of.program),
          operands(of.operands),
          plan(of.plan),
          times_ms(of.times_ms),
          options(asked),
          free_before(free_bytes(on)),
          pool(of.memory.pool_bytes),
          scratch(of.plan.scratch_bytes),
          issued(of.program.collectives.size()),
          finished(of.program.collectives.size()),
          copies(of.program.transfers.size(), of.host),
          attention_workspace(asked.attention ? asked.attention->workspace_bytes() : 0),
          communicators(of.program.groups, of.placements, ranks) {
        check(cudaMemset(pool.address(), 0, static_cast<std::size_t>(pool.bytes())), "clearing the pool");
        check(cudaMemset(scratch.address(), 0, static_cast<std::size_t>(scratch.bytes())), "clearing memory");
        // Streams of the step do not wait for the default stream, on which memory is cleared.
        check(cudaDeviceSynchronize(), "clearing memory");
        for (const GroupPlacement& placement : of.placements) {
            settings.push_back(placement.settings);
            groups.emplace_back(placement.settings.high_priority.value_or(false) ? Stream::Priority::high
                                                                                 : Stream::Priority::normal);
        }
    }

    MemorySpan span_of(const PoolSpan& span) const {
        return {static_cast<char*>(pool.address()) + span.offset, span.bytes};
    }

    void* address_of(const ProductOperand& operand) const {
        const Allocation& memory = operand.in_pool ? pool : scratch;
        return static_cast<char*>(memory.address()) + operand.offset;
    }

    void launch_product(const DeviceWork& work) {
        for (std::int64_t launch = 0; launch < work.launches; ++launch) {
            MatrixProducts::Memory memory;
            for (std::size_t operand = 0; operand < memory.size(); ++operand)
                memory[operand] = address_of(work.operands[operand]);
            products.launch(work.product, memory, compute.get());
        }
    }

    void launch_attention(std::uint32_t index) {
        FusedAttention::Memory memory;
        for (std::size_t role = 0; role < memory.tensors.size(); ++role) {
            const PoolSpan& span = operands.attentions[index][role];
            if (span.bytes > 0) memory.tensors[role] = span_of(span).address;
        }
        memory.accumulators = scratch.address();
        memory.workspace = attention_workspace.address();
        options.attention->launch(program.attentions[index].shape, memory, compute.get());
    }

    void launch_move(const ComputeWork& work, const Operands& places) {
        for (const MoveLaunch& launch : move_launches(work, places, MoveArguments::most_spans)) {
            MoveArguments arguments;
            for (std::size_t index = 0; index < launch.inputs.size(); ++index)
                arguments.inputs[index] = span_of(launch.inputs[index]);
            for (std::size_t index = 0; index < launch.outputs.size(); ++index)
                arguments.outputs[index] = span_of(launch.outputs[index]);
            arguments.read_bytes = launch.read_bytes;
            arguments.written_bytes = launch.written_bytes;
            check(cuda::launch_move(arguments, device.multiprocessors, compute.get()), "launching a kernel");
        }
    }

    /// A coalesced collective has many tensors; its bytes go round in the longest of them.
    MemorySpan longest(const std::vector<PoolSpan>& spans) const {
        for (const PoolSpan& span : longest_spans(spans, 1)) {
            if (const std::optional<PoolSpan> words = whole_words(span)) return span_of(*words);
        }
        return {};
    }

    /// Thread blocks of an emulated collective: as many as asked for in general, within what the group allows.
    int blocks_of(const GroupSettings& group) const {
        const int least = std::max(group.min_ctas.value_or(1), 1);
        return std::clamp(options.thread_blocks_of_emulation, least, std::max(group.max_ctas.value_or(1024), least));
    }

    void launch_emulation(const CollectiveWork& work, const Operands& places) {
        HoldArguments arguments;
        arguments.from = longest(places.inputs);
        arguments.to = longest(places.outputs);
        arguments.bytes = work.bytes;
        arguments.duration_ns = std::llround(times_ms[work.node] * 1e6);
        arguments.thread_blocks = blocks_of(settings[work.group]);
        check(cuda::launch_hold(arguments, groups[work.group].get()), "launching an emulated collective");
    }

    void launch_real(const CollectiveWork& work, const Operands& places) {
        std::vector<const void*> inputs;
        std::vector<void*> outputs;
        for (std::size_t index = 0; index < work.messages.size(); ++index) {
            const std::int64_t size = dtype_info(work.messages[index].dtype).bytes;
            inputs.push_back(checked(places.inputs, index, size * work.messages[index].input_elements));
            outputs.push_back(checked(places.outputs, index, size * work.messages[index].output_elements));
        }
        communicators.launch(work, inputs, outputs, groups[work.group].get());
    }

    void* checked(const std::vector<PoolSpan>& spans, std::size_t index, std::int64_t bytes) const {
        if (index >= spans.size() || spans[index].bytes < bytes) {
            throw InputError("a collective", "one of its tensors is not in device memory as a whole");
        }
        return span_of(spans[index]).address;
    }

    /// Waits for the end of a step. A collective whose peer has failed never ends, so communicators are asked
    /// meanwhile.
    void wait_for_step() const {
        using namespace std::chrono_literals;
        if (communicators.any()) {
            const auto start = std::chrono::steady_clock::now();
            for (cudaError_t status = cudaStreamQuery(compute.get()); status == cudaErrorNotReady;
                 status = cudaStreamQuery(compute.get())) {
                communicators.check_health();
                if (std::chrono::steady_clock::now() - start > options.longest_step) {
                    throw InputError("NCCL", "a step has not ended within " +
                                                 std::to_string(options.longest_step.count() / 1000) +
                                                 " s: a rank of its collectives does not answer");
                }
                std::this_thread::sleep_for(50us);
            }
        }
        check(cudaStreamSynchronize(compute.get()), "waiting for the end of a step");
        communicators.check_health();
    }

    /// The first step is launched as it is, so that kernels are loaded, algorithms chosen and communicators connected
    /// when the second is captured.
    bool captures() const { return options.as_cuda_graph && steps > 0 && !captured.ready(); }

    void begin_node(NodeId node) {
        if (options.recorder) options.recorder->begin_node(node);
    }
    void end_node() {
        if (options.recorder) options.recorder->end_node();
    }
};

CudaExecutor::CudaExecutor(const Device& device, const CudaProgram& program, Ranks& ranks, const CudaOptions& options) {
    if (options.as_cuda_graph && options.recorder) {
        throw InputError("overlap-runner", "activities inside a CUDA graph have no nodes; ask for one of both");
    }
    use(device);
    // Before communicators are there: a rank that ends behind that leaves the others waiting in NCCL.
    check(prepare_kernels(), "looking for kernels that were compiled for " + device.name);
    state_ = std::make_unique<State>(device, program, ranks, options);
}

CudaExecutor::~CudaExecutor() {
    // While an error is on its way up, collectives may wait for ranks that will not come.
    if (std::uncaught_exceptions() > 0) {
        state_->captured.reset();
        state_->communicators.abort();
    }
    cudaDeviceSynchronize();
}

void CudaExecutor::begin_step() {
    State& state = *state_;
    if (state.captured.ready()) return;
    if (state.captures()) {
        state.captured.begin(state.compute.get());
    } else {
        state.step_began.record(state.compute.get());
    }
}

void CudaExecutor::compute(std::uint32_t index, const ComputeWork& work) {
    State& state = *state_;
    if (state.captured.ready()) return;
    state.begin_node(work.node);
    const DeviceWork& on_device = state.plan.compute[index];
    switch (on_device.kind) {
        case DeviceWork::Kind::own_product:
        case DeviceWork::Kind::scaled_product:
        case DeviceWork::Kind::expert_product:
            state.launch_product(on_device);
            break;
        case DeviceWork::Kind::attention:
            state.launch_attention(on_device.attention);
            break;
        case DeviceWork::Kind::stand_in_product:
            // It works on other memory, so the node's bytes are moved beside it.
            state.launch_product(on_device);
            [[fallthrough]];
        case DeviceWork::Kind::moved_bytes:
            state.launch_move(work, state.operands.compute[index]);
            break;
    }
    state.end_node();
}

void CudaExecutor::collective(std::uint32_t index, const CollectiveWork& work) {
    State& state = *state_;
    if (state.captured.ready()) return;
    const cudaStream_t stream = state.groups[work.group].get();
    state.issued[index].record(state.compute.get());
    state.issued[index].hold(stream);
    state.begin_node(work.node);
    const Operands& places = state.operands.collectives[index];
    if (state.communicators.has(work.group)) {
        state.launch_real(work, places);
    } else {
        state.launch_emulation(work, places);
    }
    state.end_node();
    state.finished[index].record(stream);
}

void CudaExecutor::wait(std::uint32_t collective) {
    State& state = *state_;
    if (!state.captured.ready()) state.finished[collective].hold(state.compute.get());
}

void CudaExecutor::transfer(std::uint32_t index, const TransferWork& work) {
    State& state = *state_;
    if (state.captured.ready()) return;
    state.copies.begin(index, state.compute.get());
    state.begin_node(work.node);
    const MemorySpan tensor = state.span_of(state.operands.transfers[index]);
    state.copies.copy(index, work.to_host, tensor.address, tensor.bytes);
    state.end_node();
    state.copies.end(index);
}

void CudaExecutor::wait_for_transfer(std::uint32_t transfer) {
    State& state = *state_;
    if (!state.captured.ready()) state.copies.hold(transfer, state.compute.get());
}

double CudaExecutor::end_step() {
    State& state = *state_;
    const cudaStream_t compute = state.compute.get();
    if (!state.captured.ready()) {
        for (const Event& finished : state.finished) finished.hold(compute);
        state.copies.hold_all(compute);
        if (state.captures()) state.captured.end(compute);
    }
    if (state.captured.ready()) {
        state.step_began.record(compute);
        state.captured.launch(compute);
    }
    state.step_ended.record(compute);
    state.wait_for_step();
    ++state.steps;
    return state.step_began.milliseconds_until(state.step_ended);
}

std::vector<NodeActivity> CudaExecutor::take_activities() {
    ActivityRecorder* recorder = state_->options.recorder;
    return recorder ? recorder->take() : std::vector<NodeActivity>();
}

std::int64_t CudaExecutor::peak_bytes() const {
    const std::int64_t own = state_->pool.bytes() + state_->scratch.bytes() + DevicePlan::workspace_bytes +
                             state_->attention_workspace.bytes();
    return std::max(own, state_->free_before - free_bytes(state_->device));
}

}  // namespace overlap::cuda
