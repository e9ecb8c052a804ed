#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/job/measured/measured_job.h"

namespace overlap::job {

/// A stretch of a measured rank's time as it lies over the job's.
struct MeasuredSpan {
    enum class Kind : std::uint8_t {
        action,         ///< of the schedule
        compute,        ///< of no action
        communication,  ///< on a stream of its own
        waiting,        ///< nothing computes: the peer that the next action needs had not ended
        transfer,       ///< nothing computes, and communication runs or what the peer sent is on its way
        idle,           ///< nothing runs
    } kind = Kind::action;
    std::uint32_t rank = 0;  ///< index of MeasuredJob::ranks
    TimeRange time;
    std::int64_t exposed_ns = 0;  ///< of an action: nothing computes, with its own collectives after its last compute
    std::string name;             ///< `3F5`; of communication its kind; of waiting whom for, `2F5 of rank 2`
    Action action{-1, no_microbatch, ActionKind::forward};  ///< the first of the cell; stage -1: of no action
    std::optional<NodeIndex> predicted;                     ///< the same action in the job's step
    std::optional<std::size_t> on;  ///< of waiting and of what a peer sent: its action, index of MeasuredOverJob::spans
};

/// A measured rank beside the class of ranks that it is in.
struct MeasuredFigures {
    std::uint32_t figures = 0;  ///< of its class: index of JobResult::classes, and of rank_rows()
    std::string left_out;       ///< why it is not laid over the job as it is now; empty: it is
    double compute_ms = 0;      ///< within span_of_job()
    double standing_ms = 0;     ///< the rest of the step
    /// Until the peers that its actions needed had ended; zero where it needs none. None where one of these was not
    /// measured, where no action is named, and of programs.
    std::optional<double> waiting_ms;
    /// The same as the job's step has them, where the step is its own.
    double predicted_compute_ms = 0, predicted_standing_ms = 0, predicted_waiting_ms = 0;
};

/// A measured step beside the step of the job as it is now. Shared and immutable.
struct MeasuredOverJob {
    std::shared_ptr<const MeasuredJob> measured;
    std::vector<MeasuredFigures> ranks;  ///< of each of MeasuredJob::ranks
    std::vector<MeasuredSpan> spans;     ///< by rank
    /// What the measured ranks took, and what the same ranks are predicted to take: less than the job's step where no
    /// whole pipeline was measured.
    double step_ms = 0, predicted_ms = 0;
    std::int64_t begin_ns = 0;  ///< in the job's step, of what was measured: where its first rank is predicted to begin
    /// Why step and sums of the two are not compared, since they are not of the same step; empty: they are. Without
    /// full stop.
    std::string not_compared;

    /// `rank 3`.
    std::string rank_name(std::uint32_t rank) const;
    /// How much longer an action took than it is predicted to; nothing where the job's step does not have it.
    std::optional<double> difference_ms(const JobEvaluation& evaluation, const MeasuredSpan& span) const;
};

/// Ranks that are not of the job as it is now are left out, with the reason. Steps are compared where no rank is left
/// out, all are on one clock, and the highest microbatch that was measured is the job's. What a rank stood still for
/// before an action is split as the job's rules do (core/job/README.md): waiting up to the end of the action whose
/// message it needs, if that was measured and ended within it, and transfer from there. Where the message was sent
/// before, what is told is whether communication runs.
/// @param evaluation of a job that runs.
MeasuredOverJob measured_over_job(const JobEvaluation& evaluation, std::shared_ptr<const MeasuredJob> measured);

}  // namespace overlap::job
