#pragma once

#include <QElapsedTimer>
#include <QKeyEvent>
#include <array>

namespace overlap::ui {

/// The keys that move for as long as they are held: W A S D by their place on the keyboard, whatever letters are
/// printed there, and Left and Right.
class HeldKeys {
  public:
    enum Key { ZoomIn, ZoomOut, PanLeft, PanRight, None };

    /// What to do since the last question.
    struct Motion {
        double zoom = 1;  ///< factor for the length of the range
        double pan = 0;   ///< share of the range
    };

    /// The key that `event` is about, or None.
    static Key keyOf(const QKeyEvent& event);
    /// One step, as for a key that is pressed shortly.
    static Motion stepOf(Key key, bool fast);

    void press(Key key, bool fast);
    void release(Key key);
    void releaseAll();
    bool any() const;
    /// Motion of all held keys over the time since the last call. The first moment after a press does not count: that
    /// was the step.
    Motion elapsedMotion();

  private:
    std::array<bool, 4> held_{};
    bool fast_ = false;
    QElapsedTimer sincePress_;
    qint64 movedUntilMs_ = 0;
};

}  // namespace overlap::ui
