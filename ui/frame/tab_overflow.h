#pragma once

#include <QObject>

class QMainWindow;
class QMenu;
class QTabBar;
class QToolButton;

namespace overlap::ui {

/// Tabs that do not fit into their bar scroll, and a button beside the two that scroll them lists all of them.
class TabOverflow : public QObject {
    Q_OBJECT

  public:
    /// @param tabs owns the object. @param help of the button that lists them.
    TabOverflow(QTabBar& tabs, const QString& help);

    /// Hidden while all tabs fit.
    QToolButton* listButton() const { return list_; }
    /// A menu of all tabs, the current one marked; the caller owns it.
    QMenu* makeMenu();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void place();
    void showCurrent();

    QTabBar& tabs_;
    QToolButton *back_, *forward_, *list_;
};

/// Rows of tabs that docks share in the window, as soon as there are any, keep whole names and overflow.
class DockTabs : public QObject {
    Q_OBJECT

  public:
    explicit DockTabs(QMainWindow& window);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace overlap::ui
