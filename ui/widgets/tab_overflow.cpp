#include "ui/widgets/tab_overflow.h"

#include <QCoreApplication>
#include <QMenu>
#include <QProxyStyle>
#include <QStyle>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>

namespace overlap::ui {
namespace {

/// Qt lays tabs out anew for nothing less, where neither their texts nor the bar's size have changed.
void layOutAnew(QTabBar& tabs) {
    QEvent changed(QEvent::StyleChange);
    QCoreApplication::sendEvent(&tabs, &changed);
}

/// Takes up what the style sheet says for the value. Its names are in the window's style sheet.
void setStyled(QTabBar& tabs, const char* name, bool on) {
    if (tabs.property(name).toBool() == on) return;
    tabs.setProperty(name, on);
    tabs.style()->unpolish(&tabs);
    tabs.style()->polish(&tabs);
    layOutAnew(tabs);
    tabs.updateGeometry();
}

}  // namespace

void showTab(QTabBar& tabs, int tab, bool shown) {
    if (tabs.isTabVisible(tab) != shown) tabs.setTabVisible(tab, shown);
}

/// Qt keeps room for two buttons that scroll.
class RoomForButtons : public QProxyStyle {
  public:
    explicit RoomForButtons(QTabBar& tabs) : QProxyStyle(QStringLiteral("fusion")) {
        setParent(&tabs);
        tabs.setStyle(this);
    }

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
        return metric == PM_TabBarScrollButtonWidth ? count_ * TabOverflow::button_width / 2
                                                    : QProxyStyle::pixelMetric(metric, option, widget);
    }

    int count() const { return count_; }
    void setCount(int count) { count_ = count; }

  private:
    int count_ = 2;
};

TabOverflow::TabOverflow(QTabBar& tabs, const QString& help, TabPadding padding)
    : QObject(&tabs),
      tabs_(tabs),
      padding_(padding),
      back_(tabs.findChild<QToolButton*>("ScrollLeftButton", Qt::FindDirectChildrenOnly)),
      forward_(tabs.findChild<QToolButton*>("ScrollRightButton", Qt::FindDirectChildrenOnly)),
      list_(new QToolButton(&tabs)),
      room_(new RoomForButtons(tabs)) {
    tabs.setUsesScrollButtons(true);
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
    takeRoom();
    place();
}

/// For the buttons that are shown where tabs do not fit.
void TabOverflow::takeRoom() {
    const int buttons = (tabs_.width() < narrow_bar ? 1 : 3) + (corner_ ? 1 : 0);
    if (buttons == room_->count()) return;
    room_->setCount(buttons);
    layOutAnew(tabs_);
}

QMenu* TabOverflow::makeMenu() {
    auto* menu = new QMenu(&tabs_);
    for (int tab = 0; tab < tabs_.count(); ++tab) {
        if (!tabs_.isTabVisible(tab)) continue;
        QAction* action = menu->addAction(tabs_.tabIcon(tab), tabs_.tabText(tab), &tabs_,
                                          [this, tab] { tabs_.setCurrentIndex(tab); });
        action->setCheckable(true);
        action->setChecked(tab == tabs_.currentIndex());
    }
    return menu;
}

void TabOverflow::setCorner(QToolButton* corner) {
    corner_ = corner;
    corner->setParent(&tabs_);
    corner->show();
    takeRoom();
    setStyled(tabs_, "hasCorner", true);
    place();
}

bool TabOverflow::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Move:
        case QEvent::Resize:
        case QEvent::ShowToParent:
        case QEvent::HideToParent:
            place();
            // Tabs that have longer names no more fit are seen by the buttons that appear.
            if (event->type() == (watched == &tabs_ ? QEvent::Resize : QEvent::ShowToParent))
                QTimer::singleShot(0, this, &TabOverflow::fit);
            break;
        default:
            break;
    }
    return QObject::eventFilter(watched, event);
}

/// Closer together where they do not fit.
void TabOverflow::fit() {
    takeRoom();
    // As wide as the bar itself would have all tabs: icons, borders and the current one's weight belong to them.
    int width = tabs_.sizeHint().width();
    if (tabs_.property("dense").toBool())
        for (int tab = 0; tab < tabs_.count(); ++tab)
            if (tabs_.isTabVisible(tab)) width += 2 * (padding_.wide - padding_.dense);
    setStyled(tabs_, "dense", width > tabs_.width());
    showCurrent();
}

/// Qt scrolls to the current tab when anything but the width of the bar has changed.
void TabOverflow::showCurrent() {
    tabs_.setUsesScrollButtons(true);
}

/// Qt lays two buttons out over the room; they share it with the others.
void TabOverflow::place() {
    list_->setVisible(!forward_->isHidden());
    int x = tabs_.width();
    if (corner_) corner_->setGeometry(x -= button_width, 0, button_width, tabs_.height());
    if (forward_->isHidden()) return;
    for (QToolButton* button : {list_, forward_, back_}) {
        const int width = button == list_ || tabs_.width() >= narrow_bar ? button_width : 0;
        button->setGeometry(x -= width, 0, width, tabs_.height());
    }
    list_->raise();
}

}  // namespace overlap::ui
