#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace overlap::python {

/// Runs `work` on a thread of its own, without the interpreter's lock, until it is done. Meanwhile the calling thread
/// runs handlers of signals, and `report`, with the lock. Where one of them raises, as Ctrl+C does, `work` is asked to
/// stop, awaited, and the exception goes on to the caller; else what `work` throws does.
/// @pre the caller has the lock.
void run_interruptibly(const std::function<void(std::stop_token)>& work, const std::function<void()>& report = {});

/// The same for work with a result.
template <typename Work>
auto result_of(const Work& work, const std::function<void()>& report = {}) {
    std::optional<decltype(work(std::stop_token()))> result;
    run_interruptibly([&](std::stop_token stop) { result.emplace(work(std::move(stop))); }, report);
    return *std::move(result);
}

/// What work says of its progress, until the calling thread tells Python.
template <typename Progress>
class Reports {
  public:
    void add(Progress progress) {
        const std::scoped_lock lock(mutex_);
        waiting_.push_back(std::move(progress));
    }
    std::vector<Progress> take() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(waiting_, {});
    }

  private:
    std::mutex mutex_;
    std::vector<Progress> waiting_;
};

}  // namespace overlap::python
