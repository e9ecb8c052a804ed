#pragma once

#include <QString>
#include <vector>

#include "ui/theme/numbers.h"

namespace overlap::ui {

/// A round value of an axis, and how it is written there.
struct AxisTick {
    double value = 0;
    QString label;
};

/// The multiples of 1, 2 or 5 times a power of ten of one unit that lie in a range, all with as many decimals as they
/// need: `1400 ms`, `2.5 GiB`.
/// @param unit Unit::Time of milliseconds, or Unit::Bytes.
/// @param most how many there may be; the finest step with no more is taken.
std::vector<AxisTick> axisTicks(double lowest, double highest, Unit unit, int most);

}  // namespace overlap::ui
