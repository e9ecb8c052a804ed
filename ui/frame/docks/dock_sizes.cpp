#include "ui/frame/docks/dock_sizes.h"

#include <QDockWidget>
#include <QLayout>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QTabBar>
#include <algorithm>

namespace overlap::ui {
namespace {

constexpr int lowest = 150;  ///< of a panel below, in a window of any height: a bar and some rows, or a chart

}  // namespace

DockSizes::DockSizes(QMainWindow& window) : QObject(&window), window_(window) {
    window.installEventFilter(this);
}

void DockSizes::watch(QDockWidget* dock) {
    wanted_.insert(dock, 0);
    dock->installEventFilter(this);
}

void DockSizes::setWidths(const QHash<QString, int>& widths) {
    for (auto dock = wanted_.begin(); dock != wanted_.end(); ++dock)
        dock.value() = widths.value(dock.key()->objectName(), dock.value());
    widen();
}

QHash<QString, int> DockSizes::widths() const {
    QHash<QString, int> widths;
    for (auto dock = wanted_.cbegin(); dock != wanted_.cend(); ++dock)
        if (dock.value() > 0) widths.insert(dock.key()->objectName(), dock.value());
    return widths;
}

bool DockSizes::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &window_) {
        if (event->type() == QEvent::MouseButtonPress) pressed_ = true;
        if (event->type() == QEvent::MouseButtonRelease) pressed_ = false;
        return QObject::eventFilter(watched, event);
    }
    // The layout runs before the window receives its size: changes at an unchanged size were made by the user.
    const bool squeezed = !kept_ || lowering_ || window_.size() != window_size_;
    if (event->type() == QEvent::Resize && !squeezed) {
        const auto* resize = static_cast<QResizeEvent*>(event);
        auto* dock = static_cast<QDockWidget*>(watched);
        if (pressed_ && !dock->isFloating() && resize->size().width() != resize->oldSize().width())
            wanted_[dock] = resize->size().width();
        // A dock that comes to the front gets the height that the one before it had.
        const int height = resize->size().height();
        if (isInFront(dock) && height != below_.shown) below_ = {height, window_.height(), height};
    }
    return QObject::eventFilter(watched, event);
}

bool DockSizes::isIn(QDockWidget* dock, Qt::DockWidgetAreas areas) const {
    return areas.testFlag(window_.dockWidgetArea(dock)) && !dock->isFloating() && !dock->isHidden();
}

/// Qt keeps docks behind the one in front outside of the window, in a size that nobody has chosen.
bool DockSizes::isInFront(QDockWidget* dock) const {
    return isIn(dock, Qt::BottomDockWidgetArea) && window_.rect().intersects(dock->geometry());
}

int DockSizes::tabsHeight(const QDockWidget* dock) const {
    for (const QTabBar* tabs : window_.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
        for (int tab = 0; tab < tabs->count(); ++tab)
            if (tabs->tabText(tab) == dock->windowTitle()) return tabs->height();
    return 0;
}

void DockSizes::setKept(bool kept) {
    if (kept) {
        window_.layout()->activate();
        lower();
        widen();
        window_size_ = window_.size();
    }
    kept_ = kept;
}

void DockSizes::windowResized(const QSize& before) {
    if (!kept_) return;
    if (window_.width() > before.width()) widen();
    if (window_.height() != before.height()) lower();
    window_size_ = window_.size();
}

void DockSizes::widen() {
    QList<QDockWidget*> docks;
    QList<int> widths;
    for (auto dock = wanted_.cbegin(); dock != wanted_.cend(); ++dock) {
        if (!isIn(dock.key(), Qt::LeftDockWidgetArea | Qt::RightDockWidgetArea)) continue;
        if (dock.key()->width() >= dock.value()) continue;
        docks.append(dock.key());
        widths.append(dock.value());
    }
    if (!docks.isEmpty()) window_.resizeDocks(docks, widths, Qt::Horizontal);
}

void DockSizes::lower() {
    if (below_.of_window <= 0) return;
    for (auto dock = wanted_.cbegin(); dock != wanted_.cend(); ++dock) {
        if (!isInFront(dock.key())) continue;
        // The window gives docks that share tabs a height with their tabs.
        const int tabs = tabsHeight(dock.key()), whole = below_.wanted + tabs;
        const int share = whole * window_.height() / below_.of_window;
        const int height = std::min(whole, std::max(share, tabs + lowest));
        const QScopedValueRollback guard(lowering_, true);
        window_.resizeDocks({dock.key()}, {height}, Qt::Vertical);
        window_.layout()->activate();
        below_.shown = dock.key()->height();  // less than asked for where the others need the room
        return;
    }
}

}  // namespace overlap::ui
