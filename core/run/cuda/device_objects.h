#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/run/cuda/device_errors.h"

namespace overlap::cuda {

// What the device hands out, given back at the end of the object's life.

class Allocation {
  public:
    explicit Allocation(std::int64_t bytes) : bytes_(std::max<std::int64_t>(bytes, 512)) {
        check(cudaMalloc(&address_, static_cast<std::size_t>(bytes_)), "allocating device memory");
    }
    ~Allocation() { cudaFree(address_); }
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;

    void* address() const { return address_; }
    std::int64_t bytes() const { return bytes_; }

  private:
    void* address_ = nullptr;
    std::int64_t bytes_;
};

/// Memory of the host that the device copies to and from without help.
class PinnedMemory {
  public:
    explicit PinnedMemory(std::int64_t bytes) : bytes_(bytes) {
        check(cudaHostAlloc(&address_, static_cast<std::size_t>(bytes_), cudaHostAllocDefault),
              "allocating memory of the host");
    }
    ~PinnedMemory() { cudaFreeHost(address_); }
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;

    void* address() const { return address_; }
    std::int64_t bytes() const { return bytes_; }

  private:
    void* address_ = nullptr;
    std::int64_t bytes_;
};

class Stream {
  public:
    enum class Priority { normal, high };

    explicit Stream(Priority priority = Priority::normal) {
        int least = 0, greatest = 0;
        check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for the priorities of streams");
        const int wanted = priority == Priority::high ? greatest : least;
        check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, wanted), "making a stream");
    }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    cudaStream_t get() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

class Event {
  public:
    enum class Timing { off, on };

    explicit Event(Timing timing = Timing::off) {
        check(cudaEventCreateWithFlags(&event_, timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming),
              "making an event");
    }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "recording an event"); }
    /// What is issued on `stream` from now on begins after this event.
    void hold(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_, 0), "waiting for an event"); }
    double milliseconds_until(const Event& later) const {
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, event_, later.event_), "reading a time");
        return static_cast<double>(milliseconds);
    }

  private:
    cudaEvent_t event_ = nullptr;
};

/// A captured step.
class GraphExecution {
  public:
    GraphExecution() = default;
    ~GraphExecution() { reset(); }
    GraphExecution(const GraphExecution&) = delete;
    GraphExecution& operator=(const GraphExecution&) = delete;

    void reset() {
        if (execution_) cudaGraphExecDestroy(std::exchange(execution_, nullptr));
    }
    bool ready() const { return execution_ != nullptr; }
    void begin(cudaStream_t stream) {
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a capture");
    }
    void end(cudaStream_t stream) {
        cudaGraph_t graph = nullptr;
        check(cudaStreamEndCapture(stream, &graph), "ending a capture");
        const cudaError_t status = cudaGraphInstantiate(&execution_, graph, 0);
        cudaGraphDestroy(graph);
        check(status, "making a CUDA graph of a step");
    }
    void launch(cudaStream_t stream) { check(cudaGraphLaunch(execution_, stream), "launching a CUDA graph"); }

  private:
    cudaGraphExec_t execution_ = nullptr;
};

}  // namespace overlap::cuda
