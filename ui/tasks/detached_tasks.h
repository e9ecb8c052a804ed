#pragma once

#include <QObject>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "ui/tasks/call_queue.h"

namespace overlap::ui {

/// How long the window waits for a folder before it continues without it: longer than a slow disk takes.
constexpr std::chrono::seconds folder_patience{2};

/// Runs what may never end, each on a thread of its own: access to a network folder that is gone hangs in the system
/// and cannot be stopped. When this is destroyed, its threads continue alone, and their results are dropped. All
/// functions are for the thread that owns the object.
class DetachedTasks : public QObject {
    Q_OBJECT

  public:
    /// What a task hands back: runs on the owner's thread.
    using Delivery = std::function<void()>;
    /// Runs on a thread of its own, and must not use what may be destroyed by then. Throws nothing.
    using Task = std::function<Delivery()>;

    using QObject::QObject;
    ~DetachedTasks() override;

    /// @param patience how long to wait for the task. The function that it returns runs within the call if the task has
    /// ended by then, and later from the event loop if it has not.
    /// @throws std::system_error where there can be no further thread.
    void run(Task task, std::chrono::milliseconds patience = {});

  private:
    struct State;

    CallQueue deliveries_;
    std::vector<std::weak_ptr<State>> running_;
};

}  // namespace overlap::ui
