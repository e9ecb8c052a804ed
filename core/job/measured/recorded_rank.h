#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/job/schedules/action.h"
#include "core/timeline/interval_union.h"
#include "core/trace/measured_trace.h"

namespace overlap::job {

/// An action of a pipeline schedule as a trace has it: from the first to the last compute that was launched in it.
struct RecordedAction {
    std::string name;          ///< `3F5`, `(0F3;3B1)OVERLAP_F_B`
    std::vector<Action> cell;  ///< the actions in it
    TimeRange time;
    std::int64_t exposed_ns = 0;  ///< of `time`: nothing computes
};

/// Communication of one kind.
struct RecordedCommunication {
    std::string kind;    ///< `all_gather`
    std::string action;  ///< in which it was launched; empty: in none
    TimeRange time;
};

/// What one step of a rank's trace has, on the trace's clock.
struct RecordedStep {
    std::string name;                     ///< `ProfilerStep#7`; empty where the trace has no steps and all of it is one
    std::vector<RecordedAction> actions;  ///< in order of time
    std::vector<RecordedCommunication> communication;  ///< in order of time
    IntervalUnion computing, communicating;
    IntervalUnion of_no_action;  ///< compute that was launched in no action, such as the optimizer's
};

/// The rank that a trace of PyTorch's profiler says it is of (`distributedInfo`).
/// @throws InputError with the file, where it does not say so.
std::int64_t rank_of_trace(const MeasuredTrace& trace, const std::string& file);

struct RecordedRank {
    std::string file;  ///< for messages
    std::int64_t rank = 0;
    std::optional<std::int64_t> world_size;
    /// Those that have any work; the last of several is left out, since the recording may have cut it off.
    std::vector<RecordedStep> steps;
};

/// A rank's part of a pipeline's steps. Actions are the profiler's annotations: `PP:3F5`, as
/// `torch.distributed.pipelining` writes them for schedules of several stages a rank (schedules.py,
/// _get_profiler_function_name), and `Forward 5`, `Backward 5` of ScheduleGPipe, whose stage is `one_stage`. Work
/// belongs to the innermost annotation in which it was launched. Without a GPU, operators of the host are the compute.
/// @param one_stage that the rank runs; negative: several, or unknown.
/// @throws InputError with the file: a trace that does not say its rank, has several GPUs, or no work.
RecordedRank recorded_rank(const MeasuredTrace& trace, const std::string& file, std::int32_t one_stage);

}  // namespace overlap::job
