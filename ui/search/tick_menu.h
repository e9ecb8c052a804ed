#pragma once

#include <QMenu>

namespace overlap::ui {

/// A menu that stays open while its items are ticked.
class TickMenu : public QMenu {
    Q_OBJECT

  public:
    using QMenu::QMenu;

  protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    bool tick(QAction* action);
};

}  // namespace overlap::ui
