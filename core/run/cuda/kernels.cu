#include "core/run/cuda/kernels.h"

namespace overlap::cuda {

namespace {

constexpr int threads = 512;

__device__ const uint4* word_of(const MemorySpan* spans, int count, std::int64_t index) {
    for (int span = 0; span < count; ++span) {
        const std::int64_t words = spans[span].bytes / static_cast<std::int64_t>(sizeof(uint4));
        if (index < words) return static_cast<const uint4*>(spans[span].address) + index;
        index -= words;
    }
    return nullptr;
}

__device__ std::int64_t words_of(const MemorySpan* spans, int count) {
    std::int64_t words = 0;
    for (int span = 0; span < count; ++span) words += spans[span].bytes / static_cast<std::int64_t>(sizeof(uint4));
    return words;
}

/// A position that goes round in `size` words. It is moved on without a division: one of 64 bits for each word would
/// take longer than the word itself.
class Round {
  public:
    __device__ Round(std::int64_t first, std::int64_t step, std::int64_t size)
        : at_(size > 0 ? first % size : 0), step_(size > 0 ? step % size : 0), size_(size) {}

    __device__ std::int64_t at() const { return at_; }
    __device__ void move() {
        at_ += step_;
        if (at_ >= size_) at_ -= size_;
    }

  private:
    std::int64_t at_, step_, size_;
};

/// Reads and writes run side by side, each thread over its own stride. What is read goes into what is written, so that
/// no read can be left out by the compiler.
__global__ void move_kernel(const MoveArguments arguments) {
    const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    const std::int64_t available = words_of(arguments.inputs, arguments.input_count);
    const std::int64_t room = words_of(arguments.outputs, arguments.output_count);
    const std::int64_t reads = available > 0 ? arguments.read_bytes / static_cast<std::int64_t>(sizeof(uint4)) : 0;
    const std::int64_t writes = room > 0 ? arguments.written_bytes / static_cast<std::int64_t>(sizeof(uint4)) : 0;
    uint4 sum{0, 0, 0, 0};
    Round read(thread, stride, available), write(thread, stride, room);
#pragma unroll 4
    for (std::int64_t index = thread; index < reads; index += stride, read.move()) {
        const uint4 word = *word_of(arguments.inputs, arguments.input_count, read.at());
        sum.x ^= word.x;
        sum.y ^= word.y;
        sum.z ^= word.z;
        sum.w ^= word.w;
    }
    for (std::int64_t index = thread; index < writes; index += stride, write.move()) {
        *const_cast<uint4*>(word_of(arguments.outputs, arguments.output_count, write.at())) = sum;
    }
    // With nothing to write the reads must still have a use.
    if (writes == 0 && room > 0 && sum.x == 0x9e3779b9u && sum.y == 0x7f4a7c15u) {
        *const_cast<uint4*>(word_of(arguments.outputs, arguments.output_count, 0)) = sum;
    }
}

__device__ std::uint64_t now_ns() {
    std::uint64_t time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

/// Each block moves its share in pieces, and waits after each piece until its time has come.
__global__ void hold_kernel(const HoldArguments arguments) {
    constexpr std::int64_t piece_words = 4096;
    static_assert(piece_words % threads == 0, "a thread goes on with the same distance in the next piece");
    const std::uint64_t start_ns = now_ns();
    const std::int64_t share =
        arguments.bytes / static_cast<std::int64_t>(sizeof(uint4)) / static_cast<std::int64_t>(gridDim.x);
    const std::int64_t from_words = arguments.from.bytes / static_cast<std::int64_t>(sizeof(uint4));
    const std::int64_t to_words = arguments.to.bytes / static_cast<std::int64_t>(sizeof(uint4));
    const uint4* from = static_cast<const uint4*>(arguments.from.address);
    uint4* to = static_cast<uint4*>(arguments.to.address);
    const bool moves = from_words > 0 && to_words > 0;
    const std::int64_t first_word = static_cast<std::int64_t>(blockIdx.x) * share + threadIdx.x;
    Round read(first_word, threads, from_words), write(first_word, threads, to_words);
    for (std::int64_t first = 0; moves && first < share; first += piece_words) {
        const std::int64_t last = min(share, first + piece_words);
        for (std::int64_t index = first + threadIdx.x; index < last; index += threads, read.move(), write.move()) {
            to[write.at()] = from[read.at()];
        }
        const std::uint64_t due_ns = static_cast<std::uint64_t>(static_cast<double>(arguments.duration_ns) *
                                                                static_cast<double>(last) / static_cast<double>(share));
        while (now_ns() - start_ns < due_ns) __nanosleep(200);
    }
    while (now_ns() - start_ns < static_cast<std::uint64_t>(arguments.duration_ns)) __nanosleep(200);
}

}  // namespace

cudaError_t find_kernels() {
    cudaFuncAttributes attributes{};
    if (const cudaError_t status = cudaFuncGetAttributes(&attributes, move_kernel); status != cudaSuccess)
        return status;
    return cudaFuncGetAttributes(&attributes, hold_kernel);
}

cudaError_t launch_move(const MoveArguments& arguments, int multiprocessors, cudaStream_t stream) {
    constexpr std::int64_t bytes_per_block = threads * sizeof(uint4) * 4;
    const std::int64_t most = static_cast<std::int64_t>(multiprocessors) * 4;
    const std::int64_t bytes = max(arguments.read_bytes, arguments.written_bytes);
    const std::int64_t wanted = (bytes + bytes_per_block - 1) / bytes_per_block;
    const std::int64_t blocks = max(std::int64_t{1}, min(most, wanted));
    move_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(arguments);
    return cudaGetLastError();
}

cudaError_t launch_hold(const HoldArguments& arguments, cudaStream_t stream) {
    hold_kernel<<<static_cast<unsigned>(arguments.thread_blocks), threads, 0, stream>>>(arguments);
    return cudaGetLastError();
}

}  // namespace overlap::cuda
