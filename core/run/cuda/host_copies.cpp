#include "core/run/cuda/host_copies.h"

#include "core/run/cuda/device_errors.h"

namespace overlap::cuda {

HostCopies::HostCopies(std::size_t copies, const HostMemory& host) : host_(host), issued_(copies), finished_(copies) {
    if (copies > 0) stream_.emplace();
    if (host.bytes > 0) memory_.emplace(host.bytes);
}

void HostCopies::begin(std::uint32_t index, cudaStream_t compute) {
    issued_[index].record(compute);
    issued_[index].hold(stream_->get());
}

void HostCopies::copy(std::uint32_t index, bool to_host, void* on_device, std::int64_t bytes) {
    if (bytes == 0) return;
    void* const on_host = static_cast<char*>(memory_->address()) + host_.offsets[index];
    const auto count = static_cast<std::size_t>(bytes);
    check(to_host ? cudaMemcpyAsync(on_host, on_device, count, cudaMemcpyDeviceToHost, stream_->get())
                  : cudaMemcpyAsync(on_device, on_host, count, cudaMemcpyHostToDevice, stream_->get()),
          to_host ? "copying to the host" : "copying from the host");
}

void HostCopies::end(std::uint32_t index) {
    finished_[index].record(stream_->get());
}

void HostCopies::hold_all(cudaStream_t compute) const {
    for (const Event& finished : finished_) finished.hold(compute);
}

}  // namespace overlap::cuda
