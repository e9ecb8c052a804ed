#pragma once

class QPoint;
class QWidget;

namespace overlap::ui {

/// Moves a popup, which has its size already, below a place of the screen; where there is no room below, or on the
/// right, as far up or left as is needed. It stays on its parent's screen.
void movePopupBelow(QWidget& popup, const QPoint& position);

}  // namespace overlap::ui
