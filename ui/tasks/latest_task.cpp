#include "ui/tasks/latest_task.h"

#include <QCoreApplication>
#include <QVariant>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>

#include "ui/tasks/task_failure.h"
#include "ui/tasks/without_thread.h"
#include "ui/tasks/worker_pool.h"

namespace overlap::ui {
namespace {

LatestTask::Failure& taskFailure() {
    static LatestTask::Failure failure;
    return failure;
}

LatestTask::Delivery toldFailure(const QString& reason) {
    return [reason] {
        if (taskFailure()) taskFailure()(reason);
    };
}

/// Runs the task, whatever it throws.
LatestTask::Delivery deliveryOf(const LatestTask::Task& task, std::stop_token stop) {
    try {
        return task(std::move(stop));
    } catch (const std::exception& error) {
        return toldFailure(reasonOf(error));
    }
}

}  // namespace

void LatestTask::whenTasksFail(Failure failure) {
    taskFailure() = std::move(failure);
}

/// What the owner and the job on a worker thread share.
struct LatestTask::State {
    explicit State(LatestTask& waiting_owner) : owner(waiting_owner) {}

    LatestTask& owner;  ///< outlives the job: its destructor waits for it
    std::mutex mutex;
    std::condition_variable ended;
    Task waiting;           // guarded by mutex
    std::stop_source stop;  // guarded by mutex; of the newest task
    quint64 serial = 0;     // guarded by mutex; number of the newest task
    bool has_job = false;   // guarded by mutex; a job of the pool takes what is waiting
};

LatestTask::LatestTask(QObject* parent) : QObject(parent), state_(std::make_shared<State>(*this)) {}

LatestTask::~LatestTask() {
    std::unique_lock lock(state_->mutex);
    state_->stop.request_stop();
    state_->waiting = nullptr;
    state_->ended.wait(lock, [this] { return !state_->has_job; });
}

void LatestTask::start(Task task) {
    bool needs_job = false;
    {
        std::lock_guard lock(state_->mutex);
        state_->stop.request_stop();
        state_->stop = std::stop_source();
        state_->waiting = std::move(task);
        ++state_->serial;
        needs_job = !std::exchange(state_->has_job, true);
    }
    setBusy(true);
    if (!needs_job) return;
    try {
        WorkerPool::shared().run([state = state_] { work(state); });
    } catch (const std::system_error& error) {
        if (property(runs_without_thread_property).toBool()) return work(state_);
        {
            std::lock_guard lock(state_->mutex);
            state_->waiting = nullptr;
            state_->has_job = false;
        }
        setBusy(false);
        toldFailure(QCoreApplication::translate(
                        "LatestTask", "No further thread can be started (%1); close other programs and try again")
                        .arg(QString::fromStdString(error.code().message())))();
    }
}

void LatestTask::cancel() {
    {
        std::lock_guard lock(state_->mutex);
        state_->stop.request_stop();
        state_->waiting = nullptr;
        ++state_->serial;
    }
    setBusy(false);
}

void LatestTask::work(const std::shared_ptr<State>& state) {
    while (true) {
        Task task;
        std::stop_token stop;
        quint64 serial = 0;
        {
            std::lock_guard lock(state->mutex);
            if (!state->waiting) {
                state->has_job = false;
                state->ended.notify_all();
                return;
            }
            task = std::exchange(state->waiting, nullptr);
            stop = state->stop.get_token();
            serial = state->serial;
        }
        Delivery delivery = deliveryOf(task, stop);
        task = nullptr;  // before the owner may be gone
        LatestTask& owner = state->owner;
        owner.deliveries_.put([&owner, serial, delivery = std::move(delivery)] { owner.deliver(serial, delivery); });
    }
}

void LatestTask::deliver(quint64 serial, const Delivery& delivery) {
    {
        std::lock_guard lock(state_->mutex);
        if (serial != state_->serial) return;
    }
    // Not busy before the delivery runs: the receiver of the result may start the next task from there.
    setBusy(false);
    if (delivery) delivery();
}

void LatestTask::setBusy(bool busy) {
    if (busy_ == busy) return;
    busy_ = busy;
    emit busyChanged(busy);
}

}  // namespace overlap::ui
