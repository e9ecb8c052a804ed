#pragma once

#include <QBasicTimer>
#include <QObject>

#include "ui/timeline/held_keys.h"

namespace overlap::ui {

/// Turns the keys that move into motion: one step when a key is pressed, and a little every 16 ms while it is held.
class KeyGlide : public QObject {
    Q_OBJECT

  public:
    /// @returns whether `event` is a key that moves. Its repetitions by the system move nothing.
    bool press(const QKeyEvent& event);
    void release(const QKeyEvent& event);
    /// As if all keys were released: who is not focused any more does not see that they are.
    void stop();
    /// True while keys move something.
    bool moving() const { return timer_.isActive(); }

  signals:
    void moved(const overlap::ui::HeldKeys::Motion& motion);

  protected:
    void timerEvent(QTimerEvent* event) override;

  private:
    HeldKeys held_;
    QBasicTimer timer_;
};

}  // namespace overlap::ui
