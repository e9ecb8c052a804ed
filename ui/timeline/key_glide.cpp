#include "ui/timeline/key_glide.h"

#include <QTimerEvent>

namespace overlap::ui {
namespace {

constexpr int glideMs = 16;

}  // namespace

bool KeyGlide::press(const QKeyEvent& event) {
    const HeldKeys::Key key = HeldKeys::keyOf(event);
    if (key == HeldKeys::None) return false;
    if (event.isAutoRepeat()) return true;  // the timer moves, at its own pace
    const bool fast = event.modifiers() & Qt::AltModifier;
    emit moved(HeldKeys::stepOf(key, fast));
    held_.press(key, fast);
    timer_.start(glideMs, Qt::PreciseTimer, this);
    return true;
}

void KeyGlide::release(const QKeyEvent& event) {
    if (event.isAutoRepeat()) return;
    held_.release(HeldKeys::keyOf(event));
    if (!held_.any()) timer_.stop();
}

void KeyGlide::stop() {
    held_.releaseAll();
    timer_.stop();
}

void KeyGlide::timerEvent(QTimerEvent* event) {
    if (event->timerId() != timer_.timerId()) return QObject::timerEvent(event);
    emit moved(held_.elapsedMotion());
}

}  // namespace overlap::ui
