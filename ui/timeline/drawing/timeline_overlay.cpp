#include "ui/timeline/drawing/timeline_overlay.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <QRegion>
#include <algorithm>
#include <cmath>

#include "ui/theme/numbers.h"
#include "ui/timeline/drawing/ruler.h"

namespace overlap::ui {
namespace {

constexpr int pointerLabelHalfWidth = 160;  ///< with labels of the ruler that give way to it

/// Lanes and memory together, with the gap between them.
QRect timeArea(const TimelineGeometry& geometry) {
    return geometry.memory.isEmpty() ? geometry.lanes : geometry.lanes.united(geometry.memory);
}

QRectF spanRect(const TimelineGeometry& geometry, TimeRange view, TimeRange span, const QRect& vertical) {
    const TimeAxis axis = geometry.axis(view);
    const double left = std::clamp(axis.x_of(span.begin_ns), -2.0, axis.width_px + 2);
    const double right = std::clamp(axis.x_of(span.end_ns), -2.0, axis.width_px + 2);
    return {geometry.lanes.left() + left, static_cast<double>(vertical.top()), right - left,
            static_cast<double>(vertical.height())};
}

/// Where a line of text stands, kept inside `bounds`.
QRectF plateOf(QPointF centre, const QString& text, const QRect& bounds) {
    const QFontMetricsF metrics(numberFont(smallTextPx));
    QRectF plate(0, 0, metrics.horizontalAdvance(text) + 12, metrics.height() + 4);
    plate.moveCenter(centre);
    plate.moveLeft(std::floor(std::clamp(plate.left(), static_cast<double>(bounds.left()),
                                         std::max<double>(bounds.left(), bounds.right() - plate.width()))));
    plate.moveTop(std::floor(plate.top()));
    return plate;
}

void paintPlate(QPainter& painter, const QRectF& plate, const QString& text, const Theme& theme, const QColor& ink) {
    painter.setFont(numberFont(smallTextPx));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.line);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(plate.translated(0.5, 0.5), 3, 3);
    painter.setPen(ink);
    painter.drawText(plate, Qt::AlignCenter, text);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintOutline(QPainter& painter, const OverlayScene& scene, EventLocation location, const QColor& colour,
                  int width) {
    const QRectF place = scene.geometry.eventRect(scene.timeline, location, scene.range);
    painter.setClipRect(scene.geometry.lanes.intersected(scene.geometry.clip(location.lane)));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    const double inset = width / 2.0;
    painter.drawRect(place.adjusted(inset, inset, -inset, -inset));
}

void paintArrow(QPainter& painter, const OverlayScene& scene, const TimelineArrow& arrow) {
    const EventLocation from = anchorOf(scene.timeline, arrow.from);
    const EventLocation to = anchorOf(scene.timeline, arrow.to);
    if (!from.valid() || !to.valid() || from == to) return;
    const QRectF first = scene.geometry.eventRect(scene.timeline, from, scene.range);
    const QRectF second = scene.geometry.eventRect(scene.timeline, to, scene.range);
    const QPointF begin(arrow.fromBeginning ? first.left() : first.right(), first.center().y());
    const QPointF end(second.left(), second.center().y());
    const double reach = std::clamp(std::abs(end.x() - begin.x()) / 2, 12.0, 60.0);
    QPainterPath path(begin);
    path.cubicTo(begin + QPointF(reach, 0), end - QPointF(reach, 0), end);
    painter.setBrush(Qt::NoBrush);
    // A line in the background's colour below keeps the curve apart from what it crosses.
    painter.setPen(QPen(scene.theme.background, 4));
    painter.drawPath(path);
    painter.setPen(QPen(scene.theme.text, 1.5));
    painter.drawPath(path);
    painter.setBrush(scene.theme.text);
    painter.setPen(scene.theme.background);
    painter.drawPolygon(QPolygonF{end + QPointF(1, 0), end + QPointF(-7, -4.5), end + QPointF(-7, 4.5)});
    painter.drawEllipse(begin, 3, 3);
}

QRectF measurementPlate(const OverlayScene& scene) {
    const QRect ruler = scene.geometry.ruler;
    const QRectF span = spanRect(scene.geometry, scene.range, *scene.measured, ruler);
    return plateOf({span.center().x(), ruler.center().y() + 0.5}, scene.measurement, ruler);
}

bool isOverTime(const OverlayScene& scene) {
    if (!scene.pointer || scene.marquee) return false;
    const QRect area = timeArea(scene.geometry);
    const double x = std::floor(scene.pointer->x());
    return x >= area.left() && x <= area.right();
}

/// Figures of a measurement stand on the ruler in its place.
bool saysItsTime(const OverlayScene& scene) {
    return isOverTime(scene) && scene.timeline.has_times() && !scene.measured;
}

QString pointerTime(const OverlayScene& scene) {
    const TimeAxis axis = scene.geometry.axis(scene.range);
    return momentText(axis.time_at(scene.pointer->x() - timeArea(scene.geometry).left()), axis);
}

QRectF pointerPlate(const OverlayScene& scene) {
    const QRect ruler = scene.geometry.ruler;
    return plateOf({std::floor(scene.pointer->x()), ruler.center().y() - 0.5}, pointerTime(scene), ruler);
}

void paintMeasurement(QPainter& painter, const OverlayScene& scene) {
    const QRect area = timeArea(scene.geometry).united(scene.geometry.ruler);
    const QRectF span = spanRect(scene.geometry, scene.range, *scene.measured, area);
    QColor veil = scene.theme.accent;
    veil.setAlphaF(0.12F);
    painter.setClipRect(area);
    painter.fillRect(span, veil);
    painter.fillRect(QRectF(std::floor(span.left()), span.top(), 1, span.height()), scene.theme.accent);
    painter.fillRect(QRectF(std::floor(span.right()), span.top(), 1, span.height()), scene.theme.accent);
    paintPlate(painter, measurementPlate(scene), scene.measurement, scene.theme, scene.theme.text);
}

void paintMarquee(QPainter& painter, const OverlayScene& scene) {
    const QRect area = timeArea(scene.geometry);
    const QRectF span = spanRect(scene.geometry, scene.range, *scene.marquee, area);
    QColor veil = scene.theme.background;
    veil.setAlphaF(0.55F);
    painter.setClipRect(area);
    painter.fillRect(QRectF(QPointF(area.left(), area.top()), QPointF(span.left(), area.bottom() + 1)), veil);
    painter.fillRect(QRectF(QPointF(span.right(), area.top()), QPointF(area.right() + 1, area.bottom() + 1)), veil);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(scene.theme.accent);
    painter.drawRect(span.adjusted(0.5, 0.5, -0.5, -0.5));
    const QString length = formatTime(static_cast<double>(scene.marquee->length_ns()) * 1e-6);
    paintPlate(painter, plateOf(span.center(), length, area), length, scene.theme, scene.theme.accent);
}

void paintBand(QPainter& painter, const OverlayScene& scene) {
    QColor veil = scene.theme.accent;
    veil.setAlphaF(0.15F);
    painter.setClipRect(scene.geometry.lanes);
    painter.setPen(scene.theme.accent);
    painter.setBrush(veil);
    painter.drawRect(scene.band->toAlignedRect());
}

void paintPointer(QPainter& painter, const OverlayScene& scene) {
    if (!isOverTime(scene)) return;
    const QRect area = timeArea(scene.geometry);
    const double x = std::floor(scene.pointer->x());
    QColor line = scene.theme.text;
    line.setAlphaF(0.75F);
    painter.fillRect(QRectF(x, scene.geometry.ruler.bottom() - 3, 1, area.bottom() - scene.geometry.ruler.bottom() + 4),
                     line);
    if (saysItsTime(scene)) paintPlate(painter, pointerPlate(scene), pointerTime(scene), scene.theme, scene.theme.text);
}

}  // namespace

std::vector<QRectF> platesOnRuler(const OverlayScene& scene) {
    std::vector<QRectF> plates;
    if (saysItsTime(scene)) plates.push_back(pointerPlate(scene));
    if (scene.measured) plates.push_back(measurementPlate(scene));
    return plates;
}

void paintOverlay(QPainter& painter, const OverlayScene& scene) {
    painter.save();
    painter.setClipRect(scene.geometry.lanes);
    for (const auto& occurrence : scene.timeline.find(scene.selectedReference)) {
        if (occurrence.location != scene.selection)
            paintOutline(painter, scene, occurrence.location, scene.theme.accent, 1);
    }
    for (const quint32 reference : scene.chosen)
        if (const EventLocation location = anchorOf(scene.timeline, reference); location.valid())
            paintOutline(painter, scene, location, scene.theme.accent, 2);
    if (scene.hovered.valid()) paintOutline(painter, scene, scene.hovered, scene.theme.text, 1);
    if (scene.selection.valid()) {
        // Two rings: the inner one keeps the outer apart from a fill of the accent's colour.
        const QRectF place = scene.geometry.eventRect(scene.timeline, scene.selection, scene.range);
        paintOutline(painter, scene, scene.selection, scene.theme.accent, 2);
        if (place.width() > 8) {
            painter.setPen(scene.theme.background);
            painter.drawRect(place.adjusted(2.5, 2.5, -2.5, -2.5));
        }
    }
    painter.setClipRect(scene.geometry.lanes);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const TimelineArrow& arrow : scene.arrows) paintArrow(painter, scene, arrow);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.restore();

    painter.save();
    if (scene.pointer) paintPointer(painter, scene);
    if (scene.measured) paintMeasurement(painter, scene);
    if (scene.marquee) paintMarquee(painter, scene);
    if (scene.band) paintBand(painter, scene);
    if (scene.dropLine_y >= 0)
        painter.fillRect(QRect(0, scene.dropLine_y - 1, scene.geometry.lanes.right(), 2), scene.theme.accent);
    painter.restore();
}

QRectF overviewRange(const Timeline& timeline, const TimelineGeometry& geometry, TimeRange range) {
    const TimeAxis axis{timeline.range(), static_cast<double>(geometry.overview.width())};
    const double begin = axis.x_of(range.begin_ns);
    const double end = std::min(axis.width_px, std::max(begin + 3, axis.x_of(range.end_ns)));
    return {geometry.overview.left() + std::min(begin, axis.width_px - 3), static_cast<double>(geometry.overview.top()),
            end - std::min(begin, axis.width_px - 3), static_cast<double>(geometry.overview.height())};
}

void paintOverviewRange(QPainter& painter, const OverlayScene& scene) {
    const QRectF shown = overviewRange(scene.timeline, scene.geometry, scene.range);
    const QRectF whole(scene.geometry.overview);
    QColor veil = scene.theme.panel;
    veil.setAlphaF(0.6F);
    painter.fillRect(QRectF(whole.topLeft(), QPointF(shown.left(), whole.bottom())), veil);
    painter.fillRect(QRectF(QPointF(shown.right(), whole.top()), whole.bottomRight()), veil);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(scene.theme.accent);
    painter.drawRect(shown.adjusted(0.5, 0.5, -0.5, -0.5));
    if (shown.width() > 16) {
        painter.fillRect(QRectF(shown.left(), shown.top(), 3, shown.height()), scene.theme.accent);
        painter.fillRect(QRectF(shown.right() - 3, shown.top(), 3, shown.height()), scene.theme.accent);
    }
}

void paintDensity(QPainter& painter, const QRect& overview, const std::vector<std::uint32_t>& density,
                  const Theme& theme) {
    const std::uint32_t most = density.empty() ? 0 : *std::ranges::max_element(density);
    if (most == 0) return;
    // Events step back behind what is searched for. A single match is still four pixels high.
    QColor veil = theme.panel;
    veil.setAlphaF(0.75F);
    painter.fillRect(overview, veil);
    const double lowest = 4;
    const double room = overview.height() - lowest;
    for (std::size_t x = 0; x < density.size(); ++x) {
        if (density[x] == 0) continue;
        const double height = lowest + (most > 1 ? room * std::log(density[x]) / std::log(most) : 0);
        painter.fillRect(
            QRectF(overview.left() + static_cast<double>(x) - 0.5, overview.bottom() + 1 - height, 2, height),
            theme.accent);
    }
}

EventLocation anchorOf(const Timeline& timeline, quint32 reference) {
    const auto occurrences = timeline.find(reference);
    if (occurrences.empty()) return {};
    const auto acts = std::ranges::find_if(occurrences, [&timeline](const Timeline::Occurrence& occurrence) {
        const EventLocation location = occurrence.location;
        return timeline.lanes()[location.lane].role[location.event] != EventRole::exposed;
    });
    return acts == occurrences.end() ? occurrences.front().location : acts->location;
}

QRegion pointerRegion(const TimelineGeometry& geometry, std::optional<QPointF> pointer) {
    if (!pointer) return {};
    const int x = static_cast<int>(std::floor(pointer->x()));
    const QRect area = timeArea(geometry).united(geometry.ruler);
    QRegion region(x - 1, area.top(), 3, area.height() + 1);
    // The plate is moved inwards at the edges, at most by its width.
    const int left = std::clamp(x - pointerLabelHalfWidth, geometry.ruler.left(),
                                std::max(geometry.ruler.left(), geometry.ruler.right() - 2 * pointerLabelHalfWidth));
    region += QRect(left, geometry.ruler.top() - 2, 2 * pointerLabelHalfWidth + 10, geometry.ruler.height() + 4);
    return region;
}

}  // namespace overlap::ui
