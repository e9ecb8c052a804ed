#include "ui/widgets/seen_refresh.h"

#include <utility>

namespace overlap::ui {

SeenRefresh::SeenRefresh(QWidget& seen, std::chrono::milliseconds settle, std::function<void()> refresh)
    : watch_(seen), refresh_(std::move(refresh)) {
    waiting_.setSingleShot(true);
    waiting_.setInterval(settle);
    waiting_.callOnTimeout(this, [this] {
        outdated_ = false;
        refresh_();
    });
    connect(&watch_, &SeenWatch::seen, this, [this] {
        if (outdated_) waiting_.start();
    });
}

void SeenRefresh::schedule() {
    outdated_ = true;
    if (watch_.isSeen()) waiting_.start();
}

}  // namespace overlap::ui
