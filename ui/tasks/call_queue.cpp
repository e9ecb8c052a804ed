#include "ui/tasks/call_queue.h"

#include <utility>

namespace overlap::ui {

void CallQueue::put(std::function<void()> call) {
    {
        const std::lock_guard lock(mutex_);
        calls_.push_back(std::move(call));
    }
    // By name: a function object would be made by this thread and deleted by the other.
    QMetaObject::invokeMethod(this, "runNext", Qt::QueuedConnection);
}

// One call for each event: a call that runs an event loop of its own, such as a dialog's, does not hold up the others.
void CallQueue::runNext() {
    std::function<void()> call;
    {
        const std::lock_guard lock(mutex_);
        call = std::move(calls_.front());
        calls_.pop_front();
    }
    call();
}

}  // namespace overlap::ui
