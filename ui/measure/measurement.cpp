#include "ui/measure/measurement.h"

#include <QFile>
#include <QFileInfo>
#include <QObject>
#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/io/trace_file.h"
#include "core/measure/measurement_problems.h"
#include "core/timeline/timeline_stack.h"
#include "core/trace/measured_timeline.h"
#include "core/trace/ranks_of_job.h"
#include "core/trace/trace_statistics.h"
#include "ui/tasks/released_elsewhere.h"

namespace overlap::ui {

namespace {

using Traces = std::vector<std::shared_ptr<const MeasuredTrace>>;

/// When the first event that lasts begins. Metadata events have times of their own, often zero.
std::int64_t firstStart(const MeasuredTrace& trace) {
    const MeasuredEvents& events = trace.events();
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t event = 0; event < events.size(); ++event)
        if (events.is_interval(event)) first = std::min(first, events.start_ns[event]);
    return first == std::numeric_limits<std::int64_t>::max() ? 0 : first;
}

void makeTimeline(Measurement& measurement) {
    const std::size_t count = measurement.traces.size();
    measurement.origin_ns = std::numeric_limits<std::int64_t>::max();
    for (std::size_t rank = 0; rank < count; ++rank)
        measurement.origin_ns = std::min(measurement.origin_ns, firstStart(*measurement.traces[rank]) +
                                                                    measurement.aligned.ranks[rank].clock_offset_ns);
    std::uint32_t references = 0;
    for (const auto& trace : measurement.traces) {
        measurement.first_references.push_back(references);
        references += trace->events().size();
    }
    std::vector<TimelinePart> parts;
    const auto add = [&](std::size_t rank, MeasuredTimelineOptions options) {
        options.clock_offset_ns = measurement.aligned.ranks[rank].clock_offset_ns - measurement.origin_ns;
        const std::string prefix = count == 1 ? std::string() : measurement.rankName(rank).toStdString().append(" · ");
        parts.push_back(
            {measured_timeline(*measurement.traces[rank], options), prefix, 0, measurement.first_references[rank]});
    };
    if (count == 1) {
        add(0, {});
        measurement.timeline = parts.front().timeline;
        return;
    }
    // What is compared are the GPUs: those of all ranks stand together, and the threads of their hosts below them.
    for (std::size_t rank = 0; rank < count; ++rank) add(rank, {.host_threads = false, .python_functions = false});
    for (std::size_t rank = 0; rank < count; ++rank) add(rank, {.gpu_streams = false});
    measurement.timeline = stack_timelines(parts);
}

void findProblems(Measurement& measurement) {
    const std::size_t count = measurement.traces.size();
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < count; ++rank) names.push_back(measurement.rankName(rank).toStdString());
    measurement.problems = alignment_problems(measurement.aligned, names);
    for (std::size_t rank = 0; rank < count; ++rank) {
        for (Problem& problem : trace_problems(*measurement.traces[rank])) {
            if (count > 1) problem.title.insert(0, names[rank] + " · ");
            measurement.problems.push_back(std::move(problem));
        }
    }
    std::ranges::stable_sort(measurement.problems, std::ranges::greater(), &Problem::severity);
}

/// Releasing these would take noticeable time.
constexpr std::size_t large_timeline_events = 200'000;

std::shared_ptr<Measurement> makeMeasurement(QStringList files, Traces traces) {
    auto measurement = std::make_shared<Measurement>();
    measurement->files = std::move(files);
    measurement->traces = std::move(traces);
    for (const auto& trace : measurement->traces) {
        measurement->devices.push_back(measured_devices(*trace));
        measurement->times.push_back(device_times(*trace));
    }
    measurement->aligned = align_ranks(measurement->traces);
    makeTimeline(*measurement);
    findProblems(*measurement);
    const bool large = measurement->timeline->event_count() >= large_timeline_events;
    return large ? releasedElsewhere(std::move(measurement)) : measurement;
}

}  // namespace

Measurement::Event Measurement::eventOf(std::uint32_t reference) const {
    const auto behind = std::upper_bound(first_references.begin(), first_references.end(), reference);
    const auto rank = static_cast<std::size_t>(behind - first_references.begin()) - 1;
    return {rank, reference - first_references[rank]};
}

bool Measurement::isSimulated() const {
    return std::ranges::any_of(traces, [](const auto& trace) { return trace->header().is_simulated; });
}

QString Measurement::rankName(std::size_t rank) const {
    if (const auto number = traces[rank]->header().rank) return QObject::tr("Rank %1").arg(*number);
    return QFileInfo(files[static_cast<qsizetype>(rank)]).fileName();
}

MeasuredFigures measuredFigures(const Measurement& measurement) {
    MeasuredFigures figures;
    const std::vector<DeviceTimes>& devices = measurement.times.front();
    if (devices.empty()) return figures;
    const DeviceTimes& device = devices.front();
    figures.has_gpu = true;
    GpuTimes sum;
    for (const StepTimes& step : device.steps) {
        if (!step.is_counted) continue;
        ++figures.steps;
        sum.span_ns += step.times.span_ns;
        sum.communication_ns += step.times.communication_ns;
        sum.exposed_ns += step.times.exposed_ns;
    }
    if (figures.steps == 0) {
        figures.steps = 1;
        sum = device.total;
    }
    const double to_ms = 1e-6 / static_cast<double>(figures.steps);
    figures.step_ms = static_cast<double>(sum.span_ns) * to_ms;
    figures.communication_ms = static_cast<double>(sum.communication_ns) * to_ms;
    figures.exposed_ms = static_cast<double>(sum.exposed_ns) * to_ms;
    return figures;
}

ReadMeasurements readMeasurements(const QStringList& files, std::stop_token stop,
                                  const std::function<void(double share)>& progress) {
    ReadMeasurements read;
    const auto count = static_cast<double>(files.size());
    Traces traces;
    QStringList sound;
    for (qsizetype file = 0; file < files.size(); ++file) {
        TraceReading reading;
        reading.stop = stop;
        reading.progress = [&](std::uint64_t done, std::uint64_t of) {
            const double share = of > 0 ? static_cast<double>(done) / static_cast<double>(of) : 0;
            progress((static_cast<double>(file) + share) / count);
        };
        try {
            auto trace = read_trace_file(QFile::encodeName(files[file]).toStdString(), reading);
            if (!trace || stop.stop_requested()) return {};
            traces.push_back(std::move(trace));
            sound.append(files[file]);
        } catch (const InputError& error) {
            read.failures.append(QString::fromUtf8(error.what()));
        }
    }
    if (traces.empty()) return read;
    if (are_ranks_of_one_job(traces)) {
        read.measurements.push_back(makeMeasurement(sound, std::move(traces)));
        return read;
    }
    for (std::size_t i = 0; i < traces.size(); ++i)
        read.measurements.push_back(makeMeasurement({sound[static_cast<qsizetype>(i)]}, {traces[i]}));
    return read;
}

}  // namespace overlap::ui
