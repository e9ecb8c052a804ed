#include "ui/frame/dock_widths.h"

#include <QDockWidget>
#include <QResizeEvent>

namespace overlap::ui {

DockWidths::DockWidths(QMainWindow& window) : QObject(&window), window_(window) {}

void DockWidths::watch(QDockWidget* dock) {
    wanted_.insert(dock, 0);
    dock->installEventFilter(this);
}

bool DockWidths::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        const auto* resize = static_cast<QResizeEvent*>(event);
        auto* dock = static_cast<QDockWidget*>(watched);
        // The layout runs before the window receives its size: changes at an unchanged size were made by the user.
        const bool squeezed = window_.size() != window_size_;
        if (!squeezed && !dock->isFloating() && resize->size().width() != resize->oldSize().width())
            wanted_[dock] = resize->size().width();
    }
    return QObject::eventFilter(watched, event);
}

void DockWidths::windowResized(const QSize& before) {
    if (window_.width() > before.width()) {
        QList<QDockWidget*> docks;
        QList<int> widths;
        for (auto dock = wanted_.cbegin(); dock != wanted_.cend(); ++dock) {
            const Qt::DockWidgetArea area = window_.dockWidgetArea(dock.key());
            const bool at_side = area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea;
            if (!at_side || dock.key()->isFloating() || dock.key()->isHidden() || dock.key()->width() >= dock.value())
                continue;
            docks.append(dock.key());
            widths.append(dock.value());
        }
        if (!docks.isEmpty()) window_.resizeDocks(docks, widths, Qt::Horizontal);
    }
    window_size_ = window_.size();
}

}  // namespace overlap::ui
