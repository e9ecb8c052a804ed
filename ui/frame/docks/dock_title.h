#pragma once

#include <QDockWidget>
#include <QWidget>

class QLabel;

namespace overlap::ui {

/// The heading of a dock: its title with a note, and at the right the view's controls.
class DockTitle : public QWidget {
    Q_OBJECT

  public:
    DockTitle(QDockWidget* dock, QWidget* controls);

    /// Beside the title, in what room there is; nothing else moves. Empty: none.
    void setNote(const QString& note);

  private:
    QLabel* note_;
};

/// Gives a dock a heading in the application's look; `controls` may be null.
/// @param in_tabs the dock is in a row of tabs, which have its title already, and needs a heading only when it floats.
void setDockTitle(QDockWidget* dock, QWidget* controls, bool in_tabs = false);

}  // namespace overlap::ui
