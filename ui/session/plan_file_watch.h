#pragma once

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>
#include <chrono>

#include "ui/files/watched_files.h"
#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

class Document;
class Variant;

/// Finds out whether files of plans are still what was read from them or saved in them: at once where the system tells
/// of changes, and whenever it is asked to look. Files are read on other threads, and nothing waits for them: a folder
/// that does not answer is not asked again until it has.
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
    /// After changed(): the file has again what the plan knows.
    void restored(quint64 variant, const QString& file);

  private:
    void watchAll();
    void lookAt(const Variant& plan);
    void looked(quint64 variant, const QString& file, const QByteArray& known, const QByteArray& now);

    Document& document_;
    std::chrono::milliseconds patience_;
    QSet<quint64> looking_;            ///< plans whose files are being read, by their keys
    QSet<quint64> again_;              ///< of them those that are to be looked at once more
    QHash<quint64, QByteArray> told_;  ///< digest of the content that was told of, by the plan's key
    WatchedFiles watched_;
    DetachedTasks tasks_;
};

}  // namespace overlap::ui
