#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/measured_trace.h"

namespace overlap {

/// A collective of a measured step.
struct StepCollective {
    std::uint32_t collective = 0;  ///< index into MeasuredTrace::collectives()
    TimeRange range;
    std::uint32_t group = no_index;  ///< index into MeasuredTrace::groups(), or no_index
    std::uint32_t track = 0;         ///< its stream
    CollectiveKind kind = CollectiveKind::none;
    std::int64_t bytes = 0;                 ///< larger of input and output; 0 where unknown
    std::optional<std::int64_t> launch_ns;  ///< when the host's call began
    std::int64_t beside_compute_ns = 0;     ///< while compute ran
    std::int64_t beside_others_ns = 0;      ///< while collectives of other streams ran
    std::int64_t exposed_ns = 0;            ///< while no compute ran
    /// How long neither compute nor copies nor its own stream had run when it started. 0 at the step's beginning.
    std::int64_t idle_before_ns = 0;

    std::int64_t length_ns() const { return range.length_ns(); }
};

/// One step of one GPU.
struct MeasuredStepData {
    std::shared_ptr<const MeasuredTrace> trace;
    std::string device;  ///< its number, as the trace writes it
    std::string name;    ///< `ProfilerStep#3`; empty where the trace has no steps and all of it counts as one
    TimeRange span;      ///< from the first GPU event to the end of the last; waits left out
    std::int64_t compute_ns = 0, communication_ns = 0;
    std::int64_t exposed_ns = 0;              ///< communication while no compute ran; no moment counts twice
    std::vector<StepCollective> collectives;  ///< in order of start
};

/// Which step of a trace. What is empty is chosen: the first GPU, and of its steps the last one that counts
/// (first_step_left_out()).
struct StepSelection {
    std::string device;
    std::string step;  ///< name, or its number: `ProfilerStep#3` or `3`
};

/// A GPU of a trace with what can be selected of it.
struct MeasuredDevice {
    std::string device;              ///< its number, as the trace writes it
    std::vector<std::string> steps;  ///< their names, in order of time; empty where the trace has none
    std::size_t last_counted = 0;    ///< index into `steps` of the one that is chosen unless asked for another
};

/// The GPUs that ran something, by number. Empty where the trace has no GPU events.
std::vector<MeasuredDevice> measured_devices(const MeasuredTrace& trace);

/// @throws InputError that names what there is: no such GPU or step, no GPU events.
MeasuredStepData measured_step(std::shared_ptr<const MeasuredTrace> trace, const StepSelection& selection = {});

}  // namespace overlap
