#pragma once

#include <QObject>
#include <deque>
#include <functional>
#include <mutex>

namespace overlap::ui {

/// Calls that worker threads leave for the thread that owns this object. What a call has captured goes from thread to
/// thread under a mutex of our own, in sight of the thread sanitizer, which does not see into Qt's event queue.
class CallQueue : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// For any thread. `call` runs from the event loop of the owner's thread, after those that were put before; never
    /// once this object is gone, so whoever may be captured by a call should have it as a member or child.
    void put(std::function<void()> call);

  private:
    Q_INVOKABLE void runNext();

    std::mutex mutex_;
    std::deque<std::function<void()>> calls_;  // guarded by mutex_
};

}  // namespace overlap::ui
