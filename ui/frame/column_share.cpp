#include "ui/frame/column_share.h"

#include <QDockWidget>
#include <utility>

namespace overlap::ui {

ColumnShare::ColumnShare(QMainWindow& window, QDockWidget& upper, QDockWidget& lower)
    : QObject(&window), window_(window), upper_(upper), lower_(lower) {}

bool ColumnShare::inOneColumn() const {
    return !upper_.isFloating() && !lower_.isFloating() && upper_.isVisible() && lower_.isVisible() &&
           window_.dockWidgetArea(&upper_) == window_.dockWidgetArea(&lower_) && upper_.x() == lower_.x();
}

void ColumnShare::show(Upper upper) {
    if (shown_ == upper || !inOneColumn()) return;
    const std::optional<Upper> before = std::exchange(shown_, upper);
    const int both = upper_.height() + lower_.height();
    if (before) upper_share_[static_cast<std::size_t>(*before)] = static_cast<double>(upper_.height()) / both;
    // Initially a column for cards is as in the layout.
    if (!before && upper == Upper::cards) return;
    const int height = static_cast<int>(upper_share_[static_cast<std::size_t>(upper)] * both);
    window_.resizeDocks({&upper_, &lower_}, {height, both - height}, Qt::Vertical);
}

}  // namespace overlap::ui
