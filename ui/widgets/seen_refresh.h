#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>
#include <functional>

#include "ui/widgets/seen_watch.h"

namespace overlap::ui {

/// Makes a widget's content anew once for several changes, and only while the widget is seen: what changes while it is
/// hidden, or behind another dock, is made when it is shown.
class SeenRefresh : public QObject {
  public:
    /// @param settle how long after the last change.
    /// @param refresh called on the widget's thread.
    SeenRefresh(QWidget& seen, std::chrono::milliseconds settle, std::function<void()> refresh);

    /// The content is no longer right.
    void schedule();
    /// A change waits, for the widget to be seen or for changes to settle.
    bool outdated() const { return outdated_; }
    /// A change waits and the widget is seen.
    bool waiting() const { return waiting_.isActive(); }

  private:
    SeenWatch watch_;
    std::function<void()> refresh_;
    QTimer waiting_;
    bool outdated_ = true;
};

}  // namespace overlap::ui
