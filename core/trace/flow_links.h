#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/measured_trace.h"

namespace overlap {

/// An arrow from one event of the host or GPU to another, by the numbers of its flow events.
struct FlowLink {
    std::uint32_t start = 0;   ///< `s`
    std::uint32_t finish = 0;  ///< `t` or `f`
};

struct FlowLinks {
    std::vector<FlowLink> links;  ///< ascending by start, then by finish
    std::uint64_t unmatched = 0;  ///< flow events without a partner
};

/// Joins flow events of equal category and id. An id means nothing without its category: the numbers of launches
/// (`ac2g`) and those of backward operators (`fwdbwd`) are counted apart and meet.
FlowLinks flow_links(const MeasuredTrace& trace);

}  // namespace overlap
