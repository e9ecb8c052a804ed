// libcupti as far as the runner's module calls it, on the virtual device.
#include <cupti.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "tests/virtual_device/device.h"
#include "tests/virtual_device/settings.h"

using namespace overlap::virtual_device;

namespace {

#define FAIL_ON_REQUEST(status) \
    if (fails(__func__)) return status

/// Times of records begin somewhere, as those of a device do.
constexpr std::int64_t origin_ns = 1'700'000'000'000'000'000;

struct State {
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    std::set<CUpti_ActivityKind> enabled;

    bool calls_are_recorded() const {
        return enabled.contains(CUPTI_ACTIVITY_KIND_RUNTIME) || enabled.contains(CUPTI_ACTIVITY_KIND_DRIVER);
    }
};

State& state() {
    static State known;
    return known;
}

/// Fills buffers of the runner with records and gives each back when it is full.
class Writer {
  public:
    Writer() = default;
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() { give_back(); }

    template <typename Record>
    void write(const Record& record) {
        if (buffer_ && used_ + sizeof record > size_) give_back();
        if (!buffer_) {
            std::size_t most_records = 0;
            state().request(&buffer_, &size_, &most_records);
            used_ = 0;
        }
        std::memcpy(buffer_ + used_, &record, sizeof record);
        used_ += sizeof record;
    }

  private:
    void give_back() {
        if (buffer_) state().complete(nullptr, 0, std::exchange(buffer_, nullptr), size_, used_);
    }

    std::uint8_t* buffer_ = nullptr;
    std::size_t size_ = 0, used_ = 0;
};

template <typename Record>
Record record_of(const Activity& activity, CUpti_ActivityKind kind) {
    Record record{};
    record.kind = kind;
    record.start = static_cast<std::uint64_t>(origin_ns + activity.start_ns);
    record.end = static_cast<std::uint64_t>(origin_ns + activity.end_ns);
    record.correlationId = activity.correlation;
    record.streamId = activity.stream;
    return record;
}

CUpti_ActivityKind kind_of(const Activity& activity) {
    if (activity.kind == Work::Kind::memset) return CUPTI_ACTIVITY_KIND_MEMSET;
    return activity.kind == Work::Kind::copy ? CUPTI_ACTIVITY_KIND_MEMCPY : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

std::size_t bytes_of(const CUpti_Activity* record) {
    switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
            return sizeof(CUpti_ActivityKernel10);
        case CUPTI_ACTIVITY_KIND_MEMSET:
            return sizeof(CUpti_ActivityMemset4);
        case CUPTI_ACTIVITY_KIND_MEMCPY:
            return sizeof(CUpti_ActivityMemcpy6);
        default:
            return sizeof(CUpti_ActivityExternalCorrelation);
    }
}

}  // namespace

extern "C" {

CUptiResult CUPTIAPI cuptiGetVersion(std::uint32_t* version) {
    FAIL_ON_REQUEST(CUPTI_ERROR_UNKNOWN);
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult status, const char** text) {
    *text =
        status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                    CUpti_BuffersCallbackCompleteFunc complete) {
    FAIL_ON_REQUEST(CUPTI_ERROR_UNKNOWN);
    state().request = request;
    state().complete = complete;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
    FAIL_ON_REQUEST(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
    state().enabled.insert(kind);
    Device::get().recording = true;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
    state().enabled.erase(kind);
    if (state().enabled.empty()) Device::get().recording = false;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind, std::uint64_t id) {
    FAIL_ON_REQUEST(CUPTI_ERROR_UNKNOWN);
    Device::get().external_ids().push_back(id);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind, std::uint64_t* id) {
    FAIL_ON_REQUEST(CUPTI_ERROR_UNKNOWN);
    if (Device::get().external_ids().empty()) return CUPTI_ERROR_QUEUE_EMPTY;
    *id = Device::get().external_ids().back();
    Device::get().external_ids().pop_back();
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityFlushAll(std::uint32_t) {
    FAIL_ON_REQUEST(CUPTI_ERROR_UNKNOWN);
    Writer writer;
    const auto correlations = Device::get().take_correlations();
    for (const auto& [correlation, external] : correlations) {
        if (!state().calls_are_recorded() || !state().enabled.contains(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) break;
        CUpti_ActivityExternalCorrelation record{};
        record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
        record.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
        record.externalId = external;
        record.correlationId = correlation;
        writer.write(record);
    }
    for (const Activity& activity : Device::get().take_activities()) {
        const CUpti_ActivityKind kind = kind_of(activity);
        if (!state().enabled.contains(kind)) continue;
        if (kind == CUPTI_ACTIVITY_KIND_MEMSET) writer.write(record_of<CUpti_ActivityMemset4>(activity, kind));
        if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) writer.write(record_of<CUpti_ActivityMemcpy6>(activity, kind));
        if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
            writer.write(record_of<CUpti_ActivityKernel10>(activity, kind));
    }
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid_bytes,
                                                CUpti_Activity** record) {
    auto* at = buffer;
    if (*record) {
        at = reinterpret_cast<std::uint8_t*>(*record);
        at += bytes_of(*record);
    }
    if (at >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(at);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
    *dropped = settings().drops_records;
    return CUPTI_SUCCESS;
}

}  // extern "C"
