#pragma once

#include <QStringList>
#include <span>

namespace overlap::ui {

/// Times that stand below one another, as formatTime() writes them; those that differ have as many digits as tell them
/// apart.
QStringList formatTimesApart(std::span<const double> times_ms);

/// Milliseconds to the microsecond, whatever the time, for tool tips: `1600.312 ms`.
QString formatExactTime(double ms);

}  // namespace overlap::ui
