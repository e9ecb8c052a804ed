#pragma once

#include <QIcon>
#include <QString>

namespace overlap::ui {

/// An icon of resources/icons in the colours of the current theme. Icons are drawn in `currentColor`; create them again
/// when the theme changes.
QIcon themedIcon(const QString& name);

}  // namespace overlap::ui
