#include "ui/timeline/held_keys.h"

#include <algorithm>
#include <cmath>

namespace overlap::ui {
namespace {

constexpr double stepShare = 0.1;
constexpr double stepZoom = 0.8;
constexpr double fastTimes = 4;
constexpr double stepsPerSecond = 10;
constexpr qint64 pauseAfterStepMs = 180;
constexpr qint64 longestFrameMs = 100;  ///< after a hiccup the view does not leap

#if defined(Q_OS_WIN)
constexpr quint32 scanW = 17, scanA = 30, scanS = 31, scanD = 32;
#else
constexpr quint32 scanW = 25, scanA = 38, scanS = 39, scanD = 40;  // evdev codes + 8, on X11 and Wayland
#endif

HeldKeys::Motion motionOf(HeldKeys::Key key, double steps) {
    switch (key) {
        case HeldKeys::ZoomIn:
            return {std::pow(stepZoom, steps), 0};
        case HeldKeys::ZoomOut:
            return {std::pow(stepZoom, -steps), 0};
        case HeldKeys::PanLeft:
            return {1, -stepShare * steps};
        case HeldKeys::PanRight:
            return {1, stepShare * steps};
        case HeldKeys::None:
            break;
    }
    return {};
}

}  // namespace

HeldKeys::Key HeldKeys::keyOf(const QKeyEvent& event) {
    if (event.modifiers() & (Qt::ControlModifier | Qt::MetaModifier)) return None;
    if (event.key() == Qt::Key_Left) return PanLeft;
    if (event.key() == Qt::Key_Right) return PanRight;
#if !defined(Q_OS_MACOS)
    switch (event.nativeScanCode()) {
        case 0:
            break;  // made by a program, or a platform that does not report places: letters decide
        case scanW:
            return ZoomIn;
        case scanS:
            return ZoomOut;
        case scanA:
            return PanLeft;
        case scanD:
            return PanRight;
        default:
            return None;
    }
#endif
    switch (event.key()) {
        case Qt::Key_W:
            return ZoomIn;
        case Qt::Key_S:
            return ZoomOut;
        case Qt::Key_A:
            return PanLeft;
        case Qt::Key_D:
            return PanRight;
        default:
            return None;
    }
}

HeldKeys::Motion HeldKeys::stepOf(Key key, bool fast) {
    return motionOf(key, fast ? fastTimes : 1);
}

void HeldKeys::press(Key key, bool fast) {
    fast_ = fast;
    held_[key] = true;
    sincePress_.start();
    movedUntilMs_ = pauseAfterStepMs;
}

void HeldKeys::release(Key key) {
    if (key != None) held_[key] = false;
}

void HeldKeys::releaseAll() {
    held_.fill(false);
}

bool HeldKeys::any() const {
    return std::any_of(held_.begin(), held_.end(), [](bool held) { return held; });
}

HeldKeys::Motion HeldKeys::elapsedMotion() {
    Motion sum;
    const qint64 now = sincePress_.elapsed();
    const qint64 elapsed = std::min(longestFrameMs, now - movedUntilMs_);
    if (elapsed <= 0) return sum;
    movedUntilMs_ = now;
    const double steps = static_cast<double>(elapsed) / 1000 * stepsPerSecond * (fast_ ? fastTimes : 1);
    for (const Key key : {ZoomIn, ZoomOut, PanLeft, PanRight}) {
        if (!held_[key]) continue;
        const Motion motion = motionOf(key, steps);
        sum.zoom *= motion.zoom;
        sum.pan += motion.pan;
    }
    return sum;
}

}  // namespace overlap::ui
