#include "core/graph/group_settings.h"

#include <array>

#include "core/files/json_members.h"

namespace overlap {

namespace {

// As many thread blocks as NCCL has channels, and clusters of a Hopper's size.
constexpr int most_thread_blocks = 64;
constexpr int largest_cluster = 8;
constexpr int most_traffic_class = 255;  // a byte of an InfiniBand or RoCE header

constexpr std::array numbers = {
    GroupNumber{"min_ctas", &GroupSettings::min_ctas, 1, most_thread_blocks,
                "thread blocks (CTAs) that a collective takes at least"},
    GroupNumber{"max_ctas", &GroupSettings::max_ctas, 1, most_thread_blocks,
                "thread blocks (CTAs) that a collective takes at most, also an emulated one"},
    GroupNumber{"cga_cluster_size", &GroupSettings::cga_cluster_size, 0, largest_cluster,
                "thread blocks that are launched as one cluster, 0 for none"},
    GroupNumber{"nvls_ctas", &GroupSettings::nvls_ctas, 1, most_thread_blocks,
                "thread blocks (CTAs) of a collective that the NVLink switch reduces"},
    GroupNumber{"cta_policy", &GroupSettings::cta_policy, 0, 2,
                "0 as NCCL does by itself, 1 few thread blocks, 2 none where copy engines can do it, which needs "
                "buffers that are registered"},
    GroupNumber{"traffic_class", &GroupSettings::traffic_class, 0, most_traffic_class,
                "traffic class of the network's packets"},
};

}  // namespace

std::span<const GroupNumber> group_numbers() {
    return numbers;
}

GroupSettings settings_of(const ProcessGroup& group) {
    GroupSettings settings;
    settings.group = group.name;
    settings.high_priority = json_member(group.extra_json, "high_priority_stream") == "true";
    return settings;
}

}  // namespace overlap
