#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/job/job_evaluation.h"
#include "core/job/measured/measured_over_job.h"
#include "core/job/view/rank_rows.h"
#include "core/job/view/standstills.h"
#include "core/timeline/timeline.h"

namespace overlap::job {

/// A job's step as views draw it.
///
/// Each row of rank_rows() has a lane of its compute, and one below it for each kind of its collectives; of programs
/// one for each stream. The microbatch gives an action its hue, forward in a light and backward in a deep tone. Time in
/// which a rank waits for a peer is an event with role `idle`, time in which what it needs is on its way one with role
/// `exposed`. An event's reference is its node, and that of a standstill the node that it is before, plus the number of
/// nodes; after the last action of a rank it is that action, plus twice the number. Measured ranks lie below those that
/// they are among; references of theirs come after all others.
struct JobPicture {
    std::shared_ptr<const JobEvaluation> evaluation;
    std::vector<RankRow> rows;
    std::vector<std::vector<StandstillSpan>> standstills;  ///< of each row
    std::shared_ptr<const Timeline> timeline;              ///< up to the standstill where the job cannot run
    std::shared_ptr<const MeasuredOverJob> measured;       ///< null where there is none, or the job cannot run

    /// Of what comes before a node.
    std::uint32_t standstill_reference(NodeIndex node) const { return node_count() + node; }
    /// Of what comes after the last action of a rank.
    std::uint32_t after_reference(NodeIndex node) const { return 2 * node_count() + node; }
    std::uint32_t reference_of(const StandstillSpan& span) const;
    /// Where a node is seen: of one that never starts that is where its rank stands still for ever.
    std::uint32_t seen_at(NodeIndex node) const;
    /// Whether it is of a standstill, before a node or after the last one.
    bool is_standstill(std::uint32_t reference) const { return reference >= node_count(); }
    bool is_after(std::uint32_t reference) const { return reference >= 2 * node_count(); }
    /// What a reference of a measured event stands for; null for all others.
    const MeasuredSpan* measured_at(std::uint32_t reference) const {
        return measured && reference != no_reference && reference >= first_measured()
                   ? &measured->spans[reference - first_measured()]
                   : nullptr;
    }
    std::uint32_t first_measured() const { return 3 * node_count(); }
    /// The node that a reference is about, if it is of no measured event.
    NodeIndex node_of(std::uint32_t reference) const {
        return reference - (is_after(reference) ? 2 * node_count() : is_standstill(reference) ? node_count() : 0);
    }
    /// What a rank stands still for, in order of time: after its last action where the reference says so, otherwise
    /// before the node.
    std::vector<StandstillSpan> spans_at(std::uint32_t reference) const;

  private:
    NodeIndex node_count() const { return evaluation->graph().node_count(); }
};

/// @param measured lies over it; may be null.
std::shared_ptr<const JobPicture> job_picture(std::shared_ptr<const JobEvaluation> evaluation,
                                              std::shared_ptr<const MeasuredJob> measured = nullptr);

/// The stage and microbatch of the first action of a node of stages and a schedule, and whether it is a forward.
struct NodeAction {
    std::int32_t stage = 0, microbatch = -1;
    bool forward = false;
};
NodeAction action_of(const PipelineStep& step, NodeIndex node);

}  // namespace overlap::job
