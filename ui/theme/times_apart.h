#pragma once

#include <QStringList>
#include <span>

namespace overlap::ui {

/// Times that stand below one another, as formatTime() writes them; those that differ have as many digits as tell them
/// apart.
QStringList formatTimesApart(std::span<const double> times_ms);

}  // namespace overlap::ui
