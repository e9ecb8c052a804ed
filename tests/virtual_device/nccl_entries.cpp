// libnccl as far as the runner's module calls it, on the virtual device: ranks of one machine meet in shared memory.
#include <nccl.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/virtual_device/findings.h"
#include "tests/virtual_device/launches.h"
#include "tests/virtual_device/rates.h"
#include "tests/virtual_device/settings.h"

using namespace overlap::virtual_device;

namespace {

#define FAIL_ON_REQUEST(status) \
    if (fails(__func__)) return status

std::int64_t bytes_of(ncclDataType_t type) {
    switch (type) {
        case ncclInt8:
        case ncclUint8:
        case ncclFloat8e4m3:
        case ncclFloat8e5m2:
            return 1;
        case ncclFloat16:
        case ncclBfloat16:
            return 2;
        case ncclInt64:
        case ncclUint64:
        case ncclFloat64:
            return 8;
        default:
            return 4;
    }
}

/// What is launched between ncclGroupStart() and ncclGroupEnd() becomes one kernel.
struct Group {
    bool open = false;
    std::shared_ptr<Communicator> communicator;
    cudaStream_t stream = nullptr;
    Work work;
    std::string what;
    std::int64_t sent = 0, received = 0;
};

Group& group() {
    static Group open;
    return open;
}

std::shared_ptr<Communicator> communicator_of(ncclComm_t handle) {
    for (const std::shared_ptr<Communicator>& known : Device::get().communicators()) {
        if (reinterpret_cast<ncclComm_t>(known.get()) == handle) return known;
    }
    report("stale_handle", "a communicator is used that does not exist");
    return nullptr;
}

void check_overlap(const std::string& name, const Span& sent, const Span& received, std::uintptr_t in_place) {
    const bool apart = sent.address + static_cast<std::uintptr_t>(sent.bytes) <= received.address ||
                       received.address + static_cast<std::uintptr_t>(received.bytes) <= sent.address;
    if (!apart && sent.address != in_place) {
        report("overlap", name + " sends from memory that it receives into, in another place than in-place ones do");
    }
}

/// @param sent_part, received_part which rank's part of the other buffer an in-place collective uses as its own: 0 for
/// buffers that are the same as a whole.
ncclResult_t add(const char* name, const void* from, std::int64_t sent, void* to, std::int64_t received,
                 ncclDataType_t type, int reduction, ncclComm_t handle, cudaStream_t stream) {
    const std::shared_ptr<Communicator> communicator = communicator_of(handle);
    if (!communicator || communicator->aborted) return ncclInvalidArgument;
    Group& open = group();
    if (!open.open) return ncclInvalidUsage;
    if (open.communicator && (open.communicator != communicator || open.stream != stream)) return ncclInvalidUsage;
    open.communicator = communicator;
    open.stream = stream;
    if (change_of_this_call("other_reduction") && reduction >= 0) reduction = reduction == 0 ? 1 : 0;
    if (change_of_this_call("other_type")) type = type == ncclFloat32 ? ncclInt32 : ncclFloat32;
    const std::int64_t bytes = bytes_of(type);
    const Span read{reinterpret_cast<std::uintptr_t>(from), sent * bytes};
    const Span written{reinterpret_cast<std::uintptr_t>(to), received * bytes};
    const auto mine = static_cast<std::uintptr_t>(communicator->place->rank() * std::min(sent, received) * bytes);
    check_overlap(name, read, written,
                  sent < received   ? written.address + mine
                  : sent > received ? written.address - mine
                                    : written.address);
    open.work.kind = Work::Kind::collective;
    open.work.name = std::string("nccl") + name;
    open.work.reads.push_back(read);
    open.work.writes.push_back(written);
    open.what += std::string(open.what.empty() ? "" : ", ") + name + " of " + std::to_string(std::max(sent, received)) +
                 " elements of type " + std::to_string(type) +
                 (reduction < 0 ? std::string() : " by reduction " + std::to_string(reduction));
    open.sent += read.bytes;
    open.received += written.bytes;
    return ncclSuccess;
}

/// One line for each communicator: its group, and what of its configuration the runner has set.
void note(const ncclConfig_t& config) {
    if (settings().communicators.empty()) return;
    std::ofstream file(settings().communicators, std::ios::app);
    file << "{\"group\":" << json_text(config.commName);
    const std::pair<const char*, int> numbers[] = {
        {"min_ctas", config.minCTAs},   {"max_ctas", config.maxCTAs},     {"cga_cluster_size", config.cgaClusterSize},
        {"nvls_ctas", config.nvlsCTAs}, {"cta_policy", config.CTAPolicy}, {"traffic_class", config.trafficClass}};
    for (const auto& [name, number] : numbers) {
        if (number != NCCL_CONFIG_UNDEF_INT) file << ",\"" << name << "\":" << number;
    }
    file << "}\n";
}

std::int64_t of_all(std::size_t count, ncclComm_t handle) {
    const std::shared_ptr<Communicator> communicator = communicator_of(handle);
    return static_cast<std::int64_t>(count) * (communicator ? communicator->place->size() : 0);
}

std::int64_t signed_count(std::size_t count) {
    return static_cast<std::int64_t>(count);
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
    FAIL_ON_REQUEST(ncclInternalError);
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t status) {
    switch (status) {
        case ncclSystemError:
            return "unhandled system error";
        case ncclInternalError:
            return "internal error";
        case ncclInvalidArgument:
            return "invalid argument";
        case ncclInvalidUsage:
            return "invalid usage";
        case ncclRemoteError:
            return "remote process exited or there was a network error";
        default:
            return "unknown result code";
    }
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    FAIL_ON_REQUEST(ncclSystemError);
    const std::string path = MeetingPlace::make();
    if (path.size() >= sizeof id->internal) return ncclSystemError;
    std::memset(id->internal, 0, sizeof id->internal);
    std::memcpy(id->internal, path.data(), path.size());
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* handle, int size, ncclUniqueId id, int rank, ncclConfig_t* config) {
    FAIL_ON_REQUEST(ncclSystemError);
    if (config->size != sizeof(ncclConfig_t) || config->magic != 0xcafebeef || !config->commName) {
        return ncclInvalidArgument;
    }
    const bool blocks_fit = config->minCTAs == NCCL_CONFIG_UNDEF_INT || config->maxCTAs == NCCL_CONFIG_UNDEF_INT ||
                            config->minCTAs <= config->maxCTAs;
    if (!blocks_fit || rank < 0 || rank >= size) return ncclInvalidArgument;
    try {
        auto place = std::make_unique<MeetingPlace>(id.internal, rank, size);
        auto& communicators = Device::get().communicators();
        communicators.push_back(std::make_shared<Communicator>(std::move(place)));
        *handle = reinterpret_cast<ncclComm_t>(communicators.back().get());
        note(*config);
    } catch (const std::runtime_error&) {
        return ncclSystemError;
    }
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
    FAIL_ON_REQUEST(ncclInternalError);
    const std::shared_ptr<Communicator> communicator = communicator_of(handle);
    if (!communicator) return ncclInvalidArgument;
    if (Device::get().captured(*communicator)) {
        report("communicator_in_graph", "a communicator is destroyed before a CUDA graph with a collective of it");
    }
    std::erase(Device::get().communicators(), communicator);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t handle) {
    const std::shared_ptr<Communicator> communicator = communicator_of(handle);
    if (!communicator) return ncclInvalidArgument;
    communicator->aborted = true;
    std::erase(Device::get().communicators(), communicator);
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* status) {
    FAIL_ON_REQUEST(ncclInternalError);
    const std::shared_ptr<Communicator> communicator = communicator_of(handle);
    if (!communicator) return ncclInvalidArgument;
    *status = communicator->place->lost_a_rank() ? ncclRemoteError : ncclSuccess;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
    FAIL_ON_REQUEST(ncclInternalError);
    group() = {};
    group().open = true;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
    FAIL_ON_REQUEST(ncclInternalError);
    Group ended = std::move(group());
    group() = {};
    if (!ended.open) return ncclInvalidUsage;
    if (!ended.communicator) return ncclSuccess;
    Stream* const stream = Device::get().stream_of(ended.stream);
    if (!stream) return ncclInvalidArgument;
    ended.work.duration_ns = collective_ns(std::max(ended.sent, ended.received));
    ended.work.meeting = std::make_shared<Meeting>();
    ended.work.meeting->communicator = ended.communicator;
    ended.work.meeting->mine.what = ended.what;
    launch(*stream, std::move(ended.work));
    return ncclSuccess;
}

ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
    FAIL_ON_REQUEST(ncclInternalError);
    return add("AllGather", from, signed_count(count), to, of_all(count, communicator), type, -1, communicator, stream);
}

ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t reduction, ncclComm_t communicator, cudaStream_t stream) {
    FAIL_ON_REQUEST(ncclInternalError);
    return add("ReduceScatter", from, of_all(count, communicator), to, signed_count(count), type, reduction,
               communicator, stream);
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t reduction,
                           ncclComm_t communicator, cudaStream_t stream) {
    FAIL_ON_REQUEST(ncclInternalError);
    return add("AllReduce", from, signed_count(count), to, signed_count(count), type, reduction, communicator, stream);
}

ncclResult_t ncclAlltoAll(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t communicator,
                          cudaStream_t stream) {
    FAIL_ON_REQUEST(ncclInternalError);
    const std::int64_t all = of_all(count, communicator);
    return add("AlltoAll", from, all, to, all, type, -1, communicator, stream);
}

ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int,
                           ncclComm_t communicator, cudaStream_t stream) {
    FAIL_ON_REQUEST(ncclInternalError);
    return add("Broadcast", from, signed_count(count), to, signed_count(count), type, -1, communicator, stream);
}

}  // extern "C"
