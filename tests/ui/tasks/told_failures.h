#pragma once

#include <QObject>
#include <QStringList>

#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// A test of tasks whose failures are told: `told_` has the sentences of each test.
class ToldFailures : public QObject {
  protected:
    void listen() {
        told_.clear();
        LatestTask::whenTasksFail([this](const QString& reason) { told_.append(reason); });
    }
    static void stopListening() { LatestTask::whenTasksFail({}); }

    QStringList told_;
};

}  // namespace overlap::ui
