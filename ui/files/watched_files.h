#pragma once

#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QStringList>
#include <QTimer>

#include "ui/files/file_digest.h"
#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

/// Tells at once when files may have something else. It watches each file, for what is written into it, and its folder,
/// for a file that takes its place, which is how most programs save. Where the system tells of no changes, as in many
/// network folders, nothing is told. Folders are looked at on other threads, so that none that hangs is waited for.
class WatchedFiles : public QObject {
    Q_OBJECT

  public:
    explicit WatchedFiles(QObject* parent = nullptr);

    /// These in place of those before. What a new one of them has is told of, too, since it may have changed before.
    void watch(const QStringList& files);

  signals:
    /// The file was written, replaced or removed, and stays so for a moment; or it is new here.
    void touched(const QString& file);

  private:
    void folderTouched(const QString& folder);
    void lookSoon(const QString& file);
    void look(const QString& file);
    void looked(const QString& file, const FileStamp& now);

    QFileSystemWatcher watcher_;
    QHash<QString, FileStamp> stamps_;  ///< of the files; as nothing before the first look
    QSet<QString> new_;                 ///< of them those that were not looked at yet
    QSet<QString> changing_;            ///< that were another one at the last look
    QSet<QString> waiting_, looking_;   ///< to be looked at, and those that are being
    QSet<QString> again_;               ///< of the latter those to which something has happened meanwhile
    QTimer timer_;
    DetachedTasks tasks_;
};

}  // namespace overlap::ui
