#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/job/job_evaluation.h"
#include "core/job/measured/recorded_rank.h"

namespace overlap::job {

/// A trace with the name that messages call it by.
struct NamedTrace {
    std::string file;
    std::shared_ptr<const MeasuredTrace> trace;
};

/// A rank of a measured step. Times are of the job's clock, in which the step begins at zero.
struct MeasuredRank {
    std::string file;
    std::int64_t rank = 0;
    std::optional<std::int64_t> world_size;
    RecordedStep recorded;
};

/// One step of a job as traces of its ranks have it. Immutable once made.
struct MeasuredJob {
    std::string step;                 ///< `ProfilerStep#7`; may be empty
    std::size_t steps = 1;            ///< of which it is the one of median length
    std::vector<MeasuredRank> ranks;  ///< by number
    std::int64_t length_ns = 0;       ///< from the first begin to the last end on any rank
    bool of_one_clock = true;         ///< false: nothing says how far the clocks of its pipelines are apart
    std::vector<std::string> notes;   ///< what is to be known of it, such as how clocks were brought together
};

/// What of a step counts as the job's: from the first action to the end of the last, with communication that was
/// launched in them, since a job is simulated without optimizer. All work where no action is named.
TimeRange span_of_job(const RecordedStep& step);

/// What becomes of a trace that is not of the job as it is now (reason_against()).
enum class UnfitRanks : std::uint8_t {
    refused,
    kept,  ///< measured_over_job() leaves them out with the reason, until the job has them
};

/// The step of median length of those that all ranks have, on one clock. Where collectives connect all ranks, the
/// clocks' distances are from these (align_ranks()). Else ranks of one pipeline are believed to share a clock as far as
/// messages of their actions allow it: what a message brings cannot begin before what sends it has ended. Where both
/// ways of a message contradict that, the clock is put in the middle between them. Pipelines are shifted as a whole, so
/// that the collectives that they share end together.
/// @param evaluation of the job as it is now; it has run.
/// @throws InputError with the file: a trace that is not of this job, where these are refused, a rank that is there
/// twice, no step that all ranks have.
MeasuredJob measured_job(const JobEvaluation& evaluation, std::span<const NamedTrace> traces,
                         UnfitRanks unfit = UnfitRanks::refused);

/// The ranks of a job, which those that were measured must be among.
struct JobRanks {
    std::span<const RankResult> ranks;
    std::span<const std::vector<std::int32_t>> stages_of;  ///< of each pipeline rank; empty for programs
    std::int32_t microbatches = 0;
};

/// The stage of a rank that runs only one; -1 where it runs several, of programs, and of a rank that there is not.
std::int32_t one_stage_of(const JobRanks& job, std::int64_t rank);

/// Why a measured rank is not one of the job as it is now: a rank that it does not have, another number of ranks,
/// stages or microbatches that the rank does not run. Without full stop; empty: it can be one.
std::string reason_against(const JobEvaluation& evaluation, const MeasuredRank& rank);
std::string reason_against(const JobRanks& job, const MeasuredRank& rank);

}  // namespace overlap::job
