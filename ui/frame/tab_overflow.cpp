#include "ui/frame/tab_overflow.h"

#include <QChildEvent>
#include <QMainWindow>
#include <QMenu>
#include <QProxyStyle>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>

namespace overlap::ui {
namespace {

constexpr int button_width = 24;

/// Qt keeps room for two buttons that scroll.
class RoomForThree : public QProxyStyle {
  public:
    RoomForThree() : QProxyStyle(QStringLiteral("fusion")) {}

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
        return metric == PM_TabBarScrollButtonWidth ? 3 * button_width / 2
                                                    : QProxyStyle::pixelMetric(metric, option, widget);
    }
};

}  // namespace

TabOverflow::TabOverflow(QTabBar& tabs, const QString& help)
    : QObject(&tabs),
      tabs_(tabs),
      back_(tabs.findChild<QToolButton*>("ScrollLeftButton", Qt::FindDirectChildrenOnly)),
      forward_(tabs.findChild<QToolButton*>("ScrollRightButton", Qt::FindDirectChildrenOnly)),
      list_(new QToolButton(&tabs)) {
    tabs.setUsesScrollButtons(true);
    auto* style = new RoomForThree;
    style->setParent(&tabs);
    tabs.setStyle(style);
    list_->setObjectName("allTabs");
    list_->setText(QStringLiteral("▾"));
    list_->setAutoRaise(true);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setToolTip(help);
    list_->setAccessibleName(help);
    list_->hide();
    connect(list_, &QToolButton::clicked, this, [this] {
        QMenu* menu = makeMenu();
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->popup(list_->mapToGlobal(QPoint(0, list_->height())));
    });
    for (QObject* watched : std::initializer_list<QObject*>{back_, forward_, &tabs}) watched->installEventFilter(this);
    place();
}

QMenu* TabOverflow::makeMenu() {
    auto* menu = new QMenu(&tabs_);
    for (int tab = 0; tab < tabs_.count(); ++tab) {
        QAction* action = menu->addAction(tabs_.tabIcon(tab), tabs_.tabText(tab), &tabs_,
                                          [this, tab] { tabs_.setCurrentIndex(tab); });
        action->setCheckable(true);
        action->setChecked(tab == tabs_.currentIndex());
    }
    return menu;
}

bool TabOverflow::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Move:
        case QEvent::Resize:
        case QEvent::ShowToParent:
        case QEvent::HideToParent:
            if (watched != &tabs_)
                place();
            else if (event->type() == QEvent::Resize)
                QTimer::singleShot(0, this, &TabOverflow::showCurrent);
            break;
        default:
            break;
    }
    return QObject::eventFilter(watched, event);
}

/// Qt scrolls to the current tab when anything but the width of the bar has changed.
void TabOverflow::showCurrent() {
    tabs_.setUsesScrollButtons(true);
}

/// Qt lays two buttons out over the room; they share it with the third.
void TabOverflow::place() {
    list_->setVisible(!forward_->isHidden());
    if (forward_->isHidden()) return;
    int x = tabs_.width();
    for (QToolButton* button : {list_, forward_, back_})
        button->setGeometry(x -= button_width, 0, button_width, tabs_.height());
    list_->raise();
}

DockTabs::DockTabs(QMainWindow& window) : QObject(&window) {
    window.installEventFilter(this);
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event) {
    // Qt makes the bars when docks come together, and calls them complete when it polishes them.
    if (event->type() == QEvent::ChildPolished) {
        auto* tabs = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child());
        if (tabs && !tabs->findChild<TabOverflow*>()) {
            tabs->setElideMode(Qt::ElideNone);
            new TabOverflow(*tabs, tr("All panels"));
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace overlap::ui
