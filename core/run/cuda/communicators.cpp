#include "core/run/cuda/communicators.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/run/collective_support.h"
#include "core/run/cuda/device_errors.h"

namespace overlap::cuda {

namespace {

ncclDataType_t type_of(Dtype dtype) {
    constexpr std::array types = std::to_array<std::pair<std::string_view, ncclDataType_t>>({
        {"bfloat16", ncclBfloat16},
        {"float16", ncclFloat16},
        {"float32", ncclFloat32},
        {"float64", ncclFloat64},
        {"float8_e4m3fn", ncclFloat8e4m3},
        {"float8_e5m2", ncclFloat8e5m2},
        {"int8", ncclInt8},
        {"uint8", ncclUint8},
        {"bool", ncclUint8},
        {"int32", ncclInt32},
        {"uint32", ncclUint32},
        {"int64", ncclInt64},
        {"uint64", ncclUint64},
    });
    const std::string_view name = dtype_info(dtype).name;
    const auto found = std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.first == name; });
    if (found == types.end()) throw InputError("NCCL", "it has no element type " + std::string(name));
    return found->second;
}

/// Collectives that reduce nothing have no name of a reduction.
ncclRedOp_t reduction_of(const std::string& name) {
    if (name.empty()) return ncclSum;
    constexpr std::array reductions = std::to_array<std::pair<std::string_view, ncclRedOp_t>>({
        {"sum", ncclSum},
        {"avg", ncclAvg},
        {"max", ncclMax},
        {"min", ncclMin},
        {"product", ncclProd},
    });
    const auto found = std::find_if(reductions.begin(), reductions.end(),
                                    [&](const auto& reduction) { return reduction.first == name; });
    if (found == reductions.end()) throw InputError("NCCL", "it has no reduction " + in_quotes(name));
    return found->second;
}

/// The id that the group's first member has made, on all of its members. All ranks exchange, members or not.
ncclUniqueId shared_id(const GroupPlacement& placement, Ranks& ranks) {
    ncclUniqueId id{};
    if (placement.members.front() == ranks.rank()) check(ncclGetUniqueId(&id), "making an id for a communicator");
    const std::vector<std::string> ids = ranks.gather(std::string(id.internal, sizeof id.internal));
    const std::string& first = ids[static_cast<std::size_t>(placement.members.front())];
    std::memcpy(id.internal, first.data(), sizeof id.internal);
    return id;
}

/// A collective's messages with what NCCL calls their types and reduction, found before anything is launched: between
/// the begin and the end of a group of launches nothing may be thrown.
struct NcclCollective {
    CollectiveKind kind{};
    ncclRedOp_t reduction = ncclSum;
    std::vector<ncclDataType_t> types;
};

NcclCollective nccl_collective(const CollectiveWork& work) {
    if (const std::string obstacle = nccl_obstacle(work); !obstacle.empty()) {
        throw InputError("process group", obstacle);
    }
    NcclCollective collective{work.kind, reduction_of(work.reduction), {}};
    for (const Message& message : work.messages) collective.types.push_back(type_of(message.dtype));
    return collective;
}

/// @param size of the group.
ncclResult_t launch_message(const NcclCollective& collective, std::size_t index, const Message& message,
                            const void* input, void* output, int size, ncclComm_t communicator, cudaStream_t stream) {
    const ncclDataType_t type = collective.types[index];
    const auto sent = static_cast<std::size_t>(message.input_elements);
    const auto received = static_cast<std::size_t>(message.output_elements);
    switch (collective.kind) {
        case CollectiveKind::all_gather:
            return ncclAllGather(input, output, sent, type, communicator, stream);
        case CollectiveKind::reduce_scatter:
            return ncclReduceScatter(input, output, received, type, collective.reduction, communicator, stream);
        case CollectiveKind::all_reduce:
            return ncclAllReduce(input, output, sent, type, collective.reduction, communicator, stream);
        case CollectiveKind::all_to_all:
            // The shares of uneven exchanges are data of the job; here each rank gets as much as any other.
            return ncclAlltoAll(input, output, std::min(sent, received) / static_cast<std::size_t>(size), type,
                                communicator, stream);
        case CollectiveKind::broadcast:
            return ncclBroadcast(input, output, sent, type, 0, communicator, stream);
        default:
            return ncclInvalidUsage;
    }
}

}  // namespace

Communicators::Communicators(const std::vector<ProcessGroup>& groups, const std::vector<GroupPlacement>& placements,
                             Ranks& ranks)
    : communicators_(groups.size()) {
    names_.reserve(groups.size());  // communicators keep the addresses of their names
    for (std::size_t index = 0; index < groups.size(); ++index) {
        const GroupPlacement& placement = placements[index];
        names_.push_back(groups[index].name);
        sizes_.push_back(static_cast<int>(placement.members.size()));
        if (!placement.real) continue;
        ncclUniqueId id = shared_id(placement, ranks);
        const auto place = std::find(placement.members.begin(), placement.members.end(), ranks.rank());
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.commName = names_.back().c_str();
        const GroupSettings& settings = placement.settings;
        config.minCTAs = settings.min_ctas.value_or(config.minCTAs);
        config.maxCTAs = settings.max_ctas.value_or(config.maxCTAs);
        config.cgaClusterSize = settings.cga_cluster_size.value_or(config.cgaClusterSize);
        config.nvlsCTAs = settings.nvls_ctas.value_or(config.nvlsCTAs);
        config.CTAPolicy = settings.cta_policy.value_or(config.CTAPolicy);
        config.trafficClass = settings.traffic_class.value_or(config.trafficClass);
        check(ncclCommInitRankConfig(&communicators_[index], sizes_.back(), id,
                                     static_cast<int>(place - placement.members.begin()), &config),
              "setting up the communicator of process group " + in_quotes(names_.back()));
    }
}

Communicators::~Communicators() {
    // While an error is on its way up, other ranks may not come to the end that a destruction waits for.
    if (std::uncaught_exceptions() > 0) abort();
    for (ncclComm_t communicator : communicators_) {
        if (communicator) ncclCommDestroy(communicator);
    }
}

bool Communicators::any() const {
    return std::any_of(communicators_.begin(), communicators_.end(),
                       [](ncclComm_t communicator) { return communicator != nullptr; });
}

void Communicators::abort() {
    for (ncclComm_t& communicator : communicators_) {
        if (communicator) ncclCommAbort(std::exchange(communicator, nullptr));
    }
}

void Communicators::launch(const CollectiveWork& work, const std::vector<const void*>& inputs,
                           const std::vector<void*>& outputs, cudaStream_t stream) {
    const NcclCollective collective = nccl_collective(work);
    check(ncclGroupStart(), "beginning a group of launches");
    ncclResult_t status = ncclSuccess;
    for (std::size_t index = 0; index < work.messages.size() && status == ncclSuccess; ++index) {
        status = launch_message(collective, index, work.messages[index], inputs[index], outputs[index],
                                sizes_[work.group], communicators_[work.group], stream);
    }
    // The group ends whatever has happened in it; a failure inside is the reason for one at its end.
    const ncclResult_t ended = ncclGroupEnd();
    check(status, "launching a collective");
    check(ended, "launching a collective");
}

void Communicators::check_health() const {
    for (std::size_t index = 0; index < communicators_.size(); ++index) {
        if (!communicators_[index]) continue;
        ncclResult_t status = ncclSuccess;
        check(ncclCommGetAsyncError(communicators_[index], &status), "asking for a communicator's state");
        if (status != ncclInProgress) check(status, "process group " + in_quotes(names_[index]));
    }
}

}  // namespace overlap::cuda
