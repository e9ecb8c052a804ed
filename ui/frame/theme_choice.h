#pragma once

#include <QObject>

class QWidget;

namespace overlap::ui {

class Actions;

/// The colours of the window: follows the application's theme, and lets the user choose it.
class ThemeChoice : public QObject {
    Q_OBJECT

  public:
    /// @param actions get icons in the theme's colours, those with the property `iconName`.
    ThemeChoice(Actions& actions, QWidget& window);

    void registerActions();
    /// @param name light, dark, or anything else for the system's.
    void choose(const QString& name);
    /// Draws the window in the colours of the theme that is currently used.
    void apply();

  signals:
    /// @param name light, dark or system.
    void chosen(const QString& name);

  private:
    Actions& actions_;
    QWidget& window_;
};

}  // namespace overlap::ui
