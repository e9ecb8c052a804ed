#pragma once

#include <QStringList>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/measure/measured_step.h"
#include "core/passes/pass.h"
#include "core/timeline/timeline.h"
#include "core/trace/collective_alignment.h"
#include "core/trace/measured_trace.h"
#include "core/trace/trace_statistics.h"

namespace overlap::ui {

/// Traces of one or several ranks of a job as the application holds them. Nothing changes once it is open.
struct Measurement {
    QString title;
    QStringList files;                                         ///< one a rank
    std::vector<std::shared_ptr<const MeasuredTrace>> traces;  ///< in the order of `files`
    std::vector<std::vector<MeasuredDevice>> devices;          ///< of each rank, what can be chosen of it
    std::vector<std::vector<DeviceTimes>> times;               ///< of each rank, how its GPUs use their time
    AlignedRanks aligned;                                      ///< clocks of the ranks against the first one's
    std::shared_ptr<const Timeline> timeline;     ///< of all ranks, on one axis; see eventOf() for its references
    std::int64_t origin_ns = 0;                   ///< time of the first trace's clock at zero of `timeline`
    std::vector<std::uint32_t> first_references;  ///< of each rank's events in `timeline`
    std::vector<Problem> problems;                ///< why its figures are to be read with care, the worst first

    /// An event of `timeline` by its reference.
    struct Event {
        std::size_t rank = 0;  ///< index into `traces`
        std::uint32_t event = 0;
    };
    Event eventOf(std::uint32_t reference) const;
    /// `Rank 3`, or, where a trace does not say its rank, its file's name.
    QString rankName(std::size_t rank) const;
    /// True where a rank's trace is a simulated step that was written as a trace.
    bool isSimulated() const;
};

/// Times of the first GPU of a measurement's first rank, as means of its counted steps; see device_times().
struct MeasuredFigures {
    std::size_t steps = 0;  ///< 1 where the trace has none and all of it counts as one
    double step_ms = 0, communication_ms = 0, exposed_ms = 0;
    bool has_gpu = false;
};
MeasuredFigures measuredFigures(const Measurement& measurement);

/// The outcome of opening files: measurements, and a sentence without full stop for each file that could not be read.
struct ReadMeasurements {
    std::vector<std::shared_ptr<Measurement>> measurements;
    QStringList failures;
};

/// Reads traces. Those that say their rank, all different ones, are ranks of one job and make one measurement; any
/// other file is a measurement of its own. @param progress share of all files that has been read, from 0 to 1, on the
/// calling thread. A file that cannot be read leaves the others. @returns nothing when stopped.
ReadMeasurements readMeasurements(const QStringList& files, std::stop_token stop,
                                  const std::function<void(double share)>& progress);

}  // namespace overlap::ui
