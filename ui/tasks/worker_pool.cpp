#include "ui/tasks/worker_pool.h"

#include <system_error>
#include <utility>

#include "ui/tasks/signal_stack.h"

namespace overlap::ui {

WorkerPool& WorkerPool::shared() {
    static WorkerPool pool;
    return pool;
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (jobs_.size() > idle_ && threads_.size() < most_threads) {
        try {
            threads_.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
            if (threads_.empty()) {
                jobs_.pop_back();
                throw;
            }
        }
    }
    wake_.notify_one();
}

std::size_t WorkerPool::thread_count() {
    const std::lock_guard lock(mutex_);
    return threads_.size();
}

void WorkerPool::work() {
    const SignalStack signal_stack;
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        wake_.wait(lock, [this] { return leaving_ || !jobs_.empty(); });
        --idle_;
        if (jobs_.empty()) return;
        std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        job = nullptr;  // what it captured is released here, not under the lock
        lock.lock();
    }
}

}  // namespace overlap::ui
