// Files of the open job that change while it is open.

#include <QFile>
#include <utility>

#include "ui/job/open/job_source.h"
#include "ui/job/open/kept_job.h"
#include "ui/job/open/open_job.h"

namespace overlap::ui {

void OpenJob::lookAtFiles(bool again) {
    if (!isOpen() || evaluator_.busy() || looking_.busy()) return;
    if (again) told_graphs_.clear();
    if (answer_.refusal.isEmpty()) return lookAtGraphs();
    const std::string folder = QFile::encodeName(folderOfJob(read_from_)).toStdString();
    looking_.start([this, document = document_, file = read_from_, folder,
                    known = answer_.files](std::stop_token) -> LatestTask::Delivery {
        if (stampsOfFiles(*document, folder) == known) return {};
        return [this, plans = plansOfFiles(*document, file)] { readAgain(plans); };
    });
}

void OpenJob::lookAtGraphs() {
    looking_.start([this, read = graphs_, job = file_](std::stop_token) -> LatestTask::Delivery {
        return [this, changed = changedGraphs(read, job)] {
            QStringList files;
            for (const ChangedGraph& graph : changed)
                if (std::exchange(told_graphs_[graph.file], graph.digest) != graph.digest) files.append(graph.file);
            if (!files.isEmpty()) emit graphsChanged(files);
        };
    });
}

void OpenJob::readGraphsAgain() {
    if (!isOpen()) return;
    document_ = std::make_shared<const job::JobDocument>(withCopiedGraphs(*document_, read_from_, file_));
    times_ = std::make_shared<StageTimes>(QFile::encodeName(folderOfJob(read_from_)).toStdString());
    graphs_.clear();
    told_graphs_.clear();
    looking_.cancel();
    opened_task_.cancel();
    opened_.reset();
    knows_opened_ = false;
    evaluate();
    emit graphsRead();
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
