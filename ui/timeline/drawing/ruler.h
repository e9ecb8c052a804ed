#pragma once

#include <QPainter>
#include <QRect>
#include <vector>

#include "core/timeline/time_axis.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

/// Columns of an image of device pixels at which the ruler has ticks.
std::vector<int> gridColumns(const TimeAxis& deviceAxis, double pixelRatio);
/// Ticks with their labels.
void paintRuler(QPainter& painter, const QRect& place, TimeRange range, const Theme& theme);
/// A moment to the precision that one pixel of `axis` has.
QString momentText(std::int64_t time_ns, const TimeAxis& axis);

}  // namespace overlap::ui
