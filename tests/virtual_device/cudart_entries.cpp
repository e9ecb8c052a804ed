// Kernels, devices and memory of libcudart as far as the runner's module calls them, on the virtual device.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/run/cuda/kernels.h"
#include "tests/virtual_device/cudart_errors.h"
#include "tests/virtual_device/findings.h"
#include "tests/virtual_device/launches.h"
#include "tests/virtual_device/rates.h"

using namespace overlap::virtual_device;
using overlap::cuda::HoldArguments;
using overlap::cuda::MemorySpan;
using overlap::cuda::MoveArguments;

namespace {

Span span_of(const MemorySpan& memory, std::int64_t bytes) {
    return {reinterpret_cast<std::uintptr_t>(memory.address), bytes};
}

/// What a kernel touches that goes round in the memory of several spans until it has moved `bytes`.
template <std::size_t Count>
std::vector<Span> touched(const MemorySpan (&spans)[Count], std::int64_t bytes) {
    std::vector<Span> touched;
    for (const MemorySpan& memory : spans) {
        const std::int64_t part = std::min(memory.bytes, bytes);
        if (part > 0) touched.push_back(span_of(memory, part));
        bytes -= part;
    }
    return touched;
}

void check_words(const std::vector<Span>& spans, const std::string& kernel) {
    constexpr std::uintptr_t word = 16;
    for (const Span& span : spans) {
        if (span.address % word != 0) report("misaligned", kernel + " works in words of 16 bytes from another address");
    }
}

Work move_work(const MoveArguments& arguments) {
    Work work;
    work.name = "move_kernel";
    work.reads = touched(arguments.inputs, arguments.read_bytes);
    work.writes = touched(arguments.outputs, arguments.written_bytes);
    const std::int64_t read = work.reads.empty() ? 0 : arguments.read_bytes;
    const std::int64_t written = work.writes.empty() ? 0 : arguments.written_bytes;
    work.duration_ns = move_ns(read + written);
    return work;
}

Work hold_work(const HoldArguments& arguments) {
    Work work;
    work.name = "hold_kernel";
    if (arguments.from.bytes > 0 && arguments.to.bytes > 0) {
        work.reads = {span_of(arguments.from, std::min(arguments.from.bytes, arguments.bytes))};
        work.writes = {span_of(arguments.to, std::min(arguments.to.bytes, arguments.bytes))};
    }
    work.duration_ns = arguments.duration_ns;
    return work;
}

struct Kernel {
    std::string name;
    int most_shared_bytes = 48 << 10;  ///< without being asked for
};

/// By the address that stands for it in the host's code.
std::map<const void*, Kernel>& kernels() {
    static std::map<const void*, Kernel> registered;
    return registered;
}

struct Configuration {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    void* stream = nullptr;
};

Configuration& configuration() {
    static Configuration pushed;
    return pushed;
}

}  // namespace

extern "C" {

// What the compiler makes of kernels and of their launches.

void** CUDARTAPI __cudaRegisterFatBinary(void*) {
    static void* handle = nullptr;
    return &handle;
}
void CUDARTAPI __cudaRegisterFatBinaryEnd(void**) {}
void CUDARTAPI __cudaUnregisterFatBinary(void**) {}

void CUDARTAPI __cudaRegisterFunction(void**, const char* host_function, char*, const char* name, int, uint3*, uint3*,
                                      dim3*, dim3*, int*) {
    kernels()[host_function].name = name;
}

unsigned CUDARTAPI __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, CUstream_st* stream) {
    configuration() = {grid, block, shared_bytes, stream};
    return 0;
}

cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
    *grid = configuration().grid;
    *block = configuration().block;
    *shared_bytes = configuration().shared_bytes;
    *static_cast<void**>(stream) = configuration().stream;
    return cudaSuccess;
}

cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
    return cudaSuccess;
}

cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                         std::size_t shared_bytes, cudaStream_t handle) {
    FAIL_ON_REQUEST(cudaErrorLaunchFailure);
    const auto found = kernels().find(kernel);
    if (found == kernels().end()) return told(cudaErrorInvalidDeviceFunction);
    Stream* const stream = device().stream_of(handle);
    if (!stream) return told(cudaErrorInvalidResourceHandle);
    if (grid.x == 0 || grid.y != 1 || grid.z != 1 || block.x == 0 || block.x > 1024) {
        return told(cudaErrorInvalidConfiguration);
    }
    if (shared_bytes > static_cast<std::size_t>(found->second.most_shared_bytes)) return told(cudaErrorInvalidValue);
    const bool moves = found->second.name.find("move_kernel") != std::string::npos;
    Work work = moves ? move_work(*static_cast<const MoveArguments*>(arguments[0]))
                      : hold_work(*static_cast<const HoldArguments*>(arguments[0]));
    check_words(work.reads, work.name);
    check_words(work.writes, work.name);
    launch(*stream, std::move(work));
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    FAIL_ON_REQUEST(cudaErrorNoKernelImageForDevice);
    if (!kernels().contains(function)) return told(cudaErrorInvalidDeviceFunction);
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    FAIL_ON_REQUEST(cudaErrorInvalidValue);
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) kernels()[function].most_shared_bytes = value;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetLastError() {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    return std::exchange(last_error(), cudaSuccess);
}

const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorNoKernelImageForDevice:
            return "no kernel image is available for execution on the device";
        case cudaErrorLaunchFailure:
            return "unspecified launch failure";
        case cudaErrorInvalidValue:
            return "invalid argument";
        case cudaErrorInvalidResourceHandle:
            return "invalid resource handle";
        case cudaErrorNotReady:
            return "device not ready";
        case cudaErrorStreamCaptureIsolation:
            return "dependency created on uncaptured work in another stream";
        case cudaErrorStreamCaptureUnjoined:
            return "capturing stream has unjoined work";
        case cudaErrorStreamCaptureUnsupported:
            return "operation not permitted when stream is capturing";
        default:
            return "unknown error";
    }
}

// Devices.

cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    *version = settings().driver;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    *count = settings().devices;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    *properties = {};
    std::strcpy(properties->name, "virtual device (H100 SXM model)");
    properties->totalGlobalMem = static_cast<std::size_t>(settings().memory_bytes);
    properties->multiProcessorCount = 132;
    properties->major = settings().capability / 10;
    properties->minor = settings().capability % 10;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaSetDevice(int index) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    return told(index >= 0 && index < settings().devices ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t CUDARTAPI cudaMemGetInfo(std::size_t* free, std::size_t* all) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    *free = static_cast<std::size_t>(device().free_bytes());
    *all = static_cast<std::size_t>(settings().memory_bytes);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceSynchronize() {
    FAIL_ON_REQUEST(cudaErrorLaunchFailure);
    if (device().capturing()) return told(cudaErrorStreamCaptureUnsupported);
    device().synchronize();
    return cudaSuccess;
}

// Memory.

cudaError_t CUDARTAPI cudaMalloc(void** address, std::size_t bytes) {
    FAIL_ON_REQUEST(cudaErrorMemoryAllocation);
    if (device().capturing()) {
        report("capture", "memory is allocated while a stream is captured");
        return told(cudaErrorStreamCaptureUnsupported);
    }
    const std::uintptr_t found = device().allocate(static_cast<std::int64_t>(bytes));
    if (found == 0) return told(cudaErrorMemoryAllocation);
    *address = reinterpret_cast<void*>(found);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFree(void* address) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    if (address) device().give_back(reinterpret_cast<std::uintptr_t>(address));
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMemset(void* address, int, std::size_t bytes) {
    FAIL_ON_REQUEST(cudaErrorInvalidValue);
    if (change_of_this_call("drop_memset")) return cudaSuccess;
    Work work;
    work.kind = Work::Kind::memset;
    work.name = "memset";
    work.writes = {{reinterpret_cast<std::uintptr_t>(address), static_cast<std::int64_t>(bytes)}};
    device().issue(*device().stream_of(nullptr), std::move(work));
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaHostAlloc(void** address, std::size_t bytes, unsigned) {
    FAIL_ON_REQUEST(cudaErrorMemoryAllocation);
    *address = reinterpret_cast<void*>(device().allocate_on_host(static_cast<std::int64_t>(bytes)));
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFreeHost(void* address) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    if (address) device().give_back(reinterpret_cast<std::uintptr_t>(address));
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                      cudaStream_t handle) {
    FAIL_ON_REQUEST(cudaErrorInvalidValue);
    Stream* const stream = device().stream_of(handle);
    if (!stream) return told(cudaErrorInvalidResourceHandle);
    const auto count = static_cast<std::int64_t>(bytes);
    Work work;
    work.kind = Work::Kind::copy;
    work.name = kind == cudaMemcpyDeviceToHost ? "copy to host" : "copy from host";
    work.reads = {{reinterpret_cast<std::uintptr_t>(from), count}};
    work.writes = {{reinterpret_cast<std::uintptr_t>(to), count}};
    work.duration_ns = host_copy_ns(count);
    launch(*stream, std::move(work));
    return cudaSuccess;
}

}  // extern "C"
