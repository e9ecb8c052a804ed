// What of the open job is in a file, writing it into one, and files that change.

#include <QFile>

#include "core/base/error.h"
#include "core/job/job_changes.h"
#include "ui/job/job_source.h"
#include "ui/job/kept_job.h"
#include "ui/job/open_job.h"
#include "ui/job/saved_job.h"

namespace overlap::ui {

QString OpenJob::savedPlanFileOf(int stage) const {
    return stage < 0 || stage >= static_cast<int>(saved_plan_files_.size())
               ? QString()
               : saved_plan_files_[static_cast<std::size_t>(stage)];
}

bool OpenJob::modified() const {
    if (!differs()) return false;
    const bool as_saved = isAsSaved();
    if (changes_ != job::JobChanges() && !as_saved) return true;
    for (std::size_t i = 0; i < plans_.size(); ++i)
        if (plans_[i] && !followed_[i].in_file && !(as_saved && saved_->second[i] && *saved_->second[i] == *plans_[i]))
            return true;
    return false;
}

bool OpenJob::isAsSaved() const {
    if (!saved_ || saved_->first != changes_) return false;
    for (std::size_t i = 0; i < plans_.size(); ++i)
        if ((plans_[i] == nullptr) != (saved_->second[i] == nullptr)) return false;
    return true;
}

QString OpenJob::save(const QString& path) {
    try {
        const job::JobDocument changed =
            job::changed_job(*document_, changes_, QFile::encodeName(folderOfJob(file_)).toStdString());
        const QString problem = writeJob(path, file_, changed, plans_);
        if (problem.isEmpty()) {
            saved_ = {changes_, plans_};
            saved_plan_files_.clear();
            for (std::size_t i = 0; i < plans_.size(); ++i)
                saved_plan_files_.push_back(plans_[i] ? planFileBeside(path, i) : QString());
            kept_.erase(path);
            emit saved();
            emit this->changed();
        }
        return problem;
    } catch (const InputError& error) {
        return QString::fromUtf8(error.what());
    }
}

void OpenJob::lookAtFiles() {
    if (!isOpen() || answer_.refusal.isEmpty() || evaluator_.busy() || looking_.busy()) return;
    const std::string folder = QFile::encodeName(folderOfJob(file_)).toStdString();
    looking_.start([this, document = document_, file = file_, folder,
                    known = answer_.files](std::stop_token) -> LatestTask::Delivery {
        if (stampsOfFiles(*document, folder) == known) return {};
        return [this, plans = plansOfFiles(*document, file)] { readAgain(plans); };
    });
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
