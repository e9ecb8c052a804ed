#pragma once

#include <QByteArray>
#include <QString>
#include <memory>
#include <vector>

#include "core/plan/plan.h"
#include "ui/job/open/read_graphs.h"

namespace overlap::ui {

/// A stage's plan in a file, as the job knows it.
struct WatchedPlan {
    int stage = 0;
    QString file;
    std::shared_ptr<const Plan> known;  ///< null where it could not be read yet, or does nothing
    bool does_nothing = false;          ///< the file was written with a plan that does nothing
};

/// What such a file has now.
struct ChangedPlan {
    int stage = 0;
    QString file;
    std::shared_ptr<const Plan> plan;  ///< null where the file is gone, or half written
    QByteArray digest;                 ///< of the file; empty where the plan is null
};

/// Files of a job that have something else than the job has read.
struct ChangedFiles {
    std::vector<ChangedGraph> graphs;  ///< and the schedule's list; those that are gone as well
    std::vector<ChangedPlan> plans;    ///< those that cannot be read as well
    QByteArray document;  ///< digest of what the job's file has now; empty where that is the same, or it is gone
    bool is_document_known = false;  ///< the job's file has what the job knows
};

/// @param digest of `job` as the job knows it. May take long.
ChangedFiles changedFiles(const ReadGraphs& read, const std::vector<WatchedPlan>& plans, const QString& job,
                          const QByteArray& digest);

}  // namespace overlap::ui
