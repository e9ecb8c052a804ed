#include "ui/widgets/seen_refresh.h"

#include <QEvent>
#include <QWidget>
#include <utility>

namespace overlap::ui {

SeenRefresh::SeenRefresh(QWidget& seen, std::chrono::milliseconds settle, std::function<void()> refresh)
    : seen_(seen), refresh_(std::move(refresh)) {
    waiting_.setSingleShot(true);
    waiting_.setInterval(settle);
    waiting_.callOnTimeout(this, [this] {
        outdated_ = false;
        refresh_();
    });
    seen.installEventFilter(this);
}

void SeenRefresh::schedule() {
    outdated_ = true;
    if (seen_.isVisible()) waiting_.start();
}

bool SeenRefresh::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &seen_ && event->type() == QEvent::Show && outdated_) waiting_.start();
    return QObject::eventFilter(watched, event);
}

}  // namespace overlap::ui
