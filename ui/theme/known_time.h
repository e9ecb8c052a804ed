#pragma once

#include <QCoreApplication>

#include "ui/theme/numbers.h"

namespace overlap::ui {

/// formatTime(), or words where the time is not known: a 0 would be taken for one.
inline QString formatKnownTime(double ms, bool known) {
    return known ? formatTime(ms) : QCoreApplication::translate("Numbers", "no times");
}

}  // namespace overlap::ui
