#include "ui/theme/theme_manager.h"

#include <QApplication>

#include "ui/theme/system_theme.h"

namespace overlap::ui {

ThemeManager& ThemeManager::instance() {
    // A child of the application, so that it goes before the application does. A test that makes several applications
    // in a row gets a new one for each.
    static ThemeManager* manager = nullptr;
    if (!manager) {
        manager = new ThemeManager;
        connect(manager, &QObject::destroyed, [] { manager = nullptr; });
    }
    return *manager;
}

ThemeManager::ThemeManager() : QObject(qApp), system_(new SystemTheme(this)) {
    shownDark_ = current().dark;
    connect(system_, &SystemTheme::changed, this, &ThemeManager::refresh);
}

const Theme& ThemeManager::current() const {
    const bool dark = mode_ == ThemeMode::Dark || (mode_ == ThemeMode::System && system_->isDark());
    return dark ? darkTheme() : lightTheme();
}

void ThemeManager::setMode(ThemeMode mode) {
    mode_ = mode;
    refresh();
}

void ThemeManager::apply() {
    applied_ = true;
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication::setFont(textFont());
    shownDark_ = !current().dark;
    refresh();
}

void ThemeManager::refresh() {
    if (current().dark == shownDark_) return;
    shownDark_ = current().dark;
    if (applied_) {
        QApplication::setPalette(paletteOf(current()));
        qApp->setStyleSheet(styleSheetOf(current()));
    }
    emit changed();
}

const Theme& currentTheme() {
    return ThemeManager::instance().current();
}

}  // namespace overlap::ui
