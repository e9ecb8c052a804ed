#pragma once

#include <QPainter>
#include <QRect>
#include <QRectF>
#include <span>
#include <vector>

#include "core/timeline/time_axis.h"
#include "core/timeline/timeline.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

/// Columns of an image of device pixels at which the ruler has ticks; none where the timeline has no times.
std::vector<int> gridColumns(const Timeline& timeline, const TimeAxis& deviceAxis, double pixelRatio);
/// A tick's label and where it is written.
struct RulerLabel {
    QString text;
    QRectF place;
};
/// Labels of a ruler at `place`, from left to right: each is whole and touches no other. At the ends they are moved
/// inwards, and left out where another is in the way.
std::vector<RulerLabel> rulerLabels(const QRect& place, TimeRange range);
/// Ticks with their labels; that there are no times, where `timeline` has none.
/// @param taken where other texts will stand: labels that these would cover a part of are left out.
void paintRuler(QPainter& painter, const QRect& place, const Timeline& timeline, TimeRange range, const Theme& theme,
                std::span<const QRectF> taken = {});
/// What stands there in place of ticks; empty where the timeline has times.
QString withoutTimesText(const Timeline& timeline);
/// A moment to the precision that one pixel of `axis` has.
QString momentText(std::int64_t time_ns, const TimeAxis& axis);
/// How long an event is, `1.2 ms`; of one that never ends from when on, `since 3 ms`.
QString durationText(const Timeline& timeline, EventLocation location);

}  // namespace overlap::ui
