#include "ui/search/tick_menu.h"

#include <QKeyEvent>
#include <QMouseEvent>

namespace overlap::ui {

bool TickMenu::tick(QAction* action) {
    if (!action || !action->isCheckable() || !action->isEnabled()) return false;
    action->trigger();
    return true;
}

void TickMenu::mouseReleaseEvent(QMouseEvent* event) {
    if (!tick(actionAt(event->position().toPoint()))) QMenu::mouseReleaseEvent(event);
}

void TickMenu::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Space || !tick(activeAction())) QMenu::keyPressEvent(event);
}

}  // namespace overlap::ui
