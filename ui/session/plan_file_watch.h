#pragma once

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>
#include <chrono>

#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

class Document;

/// Finds out whether the file of the current plan is still what was read from it or saved in it. Files are read on
/// other threads, and nothing waits for them: a folder that does not answer is not asked again until it has.
class PlanFileWatch : public QObject {
    Q_OBJECT

  public:
    /// @param patience how long to wait for a file; only tests wait.
    explicit PlanFileWatch(Document& document, QObject* parent = nullptr, std::chrono::milliseconds patience = {});

    /// Looks at the file of the current plan. What it has is told later, from the event loop.
    void look();
    /// Whether a file is being read; what it has is told before this becomes false.
    bool busy() const { return !looking_.isEmpty(); }

  signals:
    /// The file has something else; once for each content that it gets. A file that is gone, or whose content another
    /// tab has, is no matter.
    /// @param variant key of the plan.
    void changed(quint64 variant, const QString& file);

  private:
    void looked(quint64 variant, const QString& file, const QByteArray& known, const QByteArray& now);

    Document& document_;
    std::chrono::milliseconds patience_;
    QSet<QString> looking_;            ///< files that are being read
    QHash<quint64, QByteArray> told_;  ///< digest of the content that was told of, by the plan's key
    DetachedTasks tasks_;
};

}  // namespace overlap::ui
