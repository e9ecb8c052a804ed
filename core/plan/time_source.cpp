#include "core/plan/time_source.h"

#include <utility>

#include "core/cost/cost_model.h"
#include "core/cost/profile_guided_times.h"

namespace overlap {

SourcedTimes sourced_times(const Graph& graph, const TimeSource* source) {
    std::vector<double> own_ms = node_times_ms(graph);
    if (!source) return {std::move(own_ms)};
    ProfileGuidedTimes known = profile_guided_times(graph, source->tables, own_ms);
    return {std::move(known.times_ms), known.collectives, known.operators};
}

}  // namespace overlap
