#include "ui/tasks/detached_tasks.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "ui/tasks/signal_stack.h"

namespace overlap::ui {

/// What a thread and the owner share; the last of them deletes it.
struct DetachedTasks::State {
    std::mutex mutex;
    std::condition_variable ended;
    bool has_ended = false;      // guarded by mutex
    Delivery delivery;           // guarded by mutex; there once the task has ended, until it is taken
    CallQueue* queue = nullptr;  // guarded by mutex; null while run() waits, and once the owner is gone
};

DetachedTasks::~DetachedTasks() {
    for (const auto& running : running_) {
        const auto state = running.lock();
        if (!state) continue;
        const std::lock_guard lock(state->mutex);
        state->queue = nullptr;
    }
}

void DetachedTasks::run(Task task, std::chrono::milliseconds patience) {
    const auto state = std::make_shared<State>();
    std::thread([state, task = std::move(task)] {
        const SignalStack signal_stack;
        Delivery delivery = task();
        const std::lock_guard lock(state->mutex);
        state->has_ended = true;
        state->ended.notify_all();
        if (state->queue) {
            state->queue->put(std::move(delivery));
        } else {
            state->delivery = std::move(delivery);
        }
    }).detach();
    std::unique_lock lock(state->mutex);
    if (state->ended.wait_for(lock, patience, [&] { return state->has_ended; })) {
        const Delivery delivery = std::exchange(state->delivery, nullptr);
        lock.unlock();
        delivery();
        return;
    }
    state->queue = &deliveries_;
    std::erase_if(running_, [](const auto& other) { return other.expired(); });
    running_.push_back(state);
}

}  // namespace overlap::ui
