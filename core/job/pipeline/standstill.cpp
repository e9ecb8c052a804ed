#include "core/job/pipeline/standstill.h"

#include <algorithm>

namespace overlap::job {

Standstill standstill_before(const PipelineStep& step, const StepTimes& times, NodeIndex node, double before_ms) {
    Standstill gap{before_ms, before_ms, std::max(before_ms, times.issued[node]), std::nullopt};
    if (gap.end_ms <= before_ms) return gap;
    const StepGraph& graph = step.graph;
    double end_ms = before_ms;
    for (std::uint32_t i = graph.first_dependency(node); i < graph.first_dependency(node + 1); ++i) {
        const NodeIndex on = graph.on()[i];
        if (times.end[on] + graph.delay_ms()[i] != times.issued[node]) continue;
        // A collective's members are waited for until it starts.
        const bool collective = step.piece(on).role == PieceRole::gradient_sync;
        const double until_ms = collective ? times.start[on] : times.end[on];
        if (!gap.on || until_ms > end_ms) gap.on = on;
        end_ms = std::max(end_ms, until_ms);
    }
    gap.waited_ms = std::min(end_ms, gap.end_ms);
    return gap;
}

/// A buffered receive is issued when its message is there.
double own_part_done(const StepGraph& graph, const StepTimes& times, NodeIndex node) {
    double done = 0;
    for (std::uint32_t i = graph.first_dependency(node); i < graph.first_dependency(node + 1); ++i) {
        const NodeIndex on = graph.on()[i];
        if (graph.rank(on) == graph.rank(node)) done = std::max(done, times.end[on]);
    }
    return done;
}

NodeIndex last_arrived(const StepGraph& graph, const StepTimes& times, NodeIndex node) {
    const std::uint32_t rendezvous = graph.rendezvous_of(node);
    if (rendezvous == no_rendezvous || times.issued[node] == times.start[node]) return node;
    for (const NodeIndex member : graph.members(rendezvous))
        if (times.issued[member] == times.start[node]) return member;
    return node;
}

}  // namespace overlap::job
