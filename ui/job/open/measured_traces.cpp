#include "ui/job/open/measured_traces.h"

#include <QFile>

#include "core/base/error.h"
#include "core/io/trace_file.h"
#include "ui/tasks/released_elsewhere.h"
#include "ui/tasks/task_failure.h"

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
            QStringList there, left_out;
            for (const QString& file : files) {
                const std::string name = QFile::encodeName(file).toStdString();
                try {
                    auto trace = read_trace_file(name, reading);
                    if (!trace || stop.stop_requested()) return {};
                    traces.push_back({name, std::move(trace)});
                    there.append(file);
                } catch (const InputError& error) {
                    // One that is gone takes no others away; where none is left, it is the reason.
                    if (unfit == job::UnfitRanks::refused || (traces.empty() && file == files.back())) throw;
                    left_out.append(QString::fromUtf8(error.what()));
                }
            }
            auto measured = releasedElsewhere(
                std::make_shared<const job::MeasuredJob>(job::measured_job(*evaluation, traces, unfit)));
            return [this, left_out, read = MeasuredTraces{there, std::move(measured)}] {
                if (!left_out.isEmpty()) emit leftOut(left_out);
                emit done(read);
            };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] { emit failed(reason); };
        }
    });
}

}  // namespace overlap::ui
