#include "ui/timeline/paced_repaint.h"

#include <QLoggingCategory>
#include <QTimerEvent>
#include <QWidget>
#include <algorithm>

namespace overlap::ui {
namespace {

Q_LOGGING_CATEGORY(frameTime, "overlap.timeline.frametime", QtInfoMsg)

constexpr qint64 frameMs = 16;

}  // namespace

PacedRepaint::PacedRepaint(QWidget& widget) : widget_(widget) {}

void PacedRepaint::request() {
    request(widget_.rect());
}

void PacedRepaint::request(const QRegion& region) {
    changed_ += region;
    if (next_.isActive()) return;
    const qint64 waited = sinceFrame_.isValid() ? sinceFrame_.elapsed() : frameMs;
    next_.start(static_cast<int>(std::max<qint64>(0, frameMs - waited)), Qt::PreciseTimer, this);
}

void PacedRepaint::timerEvent(QTimerEvent* event) {
    if (event->timerId() != next_.timerId()) return QObject::timerEvent(event);
    next_.stop();
    widget_.update(changed_);
    changed_ = {};
}

void PacedRepaint::frameBegins() {
    sinceFrame_.start();
}

void PacedRepaint::frameEnds(std::uint64_t rasterised) {
    const double took_ms = static_cast<double>(sinceFrame_.nsecsElapsed()) * 1e-6;
    worst_ms_ = std::max(worst_ms_, took_ms);
    qCDebug(frameTime, "frame %.2f ms, worst %.2f ms, rasterised %llu times", took_ms, worst_ms_,
            static_cast<unsigned long long>(rasterised));
}

}  // namespace overlap::ui
