#include "core/trace/flow_links.h"

#include <algorithm>
#include <tuple>

namespace overlap {

FlowLinks flow_links(const MeasuredTrace& trace) {
    const MeasuredEvents& events = trace.events();
    struct FlowEvent {
        std::uint16_t category;
        std::int64_t id;
        bool is_start;
        std::uint32_t event;
    };
    std::vector<FlowEvent> flows;
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        const char phase = events.phase[event];
        if (phase != 's' && phase != 't' && phase != 'f') continue;
        flows.push_back({events.category[event], events.id[event], phase == 's', event});
    }
    const auto key = [](const FlowEvent& flow) { return std::pair(flow.category, flow.id); };
    std::sort(flows.begin(), flows.end(), [&](const FlowEvent& a, const FlowEvent& b) {
        return std::tuple(key(a), !a.is_start, a.event) < std::tuple(key(b), !b.is_start, b.event);
    });
    FlowLinks result;
    for (auto first = flows.begin(); first != flows.end();) {
        const auto end =
            std::find_if(first, flows.end(), [&](const FlowEvent& flow) { return key(flow) != key(*first); });
        const bool is_matched = first->is_start && !(end - 1)->is_start && first->id != no_id;
        if (!is_matched) result.unmatched += static_cast<std::uint64_t>(end - first);
        for (auto flow = first + 1; is_matched && flow != end; ++flow) {
            if (flow->is_start) {
                ++result.unmatched;  // a second start of the same id
            } else {
                result.links.push_back({first->event, flow->event});
            }
        }
        first = end;
    }
    std::sort(result.links.begin(), result.links.end(),
              [](FlowLink a, FlowLink b) { return std::pair(a.start, a.finish) < std::pair(b.start, b.finish); });
    return result;
}

}  // namespace overlap
