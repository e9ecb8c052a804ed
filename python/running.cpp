#include "python/running.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>

namespace overlap::python {

namespace nb = nanobind;

namespace {

/// How long an interrupt waits at most before it is noticed.
constexpr std::chrono::milliseconds patience{50};

class Worker {
  public:
    explicit Worker(const std::function<void(std::stop_token)>& work)
        : thread_([this, &work](std::stop_token stop) {
              try {
                  work(std::move(stop));
              } catch (...) {
                  failure_ = std::current_exception();
              }
              {
                  const std::scoped_lock lock(mutex_);
                  done_ = true;
              }
              changed_.notify_one();
          }) {}

    /// @returns whether it is done.
    bool wait() {
        const nb::gil_scoped_release unlocked;
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, patience, [this] { return done_; });
    }

    void stop() {
        thread_.request_stop();
        join();
    }

    void finish() {
        join();
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    void join() {
        const nb::gil_scoped_release unlocked;
        thread_.join();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    std::exception_ptr failure_;
    std::jthread thread_;  ///< last: it uses all others
};

}  // namespace

void run_interruptibly(const std::function<void(std::stop_token)>& work, const std::function<void()>& report) {
    Worker worker(work);
    try {
        while (!worker.wait()) {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (report) report();
        }
        if (report) report();
    } catch (...) {
        worker.stop();
        throw;
    }
    worker.finish();
}

}  // namespace overlap::python
