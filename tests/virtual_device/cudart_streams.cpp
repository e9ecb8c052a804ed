// Streams, events and CUDA graphs of libcudart as far as the runner's module calls them, on the virtual device.
#include <cuda_runtime_api.h>

#include "tests/virtual_device/cudart_errors.h"
#include "tests/virtual_device/launches.h"

using namespace overlap::virtual_device;

extern "C" {

// Streams.

cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
    FAIL_ON_REQUEST(cudaErrorMemoryAllocation);
    *stream = reinterpret_cast<cudaStream_t>(device().make_stream());
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t handle) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    Stream* const stream = device().stream_of(handle);
    if (!stream) return told(cudaErrorInvalidResourceHandle);
    device().end_stream(stream);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t handle) {
    FAIL_ON_REQUEST(cudaErrorLaunchFailure);
    Stream* const stream = device().stream_of(handle);
    if (!stream) return told(cudaErrorInvalidResourceHandle);
    switch (device().query(*stream)) {
        case StreamState::done:
            return cudaSuccess;
        case StreamState::busy:
            return cudaErrorNotReady;
        case StreamState::broken:
            break;
    }
    return told(cudaErrorStreamCaptureUnsupported);
}

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t handle) {
    FAIL_ON_REQUEST(cudaErrorLaunchFailure);
    if (change_of_this_call("drop_synchronize")) return cudaSuccess;
    Stream* const stream = device().stream_of(handle);
    if (!stream) return told(cudaErrorInvalidResourceHandle);
    if (stream->capture) return told(cudaErrorStreamCaptureUnsupported);
    device().synchronize(*stream);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
    FAIL_ON_REQUEST(cudaErrorInvalidResourceHandle);
    Stream* const stream = device().stream_of(handle);
    auto* const event = reinterpret_cast<Event*>(event_handle);
    if (!stream || !device().has_event(event)) return told(cudaErrorInvalidResourceHandle);
    return told(wait(*event, *stream) ? cudaSuccess : cudaErrorStreamCaptureIsolation);
}

// Events.

cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    FAIL_ON_REQUEST(cudaErrorMemoryAllocation);
    *event = reinterpret_cast<cudaEvent_t>(device().make_event((flags & cudaEventDisableTiming) == 0));
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    device().end_event(reinterpret_cast<Event*>(event));
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event_handle, cudaStream_t handle) {
    FAIL_ON_REQUEST(cudaErrorInvalidResourceHandle);
    Stream* const stream = device().stream_of(handle);
    auto* const event = reinterpret_cast<Event*>(event_handle);
    if (!stream || !device().has_event(event)) return told(cudaErrorInvalidResourceHandle);
    record(*event, *stream);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventElapsedTime(float* milliseconds, cudaEvent_t from_handle, cudaEvent_t to_handle) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    const auto* const from = reinterpret_cast<Event*>(from_handle);
    const auto* const to = reinterpret_cast<Event*>(to_handle);
    for (const Event* event : {from, to}) {
        if (!device().has_event(event) || !event->timing || !event->last) return told(cudaErrorInvalidResourceHandle);
        if (!event->last->passed) return told(cudaErrorNotReady);
    }
    *milliseconds = static_cast<float>(static_cast<double>(to->last->time_ns - from->last->time_ns) / 1e6);
    return cudaSuccess;
}

// CUDA graphs.

cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
    FAIL_ON_REQUEST(cudaErrorInvalidValue);
    Stream* const stream = device().stream_of(handle);
    if (!stream || !device().begin_capture(*stream)) return told(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    FAIL_ON_REQUEST(cudaErrorStreamCaptureUnsupported);
    *graph = nullptr;
    Stream* const stream = device().stream_of(handle);
    if (!stream || !stream->capture) return told(cudaErrorInvalidValue);
    *graph = reinterpret_cast<cudaGraph_t>(device().end_capture(*stream).release());
    return told(*graph ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
}

cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t* execution, cudaGraph_t graph, unsigned long long) {
    FAIL_ON_REQUEST(cudaErrorMemoryAllocation);
    *execution = reinterpret_cast<cudaGraphExec_t>(device().instantiate(*reinterpret_cast<Capture*>(graph)));
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t graph) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    delete reinterpret_cast<Capture*>(graph);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t execution, cudaStream_t handle) {
    FAIL_ON_REQUEST(cudaErrorLaunchFailure);
    Stream* const stream = device().stream_of(handle);
    if (!stream || !device().launch(reinterpret_cast<GraphExecution*>(execution), *stream)) {
        return told(cudaErrorInvalidResourceHandle);
    }
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t execution) {
    FAIL_ON_REQUEST(cudaErrorUnknown);
    device().end_graph(reinterpret_cast<GraphExecution*>(execution));
    return cudaSuccess;
}

}  // extern "C"
