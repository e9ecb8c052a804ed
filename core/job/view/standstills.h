#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/job/job_evaluation.h"

namespace overlap::job {

/// A stretch of time in which a rank computes nothing.
struct StandstillSpan {
    enum class Kind : std::uint8_t {
        waiting,   ///< for a peer, which is not there yet
        transfer,  ///< what the rank needs is on its way
        within,    ///< communication that is exposed within an action, shown at its end
        after,     ///< nothing is left to do in this step but to wait for gradients
        stuck,     ///< for ever: the job cannot run
    } kind = Kind::waiting;
    double begin_ms = 0, end_ms = 0;
    NodeIndex node = 0;           ///< which it stands still before, or within; of `after` the rank's last action
    std::optional<NodeIndex> on;  ///< whom it waits for; of `stuck` none where that is nowhere in the job

    double length_ms() const { return end_ms - begin_ms; }
};

/// Up to when views draw a job: the end of its step. Where it cannot run, some time after all ranks stand still.
double end_of_picture_ms(const JobEvaluation& evaluation);

/// Of each row of rank_rows(), in order of time.
std::vector<std::vector<StandstillSpan>> standstills(const JobEvaluation& evaluation);

/// Why a rank stands still for ever that waits for nothing of the job: `rank 1 never comes`, or `the members disagree
/// on bytes, 4 and 8`. Empty for all other spans.
std::string never_comes_text(const JobEvaluation& evaluation, const StandstillSpan& span);

/// `waits for 2F5 of rank 2`: why, without a full stop.
std::string standstill_text(const JobEvaluation& evaluation, const StandstillSpan& span);

}  // namespace overlap::job
