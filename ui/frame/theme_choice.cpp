#include "ui/frame/theme_choice.h"

#include <QWidget>
#include <utility>

#include "ui/frame/actions.h"
#include "ui/frame/icons.h"
#include "ui/frame/shell_style.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

ThemeChoice::ThemeChoice(Actions& actions, QWidget& window) : actions_(actions), window_(window) {
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ThemeChoice::apply);
}

void ThemeChoice::registerActions() {
    for (const auto& [name, text] : {std::pair{"system", tr("Theme: as the s&ystem")},
                                     {"light", tr("Theme: &light")},
                                     {"dark", tr("Theme: &dark")}}) {
        const QString mode = QString::fromLatin1(name);
        actions_
            .add(QStringLiteral("view.theme.") + mode, tr("View"), text, tr("Change the colours of the application"),
                 {}, [this, mode] { choose(mode); })
            ->setCheckable(true);
    }
    actions_.find(QStringLiteral("view.theme.system"))->setChecked(true);
}

void ThemeChoice::choose(const QString& name) {
    const ThemeMode mode = name == u"light" ? ThemeMode::Light : name == u"dark" ? ThemeMode::Dark : ThemeMode::System;
    const QString known = mode == ThemeMode::System ? QStringLiteral("system") : name;
    ThemeManager::instance().setMode(mode);
    for (const QString& choice : {QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark")})
        actions_.find(QStringLiteral("view.theme.") + choice)->setChecked(choice == known);
    emit chosen(known);
}

void ThemeChoice::apply() {
    window_.setStyleSheet(shellStyleSheet(currentTheme()));
    for (const Actions::Entry& entry : actions_.entries())
        if (const QString icon = entry.action->property("iconName").toString(); !icon.isEmpty())
            entry.action->setIcon(themedIcon(icon));
}

}  // namespace overlap::ui
