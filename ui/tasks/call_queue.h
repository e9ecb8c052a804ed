#pragma once

#include <QObject>
#include <deque>
#include <functional>
#include <mutex>

namespace overlap::ui {

/// Calls that worker threads leave for the thread that owns this object. What a call has captured passes between
/// threads under a mutex of this class, which the thread sanitizer sees; it does not see into Qt's event queue.
class CallQueue : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// For any thread. `call` runs from the event loop of the owner's thread, after those that were put before; never
    /// once this object is destroyed, so an object that calls capture should have it as a member or child.
    void put(std::function<void()> call);

  private:
    Q_INVOKABLE void runNext();

    std::mutex mutex_;
    std::deque<std::function<void()>> calls_;  // guarded by mutex_
};

}  // namespace overlap::ui
