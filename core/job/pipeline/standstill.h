#pragma once

#include <optional>

#include "core/job/pipeline/pipeline_step.h"
#include "core/job/step/step_graph.h"

namespace overlap::job {

/// Time in which a rank does nothing before it issues a node: it waits for somebody, and then for what is on its way.
struct Standstill {
    double begin_ms = 0;          ///< what the rank did before has ended
    double waited_ms = 0;         ///< up to here it waits for `on`; what it brings is on its way from here
    double end_ms = 0;            ///< the node is issued
    std::optional<NodeIndex> on;  ///< whose message comes last, or the collective that is awaited
    double waiting_ms() const { return waited_ms - begin_ms; }
    double transfer_ms() const { return end_ms - waited_ms; }
};

/// The gap before a node of stages and a schedule; of no length where there is none. Up to the end of the action whose
/// message comes last it is waiting; what several messages bring at the same time is waited for until the last of their
/// actions has ended.
Standstill standstill_before(const PipelineStep& step, const StepTimes& times, NodeIndex node, double before_ms);

/// Of programs: when all that a node's own rank does before it had ended.
double own_part_done(const StepGraph& graph, const StepTimes& times, NodeIndex node);

/// The member that a node's rendezvous waited for: the node itself where it came last, else the first of those that
/// did.
NodeIndex last_arrived(const StepGraph& graph, const StepTimes& times, NodeIndex node);

}  // namespace overlap::job
