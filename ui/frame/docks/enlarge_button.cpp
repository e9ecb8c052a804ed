#include "ui/frame/docks/enlarge_button.h"

#include "ui/frame/icons.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

EnlargeButton::EnlargeButton(QWidget* parent) : QToolButton(parent) {
    setObjectName("enlarge");
    setAutoRaise(true);
    setFocusPolicy(Qt::NoFocus);
    setIconSize({12, 12});
    setEnlarged(false);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &EnlargeButton::showIcon);
}

void EnlargeButton::setEnlarged(bool enlarged) {
    enlarged_ = enlarged;
    setToolTip(enlarged ? tr("Show the other parts of the window again (F11)")
                        : tr("Give this part the whole window (F11)"));
    setAccessibleName(toolTip());
    showIcon();
}

void EnlargeButton::showIcon() {
    setIcon(themedIcon(enlarged_ ? QStringLiteral("shrink") : QStringLiteral("enlarge")));
}

}  // namespace overlap::ui
