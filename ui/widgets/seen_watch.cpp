#include "ui/widgets/seen_watch.h"

#include <QDockWidget>
#include <QEvent>
#include <QTimer>

namespace overlap::ui {

SeenWatch::SeenWatch(QWidget& widget) : widget_(widget) {
    widget.installEventFilter(this);
}

bool SeenWatch::isSeen() const {
    if (!widget_.isVisible()) return false;
    // Docks behind others are beside the window.
    return !dock_ || dock_->isWindow() || dock_->parentWidget()->rect().intersects(dock_->geometry());
}

void SeenWatch::follow(QDockWidget* dock) {
    if (dock == dock_) return;
    if (dock_) dock_->disconnect(this);
    dock_ = dock;
    if (!dock) return;
    connect(dock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible && widget_.isVisible()) emit seen();
    });
}

bool SeenWatch::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &widget_ && event->type() == QEvent::Show) {
        QDockWidget* dock = nullptr;
        for (QWidget* around = widget_.parentWidget(); around && !dock; around = around->parentWidget())
            dock = qobject_cast<QDockWidget*>(around);
        follow(dock);
        if (!dock) {
            emit seen();
        } else {
            // The window puts docks behind others only when all are shown.
            QTimer::singleShot(0, this, [this] {
                if (isSeen()) emit seen();
            });
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace overlap::ui
