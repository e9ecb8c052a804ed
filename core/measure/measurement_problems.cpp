#include "core/measure/measurement_problems.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/number_text.h"
#include "core/base/trace_origin.h"
#include "core/base/wording.h"
#include "core/trace/trace_statistics.h"

namespace overlap {

namespace {

/// Ends of one collective on several ranks lie closer together than this where clocks agree.
constexpr std::int64_t rough_spread_ns = 100'000;

class Problems {
  public:
    void add(Severity severity, ProblemKind kind, std::string title, std::string message) {
        Problem& made = made_.emplace_back();
        made.severity = severity;
        made.kind = kind;
        made.title = std::move(title);
        made.message = std::move(message);
    }

    /// Nothing where `count` is 0.
    void add_counted(std::uint64_t count, const std::string& noun, Severity severity, ProblemKind kind,
                     std::string title, const std::string& rest) {
        if (count > 0) add(severity, std::move(kind), std::move(title), counted(count, noun).append(" ").append(rest));
    }

    std::vector<Problem> worst_first() {
        std::stable_sort(made_.begin(), made_.end(),
                         [](const Problem& a, const Problem& b) { return a.severity > b.severity; });
        return std::move(made_);
    }

  private:
    std::vector<Problem> made_;
};

void add_origin(const MeasuredTrace& trace, Problems& problems) {
    if (!trace.header().is_simulated) return;
    problems.add(Severity::caution, ProblemKind::simulated_times_as_measured, "Simulated",
                 std::string(nothing_was_measured) +
                     " that was written as a trace, so what agrees with it agrees with a prediction");
}

void add_missing_work(const MeasuredTrace& trace, Problems& problems) {
    if (trace.activities().empty()) {
        problems.add(Severity::caution, ProblemKind::no_gpu_events, "No GPU events",
                     std::string("the trace has no event of a GPU, so there is nothing to measure") +
                         (trace.header().is_simulated ? "" : "; was the profiler told to record CUDA?"));
        return;
    }
    if (!trace.collectives().empty()) return;
    const std::int64_t ranks = trace.header().world_size.value_or(0);
    if (ranks > 1 || !trace.header().groups.empty()) {
        problems.add(Severity::caution, ProblemKind::no_communication, "No communication",
                     "no collective was found on the GPU, although the trace is of a distributed job: its kernels are "
                     "missing from the recording, or their names are unknown");
    } else {
        problems.add(Severity::note, ProblemKind::no_communication, "No communication",
                     "no collective was found on the GPU");
    }
}

void add_launches(const TraceRemarks& remarks, Problems& problems) {
    problems.add_counted(
        remarks.launches_without_activity, "call", Severity::caution, ProblemKind::launches_without_gpu_event,
        "Lost GPU events",
        "that launched work without an event of it on the GPU: it may be missing, and idle time too long");
    problems.add_counted(remarks.starts_before_launch, "GPU event", Severity::caution,
                         ProblemKind::starts_before_launch, "Clocks of host and GPU",
                         "before the call that launched it: host and GPU do not agree on time");
    problems.add_counted(remarks.activities_without_launch, "GPU event", Severity::note,
                         ProblemKind::gpu_events_without_launch, "No launch",
                         "without the call that launched it in the trace, counted in the step of the event in front");
    problems.add_counted(remarks.overlapping_activities, "GPU event", Severity::note,
                         ProblemKind::overlapping_on_a_stream, "Overlap on a stream",
                         "beginning before the one in front on the same stream has ended, drawn in a row below");
}

void add_incomplete_events(const TraceRemarks& remarks, Problems& problems) {
    problems.add_counted(remarks.missing_durations, "event", Severity::caution, ProblemKind::missing_durations,
                         "Missing durations", "without a duration, taken as 0");
    problems.add_counted(remarks.negative_durations, "event", Severity::caution, ProblemKind::negative_durations,
                         "Negative durations", "with a negative duration, taken as 0");
    problems.add_counted(remarks.unclosed_begins, "event", Severity::caution, ProblemKind::unclosed_begins,
                         "Unfinished events", "begun and never ended, taken to last until the trace ends");
    problems.add_counted(remarks.unopened_ends, "event", Severity::note, ProblemKind::unopened_ends,
                         "Ends without a begin", "ended without having begun");
    problems.add_counted(remarks.unreadable_group_ranks, "collective", Severity::note,
                         ProblemKind::unreadable_group_ranks, "Ranks left out",
                         "with a list of ranks that was cut short or is none");
    problems.add_counted(remarks.not_understood, "event", Severity::note, ProblemKind::phases_not_understood,
                         "Not drawn", "of phases that are neither drawn nor summed, such as counters");
}

void add_holistic(const MeasuredTrace& trace, Problems& problems) {
    const auto holistic = holistic_times(trace);
    if (!holistic) return;
    for (const HolisticTimes::Missed& missed : holistic->missed_collectives) {
        problems.add(Severity::note, ProblemKind::missed_by_holistic_trace_analysis, "Other tools differ",
                     std::string("HolisticTraceAnalysis does not count ")
                         .append(missed.name)
                         .append(" as communication (")
                         .append(counted(missed.events, "event"))
                         .append("); these figures do"));
    }
}

std::string microseconds(std::int64_t time_ns) {
    return fixed_text(static_cast<double>(time_ns) * 1e-3, 0) + " µs";
}

}  // namespace

std::vector<Problem> trace_problems(const MeasuredTrace& trace) {
    Problems problems;
    add_origin(trace, problems);
    add_missing_work(trace, problems);
    add_launches(trace.remarks(), problems);
    add_incomplete_events(trace.remarks(), problems);
    add_holistic(trace, problems);
    return problems.worst_first();
}

std::vector<Problem> alignment_problems(const AlignedRanks& aligned, std::span<const std::string> names) {
    Problems problems;
    for (std::size_t rank = 1; rank < aligned.ranks.size(); ++rank) {
        const RankAlignment& alignment = aligned.ranks[rank];
        if (!alignment.is_aligned) {
            problems.add(Severity::caution, ProblemKind::clock_unknown, "Clock unknown",
                         std::string(names[rank])
                             .append(" shares no collective with ")
                             .append(names[0])
                             .append(": its clock cannot be aligned, and its events may stand at the wrong time"));
        } else if (alignment.spread_ns > rough_spread_ns) {
            problems.add(Severity::caution, ProblemKind::clock_rough, "Clock uncertain",
                         std::string(names[rank])
                             .append(" agrees with ")
                             .append(names[0])
                             .append(" on ends of collectives to ")
                             .append(microseconds(alignment.spread_ns))
                             .append(" only, so who arrived last is uncertain below that"));
        }
    }
    return problems.worst_first();
}

}  // namespace overlap
