#pragma once

#include <QSet>
#include <QString>
#include <chrono>
#include <functional>

#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

/// Whether files can be accessed at all: access to a network folder that is gone may block for ever. The window asks
/// here before it reads a file itself. All functions are for the thread that owns the object.
class FileLooks {
  public:
    /// Looks at a file, there or not, and returns. Runs on a thread of its own. Throws nothing.
    using Look = std::function<void(const QString& path)>;

    explicit FileLooks(std::chrono::milliseconds patience = folder_patience);

    /// Waits for the first access to a file as long as a folder may take. While that access hangs, everything else in
    /// its folder is answered at once.
    /// @param path empty, or embedded in the program (":/"): it answers.
    bool answers(const QString& path);
    /// One sentence without full stop for a file that does not answer.
    static QString silence(const QString& path);
    /// What looks, which opens the file if nothing is set; for tests, which have no folder that hangs.
    void setLook(Look look) { look_ = std::move(look); }

  private:
    Look look_;
    std::chrono::milliseconds patience_;
    QSet<QString> hanging_;  ///< folders with a look that has not returned
    DetachedTasks tasks_;
};

}  // namespace overlap::ui
