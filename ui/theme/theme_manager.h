#pragma once

#include <QObject>

#include "ui/theme/theme.h"

namespace overlap::ui {

class SystemTheme;

enum class ThemeMode { System, Light, Dark };

/// The current theme. There is one for the application; views read current() when they paint and repaint on changed().
/// Before apply() nothing of the application's own palette or style is touched, so tests of single widgets need no
/// set-up.
class ThemeManager : public QObject {
    Q_OBJECT

  public:
    static ThemeManager& instance();

    ThemeMode mode() const { return mode_; }
    const Theme& current() const;

    /// Gives the QApplication font, palette and style sheet, and keeps them up to date from then on.
    void apply();

  public slots:
    void setMode(overlap::ui::ThemeMode mode);

  signals:
    /// The tokens have changed; palette and style sheet have been set already.
    void changed();

  private:
    ThemeManager();
    void refresh();

    SystemTheme* system_;
    ThemeMode mode_ = ThemeMode::System;
    bool applied_ = false;
    bool shownDark_ = true;
};

/// Shorthand for ThemeManager::instance().current().
const Theme& currentTheme();

}  // namespace overlap::ui
