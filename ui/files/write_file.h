#pragma once

#include <QByteArray>
#include <QImage>
#include <QObject>
#include <QString>
#include <chrono>
#include <exception>

#include "core/files/atomic_file.h"
#include "ui/tasks/call_queue.h"
#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

/// What the window writes goes through here: write_file_atomically, with a sentence in place of an exception.
/// @returns an empty string, or one sentence with the file and why it could not be written.
QString writeFile(const QString& path, const QByteArray& bytes, OlderVersion older = OlderVersion::dropped);

/// The same sentence for what writing throws in other ways: core's own, or that memory is lacking.
QString writingProblem(const QString& path, const std::exception& error);

/// Reports the outcome of exports that exportFile() has left to a thread of their own.
class LateExports : public QObject {
    Q_OBJECT

  public:
    /// The program's; its signals come on the thread that asks first, which should have an event loop.
    static LateExports& instance();

  signals:
    /// @param problem why the file could not be written; empty where it was.
    void finished(const QString& path, const QString& problem);

  private:
    friend QString exportFile(const QString&, const QByteArray&, std::chrono::milliseconds, OlderVersion);
    CallQueue calls_;
};

/// The same as writeFile() for exports, from any thread: not longer than `patience`. A folder that does not answer,
/// such as a network folder that is gone, is left to a thread of its own, and the sentence says so; LateExports reports
/// the outcome. Where no thread can be started the caller writes, however long that takes.
QString exportFile(const QString& path, const QByteArray& bytes, std::chrono::milliseconds patience = folder_patience,
                   OlderVersion older = OlderVersion::dropped);

/// Exports a picture, in the format that the name ends in: `.png` or another that Qt writes.
QString writePicture(const QString& path, const QImage& picture);

/// Where the older version of a file is kept.
QString olderVersionPath(const QString& path);

}  // namespace overlap::ui
