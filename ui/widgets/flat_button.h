#pragma once

#include <QToolButton>

namespace overlap::ui {

/// A button without a frame; `help` is its tool tip and its name for screen readers.
inline QToolButton* flatButton(const QString& text, const QString& help) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setAutoRaise(true);
    button->setToolTip(help);
    button->setAccessibleName(help);
    return button;
}

}  // namespace overlap::ui
