#include "core/trace/measured_trace.h"

#include <algorithm>
#include <array>
#include <utility>

namespace overlap {

EventCategory event_category(std::string_view name) {
    using enum EventCategory;
    static constexpr std::array<std::pair<std::string_view, EventCategory>, 18> known = {{
        {"cpu_op", cpu_op},
        {"user_annotation", user_annotation},
        {"python_function", python_function},
        {"cuda_runtime", runtime},
        {"cuda_driver", runtime},
        {"hip_runtime", runtime},
        {"xpu_runtime", runtime},
        {"xpu_driver", runtime},
        {"mtia_runtime", runtime},
        {"privateuse1_runtime", runtime},
        {"privateuse1_driver", runtime},
        {"kernel", kernel},
        {"gpu_memcpy", gpu_memcpy},
        {"gpu_memset", gpu_memset},
        {"gpu_user_annotation", gpu_user_annotation},
        {"cuda_sync", synchronization},
        {"xpu_sync", synchronization},
        {"hip_sync", synchronization},
    }};
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& entry) { return entry.first == name; });
    return found != known.end() ? found->second : other;
}

namespace {

template <typename Item>
std::size_t bytes_of(const std::vector<Item>& items) {
    return items.capacity() * sizeof(Item);
}

}  // namespace

std::size_t MeasuredTrace::bytes_kept() const {
    std::size_t bytes = bytes_of(events_.start_ns) + bytes_of(events_.duration_ns) + bytes_of(events_.id) +
                        bytes_of(events_.offset) + bytes_of(events_.name) + bytes_of(events_.track) +
                        bytes_of(events_.category) + bytes_of(events_.phase);
    bytes += bytes_of(tracks_) + bytes_of(activities_) + bytes_of(collectives_) + bytes_of(steps_) + bytes_of(memory_);
    // A text takes its letters, its place in the list of texts and up to four places of the hash table.
    for (StringId id = 0; id < texts_.size(); ++id) bytes += texts_.text(id).size() + 16 + 4 * 8;
    return bytes;
}

}  // namespace overlap
