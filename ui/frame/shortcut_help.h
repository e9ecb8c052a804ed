#pragma once

#include <QDialog>

namespace overlap::ui {

class Actions;

/// The list of all shortcuts, made from the registry of actions.
class ShortcutHelp : public QDialog {
    Q_OBJECT

  public:
    ShortcutHelp(const Actions& actions, QWidget* window);
};

}  // namespace overlap::ui
