#include "ui/job/measured_traces.h"

#include <QFile>

#include "core/base/error.h"
#include "core/io/trace_file.h"
#include "ui/tasks/released_elsewhere.h"

namespace overlap::ui {

MeasuredTraceReader::MeasuredTraceReader(QObject* parent) : QObject(parent) {
    connect(&task_, &LatestTask::busyChanged, this, &MeasuredTraceReader::busyChanged);
}

void MeasuredTraceReader::read(const QStringList& files, std::shared_ptr<const job::JobEvaluation> evaluation,
                               job::UnfitRanks unfit) {
    task_.start([this, files, unfit, evaluation = std::move(evaluation)](std::stop_token stop) -> LatestTask::Delivery {
        try {
            std::vector<job::NamedTrace> traces;
            TraceReading reading;
            reading.stop = stop;
            for (const QString& file : files) {
                const std::string name = QFile::encodeName(file).toStdString();
                auto trace = read_trace_file(name, reading);
                if (!trace || stop.stop_requested()) return {};
                traces.push_back({name, std::move(trace)});
            }
            auto measured = releasedElsewhere(
                std::make_shared<const job::MeasuredJob>(job::measured_job(*evaluation, traces, unfit)));
            return [this, read = MeasuredTraces{files, std::move(measured)}] { emit done(read); };
        } catch (const InputError& error) {
            return [this, reason = QString::fromUtf8(error.what())] { emit failed(reason); };
        }
    });
}

}  // namespace overlap::ui
