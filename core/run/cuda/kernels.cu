#include "core/run/cuda/kernels.h"

namespace overlap::cuda {

namespace {

constexpr int threads = 512;

constexpr std::int64_t word_bytes = sizeof(uint4);

/// Two blocks on a multiprocessor leave a thread 64 registers, of which the words on their way take 16.
constexpr int move_blocks_per_multiprocessor = 2;

/// What a thread block of an emulated collective takes of a multiprocessor's shared memory: about as much as one of
/// NCCL's, which keeps kernels that need most of it away from there.
constexpr int hold_shared_bytes = 64 << 10;

__device__ std::int64_t words_of(const MemorySpan* spans, int count) {
    std::int64_t words = 0;
    for (int span = 0; span < count; ++span) words += spans[span].bytes / word_bytes;
    return words;
}

/// A position that goes round in all words of several spans. It is moved on without a division, since one of 64 bits
/// for each word would take longer than the word itself, and looks at the list of spans only where it leaves one.
class Round {
  public:
    /// @param words of all spans.
    __device__ Round(const MemorySpan* spans, std::int64_t words, std::int64_t first, std::int64_t step)
        : spans_(spans), words_(words), at_(words > 0 ? first % words : 0), step_(words > 0 ? step % words : 0) {
        find_span();
    }

    __device__ uint4* word() const { return reinterpret_cast<uint4*>(base_ + at_ * word_bytes); }
    __device__ void move() {
        at_ += step_;
        if (at_ >= words_) {
            at_ -= words_;
            span_ = -1;
            end_ = 0;
        }
        find_span();
    }

  private:
    /// From the current span on.
    __device__ void find_span() {
        while (at_ >= end_ && at_ < words_) {
            ++span_;
            base_ = reinterpret_cast<std::intptr_t>(spans_[span_].address) - end_ * word_bytes;
            end_ += spans_[span_].bytes / word_bytes;
        }
    }

    const MemorySpan* spans_;
    std::int64_t words_, at_, step_;
    std::int64_t end_ = 0;    // words of the spans up to the current one
    std::intptr_t base_ = 0;  // where the first word of all would be if they lay as the current span does
    int span_ = -1;
};

/// Reads and writes run side by side, each thread over its own stride: a few reads on their way at one time, then as
/// many writes. What is read goes into what is written, so that no read can be left out by the compiler.
__global__ void __launch_bounds__(threads, move_blocks_per_multiprocessor)
    move_kernel(const __grid_constant__ MoveArguments arguments) {
    constexpr int batch = 4;
    const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    const std::int64_t available = words_of(arguments.inputs, MoveArguments::most_spans);
    const std::int64_t room = words_of(arguments.outputs, MoveArguments::most_spans);
    const std::int64_t reads = available > 0 ? arguments.read_bytes / word_bytes : 0;
    const std::int64_t writes = room > 0 ? arguments.written_bytes / word_bytes : 0;
    uint4 sum{0, 0, 0, 0};
    Round read(arguments.inputs, available, thread, stride), write(arguments.outputs, room, thread, stride);
    const std::int64_t steps = max(reads, writes);
    for (std::int64_t first = thread; first < steps; first += batch * stride) {
        uint4 words[batch];
#pragma unroll
        for (int word = 0; word < batch; ++word, read.move()) {
            if (first + word * stride < reads) words[word] = *read.word();
        }
#pragma unroll
        for (int word = 0; word < batch; ++word, write.move()) {
            const std::int64_t index = first + word * stride;
            if (index < reads) {
                sum.x ^= words[word].x;
                sum.y ^= words[word].y;
                sum.z ^= words[word].z;
                sum.w ^= words[word].w;
            }
            if (index < writes) *write.word() = sum;
        }
    }
    // With nothing to write the reads must still have a use.
    if (writes == 0 && room > 0 && sum.x == 0x9e3779b9u && sum.y == 0x7f4a7c15u) {
        *static_cast<uint4*>(arguments.outputs[0].address) = sum;
    }
}

__device__ std::uint64_t now_ns() {
    std::uint64_t time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

/// Each block moves its share in pieces, and waits after each piece until its time has come. A piece is read as a whole
/// before it is written: a write behind each read would let a thread have one read on its way at a time. When the
/// collective's time is over, what has not been moved is left, so that it takes no longer than modelled.
__global__ void __launch_bounds__(threads, 1) hold_kernel(const __grid_constant__ HoldArguments arguments) {
    constexpr int words_of_thread = 8;
    constexpr std::int64_t piece_words = words_of_thread * threads;
    const std::uint64_t start_ns = now_ns();
    const std::uint64_t duration_ns = static_cast<std::uint64_t>(arguments.duration_ns);
    const std::int64_t share = arguments.bytes / word_bytes / static_cast<std::int64_t>(gridDim.x);
    const std::int64_t from_words = arguments.from.bytes / word_bytes;
    const std::int64_t to_words = arguments.to.bytes / word_bytes;
    const bool moves = from_words > 0 && to_words > 0;
    const std::int64_t first_word = static_cast<std::int64_t>(blockIdx.x) * share + threadIdx.x;
    Round read(&arguments.from, from_words, first_word, threads), write(&arguments.to, to_words, first_word, threads);
    const double ns_per_word = share > 0 ? static_cast<double>(arguments.duration_ns) / static_cast<double>(share) : 0;
    for (std::int64_t first = 0; moves && first < share; first += piece_words) {
        if (now_ns() - start_ns >= duration_ns) return;
        uint4 piece[words_of_thread];
#pragma unroll
        for (int word = 0; word < words_of_thread; ++word) {
            if (first + word * threads + threadIdx.x < share) piece[word] = *read.word();
            read.move();
        }
#pragma unroll
        for (int word = 0; word < words_of_thread; ++word) {
            if (first + word * threads + threadIdx.x < share) *write.word() = piece[word];
            write.move();
        }
        const std::int64_t last = min(share, first + piece_words);
        const std::uint64_t due_ns = static_cast<std::uint64_t>(ns_per_word * static_cast<double>(last));
        while (now_ns() - start_ns < due_ns) __nanosleep(200);
    }
    while (now_ns() - start_ns < duration_ns) __nanosleep(200);
}

}  // namespace

cudaError_t prepare_kernels() {
    cudaFuncAttributes attributes{};
    if (const cudaError_t status = cudaFuncGetAttributes(&attributes, move_kernel); status != cudaSuccess)
        return status;
    return cudaFuncSetAttribute(hold_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, hold_shared_bytes);
}

cudaError_t launch_move(const MoveArguments& arguments, int multiprocessors, cudaStream_t stream) {
    constexpr std::int64_t bytes_per_block = threads * word_bytes * 4;
    const std::int64_t most = static_cast<std::int64_t>(multiprocessors) * move_blocks_per_multiprocessor;
    const std::int64_t bytes = max(arguments.read_bytes, arguments.written_bytes);
    const std::int64_t wanted = (bytes + bytes_per_block - 1) / bytes_per_block;
    const std::int64_t blocks = max(std::int64_t{1}, min(most, wanted));
    move_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(arguments);
    return cudaGetLastError();
}

cudaError_t launch_hold(const HoldArguments& arguments, cudaStream_t stream) {
    hold_kernel<<<static_cast<unsigned>(arguments.thread_blocks), threads, hold_shared_bytes, stream>>>(arguments);
    return cudaGetLastError();
}

}  // namespace overlap::cuda
