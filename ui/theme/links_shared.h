#pragma once

#include <QCoreApplication>

#include "ui/theme/numbers.h"

namespace overlap::ui {

/// What a step is called in which process groups share the links they go over, beside one in which they do not.
inline QString linksSharedLabel() {
    return QCoreApplication::translate("Numbers", "with links shared");
}

/// What the exposed time of such a step is called.
inline QString exposedLinksSharedLabel() {
    return QCoreApplication::translate("Numbers", "exposed %1").arg(linksSharedLabel());
}

/// `with links shared 1,923 ms  −6.1 ms`: such a step, and how far it is from another one.
inline QString linksSharedChange(double before_ms, double after_ms) {
    return QStringLiteral("%1 %2  %3")
        .arg(linksSharedLabel(), formatTime(after_ms), formatDifference(after_ms - before_ms, Unit::Time));
}

}  // namespace overlap::ui
