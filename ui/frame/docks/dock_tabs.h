#pragma once

#include <QObject>

class QDockWidget;
class QMainWindow;
class QTabBar;

namespace overlap::ui {

/// Rows of tabs that docks share in the window, as soon as there are any, keep whole names and overflow. A button at
/// their end asks for the whole window for the dock in front.
class DockTabs : public QObject {
    Q_OBJECT

  public:
    explicit DockTabs(QMainWindow& window);

  signals:
    void enlargeWanted(QDockWidget* dock);
    /// The tab of a dock was clicked, which is in front already or will be.
    void clicked(QDockWidget* dock);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QDockWidget* dockOf(const QTabBar& tabs, int tab) const;

    QMainWindow& window_;
};

}  // namespace overlap::ui
