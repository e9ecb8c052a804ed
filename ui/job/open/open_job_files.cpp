// Files of the open job that change while it is open.

#include <QFile>
#include <QJsonArray>
#include <algorithm>
#include <utility>

#include "core/job/document/files_of_job.h"
#include "ui/job/open/job_source.h"
#include "ui/job/open/kept_job.h"
#include "ui/job/open/open_job.h"

namespace overlap::ui {

void OpenJob::connectFiles() {
    const auto lookNow = [this] {
        if (looks_again_ && !evaluator_.busy() && !looking_.busy()) lookAtFiles();
    };
    connect(&evaluator_, &JobEvaluator::busyChanged, this, lookNow);
    connect(&looking_, &LatestTask::busyChanged, this, lookNow);
    connect(&watched_, &WatchedFiles::touched, this, [this] { lookAtFiles(); });
}

/// Those that the job was read from, and those that it is in.
void OpenJob::watchFiles() {
    QStringList files{file_};
    for (const StageFile& stage : files_) files << stage.graph << stage.plan;
    const std::string folder = QFile::encodeName(folderOfJob(read_from_)).toStdString();
    for (const std::string& file : job::files_of_job(*document_, folder))
        files << QFile::decodeName(QByteArray::fromStdString(file));
    files.removeIf([](const QString& file) { return file.isEmpty() || isEmbeddedFile(file); });
    watched_.watch(files);
}

void OpenJob::lookAtFiles(bool again) {
    if (!isOpen()) return;
    tells_again_ |= again;
    looks_again_ = evaluator_.busy() || looking_.busy();
    if (looks_again_) return;
    const std::string folder = QFile::encodeName(folderOfJob(read_from_)).toStdString();
    looking_.start([this, document = document_, from = read_from_, folder, read = graphs_, plans = watchedPlans(),
                    job = file_, digest = digest_, known = answer_.files, again = std::exchange(tells_again_, false),
                    refused = !answer_.refusal.isEmpty()](std::stop_token) -> LatestTask::Delivery {
        ChangedFiles changed =
            changedFiles(refused ? ReadGraphs() : read, refused ? std::vector<WatchedPlan>() : plans, job, digest);
        if (!refused)
            return [this, changed, again] {
                tellOf(changed, again);
                tellOfDocument(changed, again);
            };
        if (stampsOfFiles(*document, folder) == known)
            return [this, changed, again] { tellOfDocument(changed, again); };
        return [this, changed, again, files = plansOfFiles(*document, from)] {
            tellOfDocument(changed, again);
            readAgain(files);
        };
    });
}

std::vector<WatchedPlan> OpenJob::watchedPlans() const {
    std::vector<WatchedPlan> plans;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        const quint64 tab = followed_[i].tab;
        const bool is_open = tab != 0 && tab != unknown_tab && (!is_tab_open_ || is_tab_open_(tab));
        if (files_[i].plan.isEmpty() || isEmbeddedFile(files_[i].plan) || is_open) continue;
        const std::shared_ptr<const Plan>& known = saved_plans_[i] ? saved_plans_[i] : file_plans_[i];
        // What was edited until it does nothing, and saved, is as no plan to the job.
        const bool does_nothing = !known && !hadPlanFile(static_cast<int>(i));
        plans.push_back({static_cast<int>(i), files_[i].plan, known, does_nothing});
    }
    return plans;
}

void OpenJob::tellOf(const ChangedFiles& changed, bool again) {
    std::map<QString, QByteArray> files;
    const auto add = [&](const QString& file, const QByteArray& digest) {
        // What is gone, or half written, is no news, and does not make what was told of it untrue.
        const auto told = told_files_.find(file);
        if (!digest.isEmpty())
            files[file] = digest;
        else if (told != told_files_.end())
            files[file] = told->second;
    };
    for (const ChangedGraph& graph : changed.graphs) add(graph.file, graph.digest);
    std::vector<ChangedPlan> plans;
    for (const ChangedPlan& plan : changed.plans) {
        add(plan.file, plan.digest);
        const auto before = std::ranges::find(changed_plans_, plan.stage, &ChangedPlan::stage);
        if (plan.plan)
            plans.push_back(plan);
        else if (before != changed_plans_.end() && before->file == plan.file)
            plans.push_back(*before);
    }
    changed_plans_ = std::move(plans);
    const bool is_other = files != told_files_;
    told_files_ = std::move(files);
    if (!is_other && !(again && !told_files_.empty())) return;
    if (told_files_.empty()) {
        emit filesSettled();
        return;
    }
    QStringList names;
    for (const auto& [file, digest] : told_files_) names.append(file);
    emit filesChanged(names);
}

void OpenJob::tellOfDocument(const ChangedFiles& changed, bool again) {
    if (changed.is_document_known && !std::exchange(told_document_, {}).isEmpty()) emit documentSettled();
    if (changed.document.isEmpty()) return;
    const bool is_told = std::exchange(told_document_, changed.document) == changed.document;
    if (!is_told || again) emit documentChanged(file_);
}

void OpenJob::readFilesAgain() {
    if (!isOpen()) return;
    document_ = std::make_shared<const job::JobDocument>(withCopiedGraphs(*document_, read_from_, file_));
    const StageFiles read = filesOfStages(*document_, read_from_);
    for (const ChangedPlan& changed : std::exchange(changed_plans_, {})) {
        const auto stage = static_cast<std::size_t>(changed.stage);
        const bool is_shown = isPlanInFile(changed.stage);
        // Of a job that was saved into another file, the plan that it was opened with stays what it was.
        const bool is_opened = read[stage].plan == changed.file;
        if (is_opened) file_plans_[stage] = changed.plan;
        saved_plans_[stage] = is_opened ? nullptr : changed.plan;
        if (is_shown) plans_[stage] = saved_plans_[stage];
    }
    times_ = std::make_shared<StageTimes>(QFile::encodeName(folderOfJob(read_from_)).toStdString());
    graphs_.clear();
    told_files_.clear();
    looking_.cancel();
    opened_task_.cancel();
    opened_.reset();
    knows_opened_ = false;
    evaluate();
    emit filesRead();
    emit changed();
}

void OpenJob::openAgain() {
    if (!isOpen()) return;
    QJsonObject state{{"file", file_}};
    if (!measuredFiles().isEmpty()) state["measured"] = QJsonArray::fromStringList(measuredFiles());
    read(state);
}

void OpenJob::readAgain(const StagePlans& plans) {
    for (std::size_t i = 0; i < file_plans_.size(); ++i) {
        if (file_plans_[i] || !plans[i]) continue;
        file_plans_[i] = plans[i];
        if (plans_[i] && *plans_[i] == *plans[i]) plans_[i] = nullptr;
    }
    evaluate();
    emit changed();
}

}  // namespace overlap::ui
