#include "ui/frame/docks/dock_tabs.h"

#include <QChildEvent>
#include <QDockWidget>
#include <QMainWindow>
#include <QTabBar>
#include <QToolButton>

#include "ui/frame/docks/enlarge_button.h"
#include "ui/widgets/tab_overflow.h"

namespace overlap::ui {

DockTabs::DockTabs(QMainWindow& window) : QObject(&window), window_(window) {
    window.installEventFilter(this);
}

QDockWidget* DockTabs::dockOf(const QTabBar& tabs, int tab) const {
    for (QDockWidget* dock : window_.findChildren<QDockWidget*>())
        if (dock->windowTitle() == tabs.tabText(tab)) return dock;
    return nullptr;
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event) {
    // Qt makes the bars when docks come together, and calls them complete when it polishes them.
    if (event->type() == QEvent::ChildPolished) {
        auto* tabs = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child());
        if (tabs && !tabs->findChild<TabOverflow*>()) {
            tabs->setElideMode(Qt::ElideNone);
            auto* corner = new EnlargeButton;
            (new TabOverflow(*tabs, tr("All panels")))->setCorner(corner);
            connect(corner, &QToolButton::clicked, this, [this, tabs] {
                if (QDockWidget* dock = dockOf(*tabs, tabs->currentIndex())) emit enlargeWanted(dock);
            });
            connect(tabs, &QTabBar::tabBarClicked, this, [this, tabs](int tab) {
                if (QDockWidget* dock = dockOf(*tabs, tab)) emit clicked(dock);
            });
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace overlap::ui
