#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <stop_token>

#include "ui/tasks/call_queue.h"

namespace overlap::ui {

/// Runs the newest task it was given on a thread of the WorkerPool, one at a time. A newer task asks the older one to
/// stop; what an older one still returns is dropped. All functions are for the thread that owns the object.
class LatestTask : public QObject {
    Q_OBJECT

  public:
    /// The result of a task, a function: it runs on the owner's thread, and only when no newer task was started
    /// meanwhile.
    using Delivery = std::function<void()>;
    /// Runs on a worker thread. May return an empty delivery, and should soon after `stop` was requested. An
    /// exception, such as one for lack of memory, ends it without a delivery and is reported through whenTasksFail().
    using Task = std::function<Delivery(std::stop_token)>;
    /// @param reason what the exception says.
    using Failure = std::function<void(const QString& reason)>;

    explicit LatestTask(QObject* parent = nullptr);
    /// Asks the running task to stop and waits for it.
    ~LatestTask() override;

    /// Without a thread to run it on, the task fails (whenTasksFail()).
    void start(Task task);
    /// Asks the running task to stop and forgets the waiting one; nothing is delivered any more.
    void cancel();
    /// True from start() until the delivery begins, which may start the next task.
    bool busy() const { return busy_; }
    /// Reports tasks that threw to the user, for the whole program: runs on the owner's thread, unless a newer task was
    /// started meanwhile. Set on the owners' thread; none at first, and then nothing is reported.
    static void whenTasksFail(Failure failure);

  signals:
    void busyChanged(bool busy);

  private:
    struct State;

    static void work(const std::shared_ptr<State>& state);
    void deliver(quint64 serial, const Delivery& delivery);
    void setBusy(bool busy);

    bool busy_ = false;
    CallQueue deliveries_;
    std::shared_ptr<State> state_;  ///< shared with the job that runs the tasks
};

}  // namespace overlap::ui
