#pragma once

#include <QSet>
#include <QString>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

/// Access to files by the window itself, which a network folder that is gone may block for ever: here it is waited for
/// as long as a folder may take. All functions are for the thread that owns the object.
class FileLooks {
  public:
    /// Looks at a file, there or not, and returns. Runs on a thread of its own. Throws nothing.
    using Look = std::function<void(const QString& path)>;

    explicit FileLooks(std::chrono::milliseconds patience = folder_patience);

    /// Waits for the first access to a file as long as a folder may take. While that access hangs, everything else in
    /// its folder is answered at once.
    /// @param path empty, or embedded in the program (":/"): it answers.
    bool answers(const QString& path);
    /// Runs `read`, which reads the file, on a thread of its own and waits as long: a folder may also stop answering in
    /// the middle of a file. What `read` throws is thrown here.
    /// @param path as of answers(); such a file is read on this thread.
    /// @param read must not use what may be destroyed before it returns.
    /// @returns nothing where it does not return in time; its result is dropped then.
    template <typename Read>
    auto read(const QString& path, Read read) -> std::optional<decltype(read())> {
        struct Outcome {
            std::optional<decltype(read())> result;
            std::exception_ptr error;
        };
        const auto outcome = std::make_shared<Outcome>();
        const bool has_answered = looked(path, [outcome, read = std::move(read)] {
            try {
                outcome->result = read();
            } catch (...) {
                outcome->error = std::current_exception();
            }
        });
        if (!has_answered) return std::nullopt;
        if (outcome->error) std::rethrow_exception(outcome->error);
        return std::move(outcome->result);
    }
    /// One sentence without full stop for a file that does not answer.
    static QString silence(const QString& path);
    /// What looks, which opens the file if nothing is set; for tests, which have no folder that hangs.
    void setLook(Look look) { look_ = std::move(look); }

  private:
    /// Runs `then` after a look. @returns whether both have returned in time.
    bool looked(const QString& path, std::function<void()> then);

    Look look_;
    std::chrono::milliseconds patience_;
    QSet<QString> hanging_;  ///< folders with a look that has not returned
    DetachedTasks tasks_;
};

}  // namespace overlap::ui
