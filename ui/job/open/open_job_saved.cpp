// What of the open job is in a file, and writing it into one.

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <algorithm>

#include "core/base/error.h"
#include "core/job/document/files_of_job.h"
#include "core/job/document/job_file.h"
#include "core/job/job_changes.h"
#include "ui/files/file_digest.h"
#include "ui/files/read_plan.h"
#include "ui/job/open/job_source.h"
#include "ui/job/open/kept_job.h"
#include "ui/job/open/open_job.h"
#include "ui/job/open/saved_job.h"

namespace overlap::ui {
namespace {

bool isEqual(const std::shared_ptr<const Plan>& a, const std::shared_ptr<const Plan>& b) {
    return a == b || (a && b && *a == *b);
}

QJsonArray filesToJson(const StageFiles& files) {
    QJsonArray json;
    for (const StageFile& file : files) json.append(QJsonArray{file.graph, file.plan});
    return json;
}

StageFiles filesFromJson(const QJsonArray& json) {
    StageFiles files;
    for (const QJsonValue file : json) files.push_back({file[0].toString(), file[1].toString()});
    return files;
}

}  // namespace

bool OpenJob::isPlanInFile(int stage) const {
    return stage >= 0 && stage < stageCount() &&
           isEqual(plans_[static_cast<std::size_t>(stage)], saved_plans_[static_cast<std::size_t>(stage)]);
}

void OpenJob::setPlanInFile(int stage, std::shared_ptr<const Plan> plan) {
    if (stage < 0 || stage >= stageCount()) return;
    std::shared_ptr<const Plan>& saved = saved_plans_[static_cast<std::size_t>(stage)];
    if (isEqual(saved, plan)) return;
    saved = std::move(plan);
    emit changed();
}

bool OpenJob::modified() const {
    return isOpen() && (changes_ != saved_changes_ || !std::ranges::equal(plans_, saved_plans_, isEqual));
}

/// Names that the job reads now stay as they are: what is written into another job has files of its own.
StageFiles OpenJob::filesFor(const QString& path) const {
    std::vector<QFileInfo> taken;
    for (const std::string& file :
         job::files_of_job(*document_, QFile::encodeName(folderOfJob(read_from_)).toStdString()))
        taken.emplace_back(QFile::decodeName(QByteArray::fromStdString(file)));
    for (const StageFile& file : files_) taken.emplace_back(file.plan);
    const bool same = QFileInfo(path) == QFileInfo(file_);
    StageFiles files;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        StageFile file{graphFor(path, files_[i].graph), {}};
        if (!shownPlan(i)) {
            // It could not be read, which the evaluation tells.
            if (!document_->stages[i].plan.empty()) file.plan = files_[i].plan;
        } else if (same && isPlanInFile(static_cast<int>(i))) {
            file.plan = files_[i].plan;
        } else {
            file.plan = planFileBeside(path, i);
            for (int other = 1; !same && std::ranges::count(taken, QFileInfo(file.plan)) > 0; ++other)
                file.plan = planFileBeside(path, i, other);
        }
        // A tab that is of two stages has one file.
        for (std::size_t before = 0; before < i; ++before)
            if (followed_[i].tab != 0 && followed_[i].tab != unknown_tab && followed_[before] == followed_[i] &&
                isEqual(shownPlan(before), shownPlan(i)))
                file.plan = files[before].plan;
        files.push_back(file);
    }
    return files;
}

QString OpenJob::save(const QString& path) {
    try {
        const std::string folder = QFile::encodeName(folderOfJob(read_from_)).toStdString();
        const job::JobDocument changed = job::changed_job(*document_, changes_, folder);
        std::vector<QString> read;
        for (const std::string& file : job::files_of_job(changed, folder))
            read.push_back(QFile::decodeName(QByteArray::fromStdString(file)));
        for (const StageFile& file : files_) read.insert(read.end(), {file.graph, file.plan});
        for (const QString& file : read)
            if (!file.isEmpty() && QFileInfo(file) == QFileInfo(path))
                return QStringLiteral("%1 is a file that the job reads; choose another name").arg(path);
        const StageFiles files = filesFor(path);
        StagePlans written;
        for (std::size_t i = 0; i < files.size(); ++i)
            written.push_back(files[i].plan == files_[i].plan && isPlanInFile(static_cast<int>(i)) ? nullptr
                                                                                                   : shownPlan(i));
        if (const QString problem = writeJob(path, read_from_, changed, files, written); !problem.isEmpty())
            return problem;
        std::vector<SavedStage> stages;
        for (std::size_t i = 0; i < files.size(); ++i)
            stages.push_back({files_[i].graph, files[i].graph, followed_[i], shownPlan(i), files[i].plan});
        kept_.erase(path);
        file_ = path;
        files_ = files;
        saved_changes_ = changes_;
        saved_plans_ = plans_;
        digest_ = fileDigest(path);
        told_document_.clear();
        watchFiles();
        emit saved(stages);
        emit this->changed();
        return {};
    } catch (const InputError& error) {
        return QString::fromUtf8(error.what());
    }
}

QJsonObject OpenJob::ownState() const {
    if (!isOpen()) return {};
    QJsonArray stages;
    for (int stage = 0; stage < stageCount(); ++stage)
        if (followedBy(stage).tab != 0) stages.append(stage);
    QJsonObject state{{"file", file_}};
    if (last_stage_ >= 0) state["stage"] = last_stage_;
    if (!stages.isEmpty()) state["followed"] = stages;
    if (!measuredFiles().isEmpty()) state["measured"] = QJsonArray::fromStringList(measuredFiles());
    if (!modified()) return state;
    // What the file had: another program may write it until the job comes back.
    if (!digest_.isEmpty()) state["digest"] = QString::fromLatin1(digest_);
    state["document"] = QString::fromStdString(job::write_job_text(*document_));
    state["changes"] = jobChangesToJson(changes_);
    state["plans"] = plansToJson(plans_);
    if (file_ == read_from_) return state;
    state["readFrom"] = read_from_;
    state["files"] = filesToJson(files_);
    state["saved"] = jobChangesToJson(saved_changes_);
    return state;
}

void OpenJob::goOnIn(const QJsonObject& state) {
    if (!state.contains("readFrom")) return;
    StageFiles files = filesFromJson(state["files"].toArray());
    if (files.size() != files_.size()) return;
    files_ = std::move(files);
    saved_changes_ = jobChangesFromJson(state["saved"].toObject());
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (files_[i].plan.isEmpty()) continue;
        try {
            auto plan = std::make_shared<const Plan>(readPlan(files_[i].plan).plan);
            // Files of the job that it was saved from may be gone.
            if (!file_plans_[i] && !plans_[i] && hadPlanFile(static_cast<int>(i))) plans_[i] = plan;
            if (!isEqual(plan, file_plans_[i])) saved_plans_[i] = std::move(plan);
        } catch (const InputError&) {
            // What the stage has is in no file then.
            continue;
        }
    }
}

}  // namespace overlap::ui
