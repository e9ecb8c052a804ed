#include "core/run/cuda/activity_recorder.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/run/cuda/device_errors.h"

namespace overlap::cuda {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{8} << 20;
constexpr std::size_t buffers_kept = 16;
constexpr auto correlation_kind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

struct RawActivity {
    std::uint32_t correlation = 0, stream = 0;
    std::int64_t start_ns = 0, end_ns = 0;
};

/// CUPTI's callbacks have no argument of their own, so what they fill belongs to the process.
struct Records {
    std::mutex mutex;
    std::vector<RawActivity> activities;
    std::unordered_map<std::uint32_t, NodeId> node_of_correlation;
    std::vector<std::uint8_t*> spare;
    std::size_t dropped = 0;
};

Records& records() {
    static Records kept;
    return kept;
}

std::uint8_t* new_buffer() {
    return static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
    Records& kept = records();
    const std::lock_guard lock(kept.mutex);
    *size = buffer_bytes;
    *most_records = 0;
    if (kept.spare.empty()) {
        *buffer = new_buffer();
    } else {
        *buffer = kept.spare.back();
        kept.spare.pop_back();
    }
}

template <typename Activity>
void keep(Records& kept, const CUpti_Activity* record) {
    const auto* activity = reinterpret_cast<const Activity*>(record);
    kept.activities.push_back({activity->correlationId, activity->streamId, static_cast<std::int64_t>(activity->start),
                               static_cast<std::int64_t>(activity->end)});
}

void keep_record(Records& kept, const CUpti_Activity* record) {
    switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
            keep<CUpti_ActivityKernel10>(kept, record);
            break;
        case CUPTI_ACTIVITY_KIND_MEMCPY:
            keep<CUpti_ActivityMemcpy6>(kept, record);
            break;
        case CUPTI_ACTIVITY_KIND_MEMSET:
            keep<CUpti_ActivityMemset4>(kept, record);
            break;
        case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
            const auto* correlation = reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
            if (correlation->externalKind == correlation_kind) {
                kept.node_of_correlation[correlation->correlationId] = static_cast<NodeId>(correlation->externalId);
            }
            break;
        }
        default:
            break;
    }
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
    Records& kept = records();
    const std::lock_guard lock(kept.mutex);
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) keep_record(kept, record);
    std::size_t dropped = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) kept.dropped += dropped;
    kept.spare.push_back(buffer);
}

/// CUPTI writes an external correlation in front of the record of an API call, so calls are recorded, too: those of the
/// runtime, and of the driver, by which NCCL and cuBLASLt launch.
constexpr CUpti_ActivityKind kinds[] = {
    CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

}  // namespace

ActivityRecorder::ActivityRecorder() {
    Records& kept = records();
    while (kept.spare.size() < buffers_kept) kept.spare.push_back(new_buffer());
    check(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "starting the recording of activities");
    for (const CUpti_ActivityKind kind : kinds)
        check(cuptiActivityEnable(kind), "starting the recording of activities");
}

ActivityRecorder::~ActivityRecorder() {
    for (const CUpti_ActivityKind kind : kinds) cuptiActivityDisable(kind);
    cuptiActivityFlushAll(0);
    Records& kept = records();
    const std::lock_guard lock(kept.mutex);
    for (std::uint8_t* const buffer : kept.spare) std::free(buffer);
    kept.spare.clear();
}

void ActivityRecorder::begin_node(NodeId node) {
    keep_failure(cuptiActivityPushExternalCorrelationId(correlation_kind, node));
}

void ActivityRecorder::end_node() {
    std::uint64_t node = 0;
    keep_failure(cuptiActivityPopExternalCorrelationId(correlation_kind, &node));
}

void ActivityRecorder::keep_failure(CUptiResult status) {
    if (failure_ == CUPTI_SUCCESS) failure_ = status;
}

std::vector<NodeActivity> ActivityRecorder::take() {
    check(std::exchange(failure_, CUPTI_SUCCESS), "naming what a node launches");
    check(cuptiActivityFlushAll(0), "reading recorded activities");
    Records& kept = records();
    const std::lock_guard lock(kept.mutex);
    if (kept.dropped > 0) {
        throw InputError("CUPTI", std::to_string(kept.dropped) + " activities were dropped, so the timeline has holes");
    }
    const auto nodes = std::exchange(kept.node_of_correlation, {});
    std::vector<NodeActivity> activities;
    for (const RawActivity& raw : std::exchange(kept.activities, {})) {
        const auto node = nodes.find(raw.correlation);
        activities.push_back({node == nodes.end() ? no_node : node->second, raw.start_ns, raw.end_ns, raw.stream});
    }
    std::stable_sort(activities.begin(), activities.end(), [](const NodeActivity& left, const NodeActivity& right) {
        return left.start_ns < right.start_ns;
    });
    return activities;
}

}  // namespace overlap::cuda
