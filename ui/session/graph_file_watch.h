#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>

#include "ui/files/watched_files.h"
#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

class Document;

/// Finds out whether the file of the open graph is still what was read from it: at once where the system tells of
/// changes, and whenever it is asked to look. The file is read on other threads, and only where its stamp is another.
class GraphFileWatch : public QObject {
    Q_OBJECT

  public:
    /// A larger file counts as changed where its stamp is another: to know its content would take too long.
    static constexpr qint64 most_bytes_compared = qint64{256} << 20;

    explicit GraphFileWatch(Document& document, QObject* parent = nullptr);

    /// Looks at the file. What it has is told later, from the event loop.
    void look();
    /// Whether the file is being read.
    bool busy() const { return looking_; }
    /// Whether it is known what was read, so that a file with the same content again is no change.
    bool knows() const { return !read_.isEmpty(); }

  signals:
    /// The file has something else; once for each content that it gets. A file that is gone is no matter.
    void changed(const QString& file);
    /// After changed(): the file has again what was read, or another graph is open.
    void settled();

  private:
    void begin();
    void looked(const FileStamp& now, const QByteArray& digest);

    Document& document_;
    WatchedFiles watched_;
    QByteArray read_;         ///< digest of what was read; empty where it is not known
    FileStamp told_;          ///< of the content that was told of; as nothing where none was
    QByteArray told_digest_;  ///< of the same
    quint64 serial_ = 0;      ///< of the open graph
    bool looking_ = false;    ///< a look is under way
    bool again_ = false;      ///< and another one is wanted after it
    DetachedTasks tasks_;
};

}  // namespace overlap::ui
