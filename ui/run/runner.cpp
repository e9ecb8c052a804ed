#include "ui/run/runner.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <utility>

#include "core/io/graph_file.h"
#include "core/io/plan/plan_file.h"
#include "core/io/run_file.h"
#include "core/pipeline/time_source.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {
namespace {

constexpr qsizetype most_lines = 2000;  ///< that a failure is looked for in

std::string path(const QString& file) {
    return QFile::encodeName(file).toStdString();
}

/// Letters that no file system minds.
QString asFileName(QString name) {
    static const QRegularExpression other(QStringLiteral("[^\\w.-]+"));
    return name.replace(other, QStringLiteral("_")).left(80);
}

/// Takes a file to where it stays. @returns its path there; where it was if it cannot be moved.
QString keep(const QString& file, const QString& folder, const QString& stem) {
    const QString kept = QDir(folder).filePath(stem + u'.' + QFileInfo(file).fileName());
    return !folder.isEmpty() && QDir().mkpath(folder) && QFile::copy(file, kept) ? kept : file;
}

/// The trace of rank 0 and those of the others, as overlap-runner names them; those that were written.
QStringList tracesOf(const QString& first) {
    QStringList traces;
    const QString stem = first.chopped(QStringLiteral(".json").size());
    for (QString trace = first; QFile::exists(trace);
         trace = stem + QStringLiteral(".rank%1.json").arg(traces.size())) {
        traces.append(trace);
    }
    return traces;
}

QByteArray contentOf(const QString& file) {
    QFile opened(file);
    return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
}

/// The times that figures are of, with the kernels that the runner has launched.
std::vector<double> predictedTimes(const Graph& graph, const TimeSource* source, bool as_compiled) {
    if (!source || as_compiled) return sourced_times(graph, source).times_ms;
    TimeSource one_by_one = *source;
    one_by_one.compilation.reset();
    return sourced_times(graph, &one_by_one).times_ms;
}

std::shared_ptr<const MeasuredNodes> measuredNodes(const std::shared_ptr<const Graph>& graph, const TimeSource* source,
                                                   bool as_compiled, const QByteArray& run) {
    const RunnerTimes times = read_run_text({run.constData(), static_cast<std::size_t>(run.size())}, "run.json");
    return std::make_shared<const MeasuredNodes>(
        MeasuredNodes{graph, run_differences(*graph, predictedTimes(*graph, source, as_compiled), times)});
}

}  // namespace

Runner::Runner(QObject* parent) : QObject(parent) {
    connect(&process_, &RunProcess::progressed, this, &Runner::progressed);
    connect(&process_, &RunProcess::said, this, [this](const QString& line) {
        if (lines_.size() < most_lines) lines_.append(line);
        emit said(line);
    });
    connect(&process_, &RunProcess::ended, this, &Runner::readResult);
    for (LatestTask* task : {&files_, &reading_}) connect(task, &LatestTask::busyChanged, this, &Runner::stateChanged);
}

RunFiles Runner::filesIn(const QString& folder) const {
    const QDir in(folder);
    return {in.filePath("run.graph.json"), input_.plan ? in.filePath("run.plan.json") : QString(),
            in.filePath("run.json"), in.filePath("trace.json")};
}

void Runner::start(const RunInput& input, RunMode mode, const RunSettings& settings,
                   const RunEnvironment& environment) {
    if (busy()) return;
    input_ = input;
    mode_ = mode;
    settings_ = settings;
    environment_ = environment;
    cancelled_ = false;
    lines_.clear();
    const bool local = settings.where == RunSettings::Where::this_machine;
    // Qt makes such folders readable by their owner alone.
    folder_ = std::make_unique<QTemporaryDir>((local ? QDir::tempPath() : settings.folder) +
                                              QStringLiteral("/overlap-run-XXXXXX"));
    if (!folder_->isValid())
        return finish({.failure = tr("No folder for the files of the run: %1").arg(folder_->errorString())});
    files_.start([this, input, files = filesIn(folder_->path())](std::stop_token) -> LatestTask::Delivery {
        try {
            write_graph_file(*input.graph, path(files.graph));
            if (input.plan) write_plan_file(*input.plan, path(files.plan));
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] { finish({.failure = reason}); };
        }
        return [this, files] { launch(files); };
    });
}

void Runner::launch(const RunFiles& files) {
    if (cancelled_) return finish({.cancelled = true});
    process_.start(runCommand(settings_, environment_, mode_, files, compiled()));
    emit stateChanged();
}

std::optional<CompiledScope> Runner::compiled() const {
    if (!settings_.as_compiled || !input_.times || !input_.times->compilation) return std::nullopt;
    return input_.times->compilation->scope;
}

void Runner::cancel() {
    if (!busy() || cancelled_) return;
    cancelled_ = true;
    process_.end();
    emit stateChanged();
}

void Runner::readResult(int status) {
    if (cancelled_) return finish({.cancelled = true});
    if (status != 0) return finish({.failure = failureOf(lines_, status)});
    const QString stem = asFileName(input_.name) + QDateTime::currentDateTime().toString("-yyyyMMdd-HHmmss-zzz");
    reading_.start([this, files = filesIn(folder_->path()), stem, folder = keep_folder_, rewritten = input_.rewritten,
                    times = input_.times, asked = compiled()](std::stop_token) -> LatestTask::Delivery {
        RunOutcome outcome;
        const QByteArray text = contentOf(files.result);
        const std::optional<RunResult> result = readRunResult(text);
        if (!result) {
            outcome.failure = tr("overlap-runner ended without a result that can be read");
        } else if (result->graph_digest.toStdString() != fingerprint(*rewritten).digest) {
            outcome.failure =
                tr("The runner made another graph of this plan than is shown here; it is of another version");
        } else {
            outcome.result = *result;
            if (times && times->compilation) outcome.compiled = times->compilation->scope;
            if (!result->dry) {
                try {
                    const bool as_compiled = asked && *asked == result->compiled;
                    if (result->exposed_ms) outcome.nodes = measuredNodes(rewritten, times.get(), as_compiled, text);
                } catch (const std::exception& error) {
                    outcome.failure = reasonOf(error);
                    return [this, outcome] { finish(outcome); };
                }
                outcome.result_file = keep(files.result, folder, stem);
                // Without recorded kernels there is no timeline.
                for (const QString& trace : tracesOf(files.trace))
                    outcome.trace_files.append(keep(trace, folder, stem));
            }
        }
        return [this, outcome] { finish(outcome); };
    });
}

void Runner::finish(const RunOutcome& outcome) {
    if (!outcome.result_file.isEmpty() && folder_) kept_.push_back(std::move(folder_));
    folder_.reset();
    cancelled_ = false;
    emit finished(outcome);
    emit stateChanged();
}

}  // namespace overlap::ui
