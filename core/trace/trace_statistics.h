#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/measured_trace.h"

namespace overlap {

/// How a set of a GPU's activities uses its time. All are lengths of unions: no moment counts twice.
struct GpuTimes {
    std::uint64_t activities = 0;  ///< waits left out
    std::uint64_t unmatched = 0;   ///< activities whose launch is not in the trace
    std::int64_t begin_ns = 0;     ///< the first start
    std::int64_t span_ns = 0;      ///< from there to the last end
    std::int64_t compute_ns = 0;
    std::int64_t communication_ns = 0;
    std::int64_t exposed_ns = 0;  ///< communication while no compute runs
    std::int64_t memory_ns = 0;   ///< copies and fills
    std::int64_t idle_ns = 0;     ///< within the span, nothing runs

    /// Share of communication that compute covers, in percent; nothing where nothing communicates.
    std::optional<double> overlap_percent() const;
};

/// A step of one GPU: the activities that the host launched during it, as far as they are of that GPU.
struct StepTimes {
    std::string name;
    std::int64_t host_ns = 0;  ///< length of the step on the host
    GpuTimes times;
    bool is_counted = true;  ///< whether the GPU's totals have it
};

/// A GPU of a trace.
struct DeviceTimes {
    std::string device;  ///< its number, as the trace writes it
    /// All activities, or, where the trace has several steps, those launched before the last step: what the last step
    /// launches may have been cut off with the recording. HolisticTraceAnalysis leaves it out for that reason.
    GpuTimes total;
    std::vector<StepTimes> steps;  ///< those that launched something on this GPU
};

/// Times of each GPU, in the order of their numbers. An activity without a launch belongs to the step of the activity
/// in front of it on its stream, since streams work in order.
std::vector<DeviceTimes> device_times(const MeasuredTrace& trace);

/// What HolisticTraceAnalysis 0.5 says of the same trace (`get_temporal_breakdown`, `get_comm_comp_overlap`), for
/// comparison. It knows kernels by their names alone, rounds each event inwards to whole microseconds where times have
/// fractions, and counts waits for other streams as busy.
struct HolisticTimes {
    std::int64_t kernel_us = 0, compute_us = 0, non_compute_us = 0, idle_us = 0;
    std::optional<double> overlap_percent;
    /// Names of communication that its name filter takes for something else, with their number.
    struct Missed {
        std::string name;
        std::uint64_t events = 0;
    };
    std::vector<Missed> missed_collectives;
};

/// Nothing where no GPU event names a stream.
std::optional<HolisticTimes> holistic_times(const MeasuredTrace& trace);

}  // namespace overlap
