#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace overlap::ui {

/// The threads that LatestTask runs its tasks on. A thread is started when all others are at work, up to a limit, and
/// stays for the next job. QThreadPool would do, but what jobs capture would pass between threads in Qt's own queue,
/// into which the thread sanitizer does not see. All functions are for any thread.
class WorkerPool {
  public:
    /// More than tasks of the window can run at once: one that hangs in a slow folder must not hold up the others.
    static constexpr std::size_t most_threads = 32;

    /// The one of the program.
    static WorkerPool& shared();

    WorkerPool() = default;
    /// Runs what is waiting, and waits for it.
    ~WorkerPool();

    /// Runs `job` as soon as a thread is free. @param job throws nothing.
    /// @throws std::system_error where there is no thread and none can be started; the job is dropped then.
    void run(std::function<void()> job);

    std::size_t thread_count();

  private:
    void work();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;  // guarded by mutex_, as are those below
    std::size_t idle_ = 0;
    bool leaving_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace overlap::ui
