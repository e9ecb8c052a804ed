#pragma once

#include <QObject>
#include <QStringList>

#include "ui/tasks/detached_tasks.h"

class QMenu;

namespace overlap::ui {

struct SessionState;

/// The files that were opened or saved last, in the session and in a menu.
class RecentFiles : public QObject {
    Q_OBJECT

  public:
    /// @param state of the session, which keeps the files.
    explicit RecentFiles(SessionState& state) : state_(state) {}

    /// Shows the files in this menu from now on.
    void setMenu(QMenu& menu);
    /// Moves files to the front.
    void add(const QStringList& files);
    /// Fills the menu again, and checks which of the files exist.
    void refresh();

  signals:
    void openWanted(const QString& file);
    /// The user has cleared the list.
    void cleared();

  private:
    void disableAway();

    SessionState& state_;
    QMenu* menu_ = nullptr;
    DetachedTasks questions_;  ///< whether files exist
};

}  // namespace overlap::ui
