#pragma once

#include <QHash>
#include <QObject>
#include <QString>

class QDockWidget;
class QMainWindow;
class QTabBar;

namespace overlap::ui {

/// Rows of tabs that docks share in the window, as soon as there are any, keep whole names and overflow. A button at
/// their end asks for the whole window for the dock in front, and what is to be said of that dock stands beside it.
class DockTabs : public QObject {
    Q_OBJECT

  public:
    explicit DockTabs(QMainWindow& window);

    /// Said while the dock is in front, where tabs leave room for it; nothing else moves. Empty: nothing.
    void setNote(QDockWidget* dock, const QString& note);
    QString note(QDockWidget* dock) const { return notes_.value(dock); }

  signals:
    void enlargeWanted(QDockWidget* dock);
    /// The tab of a dock was clicked, which is in front already or will be.
    void clicked(QDockWidget* dock);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QDockWidget* dockOf(const QTabBar& tabs, int tab) const;
    void complete(QTabBar& tabs);
    void showNote(QTabBar& tabs) const;

    QMainWindow& window_;
    QHash<QDockWidget*, QString> notes_;
};

}  // namespace overlap::ui
