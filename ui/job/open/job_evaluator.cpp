#include "ui/job/open/job_evaluator.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "core/base/error.h"
#include "core/job/document/files_of_job.h"
#include "core/job/run_job.h"
#include "core/job/variation.h"
#include "ui/job/open/job_source.h"
#include "ui/tasks/released_elsewhere.h"

namespace overlap::ui {
namespace {

constexpr std::size_t kept_plans = 2;  ///< of a stage: the job's, and that of before

job::PipelineOptions optionsOf(const JobRequest& request, const std::stop_token& stop) {
    job::PipelineOptions options;
    options.folder = request.folder;
    options.evaluator = StageTimes::evaluator(request.times, request.plans);
    options.stop = stop;
    return options;
}

QString sentenceOf(const InputError& error, const std::string& file) {
    return QString::fromUtf8(error.file().empty() ? error.in_file(file).what() : error.what());
}

}  // namespace

FileStamps stampsOfFiles(const job::JobDocument& job, const std::string& folder) {
    FileStamps stamps;
    for (const std::string& path : job::files_of_job(job, folder)) {
        const QString file = QFile::decodeName(QByteArray::fromStdString(path));
        stamps.push_back({fileStamp(file), QFileInfo(file).isReadable()});
    }
    return stamps;
}

job::JobDocument withoutDraws(const job::JobDocument& job) {
    job::JobDocument calm = job;
    calm.variation = job::without_draws(job);
    return calm;
}

StageTimes::StageTimes(const std::string& folder) : stages_(folder, readGraphOfStage) {}

job::StageEvaluator StageTimes::evaluator(const std::shared_ptr<StageTimes>& times, StagePlans plans) {
    return [times, plans = std::move(plans)](const job::StageSpec& stage, std::size_t number) {
        return times->of(stage, number, number < plans.size() ? plans[number] : nullptr);
    };
}

std::size_t StageTimes::evaluations() const {
    const std::lock_guard lock(mutex_);
    return stages_.evaluations();
}

job::GraphStageTimes StageTimes::of(const job::StageSpec& stage, std::size_t number,
                                    const std::shared_ptr<const Plan>& plan) {
    const std::lock_guard lock(mutex_);
    if (!plan || stage.graph.empty()) return stages_.times(stage);
    std::list<Known>& known = of_plans_[number];
    const auto same = std::ranges::find(known, plan, &Known::plan);
    if (same != known.end()) {
        known.splice(known.begin(), known, same);
    } else {
        known.push_front({plan, stages_.times(stage, *plan)});
        if (known.size() > kept_plans) known.pop_back();
    }
    return known.front().times;
}

JobEvaluator::JobEvaluator(QObject* parent) : QObject(parent) {
    connect(&task_, &LatestTask::busyChanged, this, &JobEvaluator::busyChanged);
    connect(&table_task_, &LatestTask::busyChanged, this, [this] { emit busyChanged(busy()); });
}

void JobEvaluator::request(JobRequest request) {
    table_task_.cancel();
    task_.start([this, request = std::move(request)](std::stop_token stop) -> LatestTask::Delivery {
        QElapsedTimer timer;
        timer.start();
        JobAnswer answer;
        answer.files = stampsOfFiles(*request.document, request.folder);
        if (request.asks_graphs) answer.graphs = graphsAsTheyAre(*request.document, request.read_from);
        try {
            auto job = std::make_shared<const job::JobDocument>(
                withoutDraws(job::changed_job(*request.document, request.changes, request.folder)));
            if (stop.stop_requested()) return {};
            auto evaluation = job::evaluate_job(std::move(job), optionsOf(request, stop));
            if (stop.stop_requested()) return {};
            answer.picture = releasedElsewhere(job::job_picture(std::move(evaluation), request.measured));
        } catch (const InputError& error) {
            answer.refusal = sentenceOf(error, request.file);
            answer.stages = job::stage_figures(*request.document, optionsOf(request, stop));
        }
        answer.evaluated_ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        return [this, request, answer] {
            emit answered(answer);
            compare(request, answer.picture ? answer.picture->evaluation->result.step_ms : std::nullopt);
        };
    });
}

void JobEvaluator::compare(const JobRequest& request, std::optional<double> step_ms) {
    table_task_.start([this, request, step_ms](std::stop_token stop) -> LatestTask::Delivery {
        JobComparison comparison;
        try {
            if (!request.document->has_programs)
                comparison.schedules =
                    job::schedule_table(withoutDraws(*request.document), optionsOf(request, stop), request.changes);
            if (stop.stop_requested()) return {};
            comparison.step_ms = step_ms;
            if (step_ms && !request.document->has_programs)
                comparison.what_ifs =
                    job::what_ifs(withoutDraws(job::changed_job(*request.document, request.changes, request.folder)),
                                  optionsOf(request, stop));
            if (stop.stop_requested()) return {};
            if (job::asks_for_draws(*request.document))
                comparison.spread = job::run_job(job::changed_job(*request.document, request.changes, request.folder),
                                                 optionsOf(request, stop))
                                        .spread;
        } catch (const InputError&) {
            // The answer has told it.
        }
        if (stop.stop_requested()) return {};
        return [this, comparison = std::move(comparison)] { emit compared(comparison); };
    });
}

void JobEvaluator::cancel() {
    task_.cancel();
    table_task_.cancel();
}

}  // namespace overlap::ui
