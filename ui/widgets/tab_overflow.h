#pragma once

#include <QObject>

#include "ui/theme/tab_padding.h"

class QMenu;
class QTabBar;
class QToolButton;

namespace overlap::ui {

class RoomForButtons;

/// Shows a tab, or hides it. QTabBar's own function is not to be used: where a tab is shown or hidden already, it
/// forgets that the bar is to be laid out for those that were shown before, and they stay where nobody can reach them.
void showTab(QTabBar& tabs, int tab, bool shown);

/// Tabs that do not fit into their bar move closer together; where that is not enough they scroll, and a button beside
/// the two that scroll them lists all of them.
class TabOverflow : public QObject {
    Q_OBJECT

  public:
    /// Below this width the list alone leads to other tabs: buttons that scroll would leave no room for one.
    static constexpr int narrow_bar = 240;
    static constexpr int button_width = 24;

    /// @param tabs owns the object. @param help of the button that lists them. @param padding that the style sheet
    /// gives these tabs, and where their property `dense` is set.
    TabOverflow(QTabBar& tabs, const QString& help, TabPadding padding = usual_tab_padding);

    /// Hidden while all tabs fit.
    QToolButton* listButton() const { return list_; }
    /// A menu of all tabs that are visible, the current one marked; the caller owns it.
    QMenu* makeMenu();
    /// A button at the end of the bar, which tabs leave room for; becomes a child of the bar.
    void setCorner(QToolButton* corner);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void place();
    void takeRoom();
    void fit();
    void showCurrent();

    QTabBar& tabs_;
    TabPadding padding_;
    QToolButton *back_, *forward_, *list_;
    QToolButton* corner_ = nullptr;
    RoomForButtons* room_;  ///< the style of the bar, which owns it
};

}  // namespace overlap::ui
