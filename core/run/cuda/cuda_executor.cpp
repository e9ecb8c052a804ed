#include "core/run/cuda/cuda_executor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <thread>

#include "core/graph/error.h"
#include "core/run/cuda/communicators.h"
#include "core/run/cuda/device_errors.h"
#include "core/run/cuda/device_objects.h"
#include "core/run/cuda/kernels.h"
#include "core/run/cuda/matrix_products.h"

namespace overlap::cuda {

struct CudaExecutor::State {
    const Device& device;
    const Program& program;
    const ProgramOperands& operands;
    const std::vector<double>& times_ms;
    CudaOptions options;

    Allocation pool, scratch;
    Stream compute;
    std::deque<Stream> groups;            ///< one a process group of the program
    std::vector<GroupSettings> settings;  ///< of each group
    std::vector<Event> issued, finished;  ///< one a collective
    Event step_began{Event::Timing::on}, step_ended{Event::Timing::on};
    MatrixProducts products;
    Communicators communicators;
    std::optional<ActivityRecorder> recorder;
    GraphExecution captured;
    std::uint64_t steps = 0;  ///< that have ended

    State(const Device& on, const Program& of, const ProgramOperands& with, const MemoryPlan& memory,
          const std::vector<GroupPlacement>& placements, const std::vector<double>& times, Ranks& ranks,
          const CudaOptions& asked)
        : device(on),
          program(of),
          operands(with),
          times_ms(times),
          options(asked),
          pool(memory.pool_bytes),
          scratch(scratch_bytes(of)),
          issued(of.collectives.size()),
          finished(of.collectives.size()),
          communicators(of.groups, placements, ranks) {
        check(find_kernels(), "looking for kernels that were compiled for " + device.name);
        check(cudaMemset(pool.address(), 0, static_cast<std::size_t>(pool.bytes())), "clearing the pool");
        check(cudaMemset(scratch.address(), 0, static_cast<std::size_t>(scratch.bytes())), "clearing memory");
        for (const GroupPlacement& placement : placements) {
            settings.push_back(placement.settings);
            groups.emplace_back(placement.settings.high_priority.value_or(false) ? Stream::Priority::high : Stream::Priority::normal);
        }
        if (options.record_activities) recorder.emplace();
    }

    /// Stand-ins for attention and convolution, and products whose operands are expanded views, work here.
    static std::int64_t scratch_bytes(const Program& program) {
        std::int64_t largest = 0;
        for (const ComputeWork& work : program.compute) {
            largest = std::max(largest, MatrixProducts::largest_operand_bytes(product_for(work)));
        }
        return 3 * rounded(largest);
    }

    static std::int64_t rounded(std::int64_t bytes) {
        constexpr std::int64_t alignment = MemoryPlan::alignment_bytes;
        return (bytes + alignment - 1) / alignment * alignment;
    }

    static MatrixProduct product_for(const ComputeWork& work) {
        if (work.compute_class == ComputeClass::matrix_multiply) return work.product;
        if (work.flops <= 0) return {};
        return product_of_flops(work.flops, *dtype_by_name("bfloat16"));
    }

    MemorySpan span_of(const PoolSpan& span) const {
        return {static_cast<char*>(pool.address()) + span.offset, span.bytes};
    }

    /// Where an operand of `bytes` lies: in the pool if it is all there and aligned, else in part `part` of the scratch
    /// memory. Views of a storage may begin anywhere.
    void* operand(const std::vector<PoolSpan>& spans, std::size_t index, std::int64_t bytes, int part) const {
        const bool usable = index < spans.size() && spans[index].bytes >= bytes &&
                            spans[index].offset % MatrixProducts::alignment_bytes == 0;
        if (usable) return span_of(spans[index]).address;
        return static_cast<char*>(scratch.address()) + scratch.bytes() / 3 * part;
    }

    void launch_product(const ComputeWork& work, const Operands& places) {
        const MatrixProduct product = product_for(work);
        const std::int64_t size = dtype_info(product.dtype).bytes * product.batch;
        const bool in_place = work.compute_class == ComputeClass::matrix_multiply;
        static const std::vector<PoolSpan> nowhere;
        const std::vector<PoolSpan>& inputs = in_place ? places.inputs : nowhere;
        const std::vector<PoolSpan>& outputs = in_place ? places.outputs : nowhere;
        // A bias stands before the two factors.
        const std::size_t first = inputs.size() >= 3 ? inputs.size() - 2 : 0;
        products.launch(product, operand(inputs, first, size * product.rows * product.inner, 0),
                        operand(inputs, first + 1, size * product.inner * product.columns, 1),
                        operand(outputs, 0, size * product.rows * product.columns, 2), compute.get());
    }

    void launch_move(const ComputeWork& work, const Operands& places) {
        MoveArguments arguments;
        arguments.read_bytes = work.read_bytes;
        arguments.written_bytes = work.written_bytes;
        for (const PoolSpan& span : places.inputs) add(span, arguments.inputs, arguments.input_count);
        for (const PoolSpan& span : places.outputs) add(span, arguments.outputs, arguments.output_count);
        if (arguments.input_count == 0 && arguments.output_count == 0) return;
        check(cuda::launch_move(arguments, device.multiprocessors, compute.get()), "launching a kernel");
    }

    /// Kernels work in words of 16 bytes, so a span begins at the next one and what is left over at its end is not
    /// touched; the bytes that count are those of the node all the same.
    void add(const PoolSpan& span, MemorySpan* spans, int& count) const {
        constexpr std::int64_t word = 16;
        const std::int64_t skipped = (word - span.offset % word) % word;
        if (count == MoveArguments::most_spans || span.bytes < skipped + word) return;
        spans[count++] = span_of({span.offset + skipped, span.bytes - skipped});
    }

    /// Thread blocks of an emulated collective: as many as asked for in general, within what the group allows.
    int blocks_of(const GroupSettings& group) const {
        const int least = std::max(group.min_ctas.value_or(1), 1);
        return std::clamp(options.thread_blocks_of_emulation, least, std::max(group.max_ctas.value_or(1024), least));
    }

    void launch_emulation(const CollectiveWork& work, const Operands& places) {
        HoldArguments arguments;
        int from = 0, to = 0;
        MemorySpan spans[MoveArguments::most_spans];
        for (const PoolSpan& span : places.inputs) {
            if (from == 0) add(span, spans, from);
        }
        arguments.from = from > 0 ? spans[0] : MemorySpan{};
        for (const PoolSpan& span : places.outputs) {
            if (to == 0) add(span, spans, to);
        }
        arguments.to = to > 0 ? spans[0] : MemorySpan{};
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
            for (cudaError_t status = cudaStreamQuery(compute.get()); status == cudaErrorNotReady;
                 status = cudaStreamQuery(compute.get())) {
                communicators.check_health();
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
        if (recorder) recorder->begin_node(node);
    }
    void end_node() {
        if (recorder) recorder->end_node();
    }
};

CudaExecutor::CudaExecutor(const Device& device, const Program& program, const ProgramOperands& operands,
                           const MemoryPlan& memory, const std::vector<GroupPlacement>& placements,
                           const std::vector<double>& times_ms, Ranks& ranks, const CudaOptions& options) {
    if (options.as_cuda_graph && options.record_activities) {
        throw InputError("overlap-runner", "activities inside a CUDA graph have no nodes; ask for one of both");
    }
    check(cudaSetDevice(device.index), "choosing a device");
    state_ = std::make_unique<State>(device, program, operands, memory, placements, times_ms, ranks, options);
}

CudaExecutor::~CudaExecutor() {
    // While an error is on its way up, collectives may wait for ranks that will not come.
    if (std::uncaught_exceptions() > 0) state_->communicators.abort();
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
    const Operands& places = state.operands.compute[index];
    const bool multiplies = work.compute_class == ComputeClass::matrix_multiply;
    if (work.flops > 0 && (!multiplies || MatrixProducts::knows(work.product.dtype))) {
        state.launch_product(work, places);
    }
    // A product moves its own bytes; a stand-in works on other memory, so the node's are moved beside it.
    if (!multiplies || !MatrixProducts::knows(work.product.dtype)) state.launch_move(work, places);
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

double CudaExecutor::end_step() {
    State& state = *state_;
    const cudaStream_t compute = state.compute.get();
    if (!state.captured.ready()) {
        for (const Event& finished : state.finished) finished.hold(compute);
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
    return state_->recorder ? state_->recorder->take() : std::vector<NodeActivity>();
}

std::int64_t CudaExecutor::peak_bytes() const {
    return state_->pool.bytes() + state_->scratch.bytes();
}

}  // namespace overlap::cuda
