#include "ui/frame/docks/dock_tabs.h"

#include <QChildEvent>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "ui/frame/docks/enlarge_button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/tab_overflow.h"

namespace overlap::ui {
namespace {

/// Less room than that tells nothing.
constexpr int narrowest_note = 48;
constexpr int beside_note = 12;

}  // namespace

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
        if (tabs && watched == &window_ && !tabs->findChild<TabOverflow*>()) complete(*tabs);
    }
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show) {
        // Once tabs are where they will be.
        if (auto* tabs = qobject_cast<QTabBar*>(watched))
            QTimer::singleShot(0, tabs, [this, tabs] { showNote(*tabs); });
    }
    return QObject::eventFilter(watched, event);
}

void DockTabs::complete(QTabBar& tabs) {
    tabs.setElideMode(Qt::ElideNone);
    auto* corner = new EnlargeButton;
    (new TabOverflow(tabs, tr("All panels")))->setCorner(corner);
    auto* note = new ElidedLabel(&tabs);
    note->setObjectName("dockNote");
    note->setProperty("role", "dim");
    note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    note->hide();
    tabs.installEventFilter(this);
    connect(corner, &QToolButton::clicked, this, [this, &tabs] {
        if (QDockWidget* dock = dockOf(tabs, tabs.currentIndex())) emit enlargeWanted(dock);
    });
    connect(&tabs, &QTabBar::tabBarClicked, this, [this, &tabs](int tab) {
        if (QDockWidget* dock = dockOf(tabs, tab)) emit clicked(dock);
    });
    connect(&tabs, &QTabBar::currentChanged, this, [this, &tabs] { showNote(tabs); });
}

void DockTabs::setNote(QDockWidget* dock, const QString& note) {
    if (notes_.value(dock) == note) return;
    notes_.insert(dock, note);
    for (QTabBar* tabs : window_.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly)) showNote(*tabs);
}

void DockTabs::showNote(QTabBar& tabs) const {
    auto* label = tabs.findChild<QLabel*>(QStringLiteral("dockNote"), Qt::FindDirectChildrenOnly);
    if (!label) return;
    label->setText(notes_.value(dockOf(tabs, tabs.currentIndex())));
    label->setToolTip(label->text());
    int begin = beside_note;
    for (int tab = 0; tab < tabs.count(); ++tab)
        if (tabs.isTabVisible(tab)) begin = std::max(begin, tabs.tabRect(tab).right() + beside_note);
    const int end = tabs.width() - TabOverflow::button_width - beside_note;
    label->setGeometry(begin, 0, std::max(0, end - begin), tabs.height());
    label->setVisible(!label->text().isEmpty() && end - begin >= narrowest_note);
}

}  // namespace overlap::ui
