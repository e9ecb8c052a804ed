#include "ui/widgets/popup_place.h"

#include <QScreen>
#include <QWidget>
#include <algorithm>

namespace overlap::ui {

void movePopupBelow(QWidget& popup, const QPoint& position) {
    const QRect screen = popup.parentWidget()->screen()->availableGeometry();
    const int lowest_top = screen.bottom() - popup.height(), rightmost = screen.right() - popup.width();
    popup.move(std::clamp(position.x(), screen.left(), std::max(screen.left(), rightmost)),
               std::clamp(position.y(), screen.top(), std::max(screen.top(), lowest_top)));
}

}  // namespace overlap::ui
