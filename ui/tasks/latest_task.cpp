#include "ui/tasks/latest_task.h"

#include <QCoreApplication>
#include <exception>
#include <new>

#include "ui/tasks/signal_stack.h"

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
    } catch (const std::bad_alloc&) {
        return toldFailure(QCoreApplication::translate(
            "LatestTask", "There is not enough memory for this; close other graphs or programs and try again"));
    } catch (const std::exception& error) {
        return toldFailure(QString::fromUtf8(error.what()));
    }
}

}  // namespace

void LatestTask::whenTasksFail(Failure failure) {
    taskFailure() = std::move(failure);
}

LatestTask::LatestTask(QObject* parent) : QObject(parent), thread_([this](std::stop_token leave) { work(leave); }) {}

LatestTask::~LatestTask() {
    {
        std::lock_guard lock(mutex_);
        stop_.request_stop();
        waiting_ = nullptr;
    }
    thread_.request_stop();
    thread_.join();
}

void LatestTask::start(Task task) {
    {
        std::lock_guard lock(mutex_);
        stop_.request_stop();
        stop_ = std::stop_source();
        waiting_ = std::move(task);
        ++serial_;
    }
    wake_.notify_one();
    setBusy(true);
}

void LatestTask::cancel() {
    {
        std::lock_guard lock(mutex_);
        stop_.request_stop();
        waiting_ = nullptr;
        ++serial_;
    }
    setBusy(false);
}

void LatestTask::work(std::stop_token leave) {
    const SignalStack signal_stack;
    while (true) {
        Task task;
        std::stop_token stop;
        quint64 serial = 0;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, leave, [this] { return waiting_ != nullptr; })) return;
            task = std::exchange(waiting_, nullptr);
            stop = stop_.get_token();
            serial = serial_;
        }
        Delivery delivery = deliveryOf(task, stop);
        deliveries_.put([this, serial, delivery = std::move(delivery)] { deliver(serial, delivery); });
    }
}

void LatestTask::deliver(quint64 serial, const Delivery& delivery) {
    {
        std::lock_guard lock(mutex_);
        if (serial != serial_) return;
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
