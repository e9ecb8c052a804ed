#pragma once

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>

#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

class Document;

/// Finds out whether the file of the current plan is still what was read from it or saved in it. Files are read on
/// other threads, and nothing waits for them: a folder that does not answer is not asked again until it has.
class PlanFileWatch : public QObject {
    Q_OBJECT

  public:
    explicit PlanFileWatch(Document& document, QObject* parent = nullptr);

    /// Looks at the file of the current plan.
    void look();

  signals:
    /// The file has something else; once for each content that it gets. A file that is gone, or whose content another
    /// tab has, is no matter.
    /// @param variant key of the plan.
    void changed(quint64 variant, const QString& file);

  private:
    void looked(quint64 variant, const QString& file, const QByteArray& known, const QByteArray& now);

    Document& document_;
    QSet<QString> looking_;            ///< files that are being read
    QHash<quint64, QByteArray> told_;  ///< digest of the content that was told of, by the plan's key
    DetachedTasks tasks_;
};

}  // namespace overlap::ui
