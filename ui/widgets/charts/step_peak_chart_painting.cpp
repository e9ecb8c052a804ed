#include <QPainter>
#include <algorithm>
#include <limits>
#include <utility>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/charts/axis_ticks.h"
#include "ui/widgets/charts/step_peak_chart.h"
#include "ui/widgets/charts/step_peak_metrics.h"

// How StepPeakChart is drawn.

namespace overlap::ui {
namespace {

using Metrics = StepPeakMetrics;

constexpr int tick_length = 4;
/// Of the axes' labels, from one to the next.
constexpr int step_spacing = 26, peak_spacing = 84;
constexpr int note_margin = 16;
constexpr int shapes_gap = 16;
/// Of a chart with two lines of points, in a window that is lower than what it shows.
constexpr int least_height = Metrics::top_margin + Metrics::bottom_margin + 24;
constexpr double least_gap = 8;  ///< between labels of one axis, and of the bound from points

int mostLabels(double length, int spacing) {
    return std::max(2, static_cast<int>(length / spacing));
}

/// One label makes no scale: where round values leave no more, finer ones are taken, as far as they have room.
/// @param labels makes labels of at most so many values.
template <typename Labels>
auto atLeastTwo(int most, const Labels& labels) {
    constexpr int tries = 4;
    auto found = labels(most);
    for (int more = 1; found.size() < 2 && more <= tries; ++more) found = labels(most + more);
    return found;
}

QString boundText() {
    return StepPeakChart::tr("bound");
}

/// Level up to the point, then up or down to it.
void addStep(QPolygonF& stairs, QPointF to) {
    if (!stairs.isEmpty()) stairs.append(QPointF(to.x(), stairs.back().y()));
    stairs.append(to);
}

}  // namespace

std::vector<StepPeakChart::AxisLabel> StepPeakChart::stepLabels() const {
    const QRectF inside = area();
    const double height = QFontMetricsF(numberFont(smallTextPx)).height();
    // Neither into the line above nor into the labels of the other axis.
    const double highest = headlinePlace().bottom(), lowest = inside.bottom() + tick_length + 1 - height;
    return atLeastTwo(mostLabels(inside.height(), step_spacing), [&](int most) {
        std::vector<AxisLabel> labels;
        for (const AxisTick& tick : axisTicks(steps_.lowest, steps_.highest, Unit::Time, most)) {
            const double y = yOf(tick.value), top = std::clamp(y - height / 2, std::min(highest, lowest), lowest);
            const QRectF place(0, top, Metrics::left_margin - tick_length - 3, height);
            if (!labels.empty() && labels.back().place.intersects(place)) continue;
            labels.push_back({tick.label, place, QLineF(inside.left() - tick_length, y, inside.left(), y)});
        }
        return labels;
    });
}

std::vector<StepPeakChart::AxisLabel> StepPeakChart::peakLabels() const {
    const QRectF inside = area();
    const QFontMetricsF numbers(numberFont(smallTextPx));
    return atLeastTwo(mostLabels(inside.width(), peak_spacing), [&](int most) {
        std::vector<AxisLabel> labels;
        for (const AxisTick& tick : axisTicks(peaks_.lowest, peaks_.highest, Unit::Bytes, most)) {
            const double x = xOf(tick.value), width = numbers.horizontalAdvance(tick.label);
            const double left = std::clamp(x - width / 2, 0.0, std::max(0.0, rect().width() - width));
            const QRectF place(left, inside.bottom() + tick_length + 1, width, numbers.height());
            if (!labels.empty() && labels.back().place.right() + least_gap > left) continue;
            labels.push_back({tick.label, place, QLineF(x, inside.bottom(), x, inside.bottom() + tick_length)});
        }
        return labels;
    });
}

void StepPeakChart::paintAxes(QPainter& painter) const {
    const Theme& theme = currentTheme();
    const QRectF inside = area();
    painter.setPen(theme.line);
    painter.drawLine(inside.bottomLeft(), inside.bottomRight());
    painter.drawLine(inside.bottomLeft(), inside.topLeft());
    if (points_.empty() && !current_) return;
    painter.setFont(numberFont(smallTextPx));
    for (const auto& [labels, alignment] :
         {std::pair(stepLabels(), Qt::AlignRight), std::pair(peakLabels(), Qt::AlignHCenter)})
        for (const AxisLabel& label : labels) {
            painter.setPen(theme.line);
            painter.drawLine(label.mark);
            painter.setPen(theme.dim);
            painter.drawText(label.place, static_cast<int>(alignment | Qt::AlignVCenter) | Qt::TextDontClip,
                             label.text);
        }
    paintHeadline(painter);
    painter.setPen(theme.dim);
    if (legend_height_ > 0) painter.drawText(legendPlace(), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, legend_);
    paintDevice(painter);
}

QRectF StepPeakChart::headlinePlace() const {
    return {tick_length, 1, width() - 2.0 * tick_length, Metrics::top_margin - 3.0};
}

std::vector<QRectF> StepPeakChart::textPlaces() const {
    std::vector<QRectF> places;
    if (points_.empty()) return places;
    places.push_back(headlinePlace());
    // As wide as what is written, which is not cut to its place.
    const QFontMetricsF numbers(numberFont(smallTextPx));
    for (const AxisLabel& label : stepLabels()) {
        QRectF place = label.place;
        place.setLeft(place.right() - numbers.horizontalAdvance(label.text));
        places.push_back(place);
    }
    for (const AxisLabel& label : peakLabels()) places.push_back(label.place);
    if (legend_height_ > 0) places.push_back(legendPlace());
    for (const QRectF& place : {placeOfDeviceText(), bound_place_})
        if (!place.isEmpty()) places.push_back(place);
    for (const Name& name : names_) places.push_back(name.place.text);
    return places;
}

/// The line above the axes, and at its right end what the shapes are, where both have room.
void StepPeakChart::paintHeadline(QPainter& painter) const {
    painter.setFont(textFont(smallTextPx));
    const QFontMetrics metrics = painter.fontMetrics();
    const QString shapes = shapesText();
    QString words = headline();
    const QRectF line = headlinePlace();
    // A point's name stands beside it, too.
    const int told = toldPoint();
    if (told >= 0 && metrics.horizontalAdvance(words) > line.width())
        words = figuresOf(points_[static_cast<std::size_t>(told)]);
    const int shapes_width = shapes.isEmpty() ? 0 : metrics.horizontalAdvance(shapes) + shapes_gap;
    const bool both = metrics.horizontalAdvance(words) + shapes_width <= line.width();
    painter.setPen(told >= 0 || peak_at_pointer_ || limit_bytes_ > 0 ? currentTheme().text : currentTheme().dim);
    painter.drawText(
        line, Qt::AlignLeft | Qt::AlignVCenter,
        elidedName(metrics, words, Qt::ElideRight, static_cast<int>(line.width()) - (both ? shapes_width : 0)));
    painter.setPen(currentTheme().dim);
    if (both) painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, shapes);
}

/// What the device holds, and the peak that the pointer is at.
void StepPeakChart::paintDevice(QPainter& painter) const {
    const Theme& theme = currentTheme();
    const QRectF inside = area();
    const auto lineAt = [&](double x, const QColor& colour) {
        painter.setPen(QPen(colour, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()));
    };
    if (peak_at_pointer_) lineAt(xOf(*peak_at_pointer_), theme.line);
    const auto limit = static_cast<double>(limit_bytes_);
    if (limit > peaks_.lowest && limit < peaks_.highest && !points_.empty()) lineAt(xOf(limit), theme.accent);
    const QRectF words = placeOfDeviceText();
    if (words.isEmpty()) return;
    if (static_cast<double>(device_bytes_) < peaks_.highest)
        lineAt(xOf(static_cast<double>(device_bytes_)), theme.caution);
    painter.setPen(theme.asText(theme.caution));
    painter.drawText(words, Qt::AlignCenter | Qt::TextDontClip, deviceText());
}

/// A staircase: between two points the one with the lower peak is what fits.
void StepPeakChart::paintFront(QPainter& painter) const {
    QPolygonF front;
    double best_ms = std::numeric_limits<double>::max();
    for (const Point& point : points_) {
        if (point.step_ms >= best_ms) continue;
        best_ms = point.step_ms;
        addStep(front, place(point));
    }
    painter.setPen(QPen(currentTheme().memory, 1, Qt::DotLine));
    painter.drawPolyline(front);
}

/// A staircase: a limit holds up to the next one.
QPolygonF StepPeakChart::boundStairs() const {
    QPolygonF stairs;
    for (const Limit& limit : bound_) addStep(stairs, place({-1, {}, limit.step_ms, limit.bytes}));
    if (!stairs.isEmpty()) stairs.append(QPointF(area().right(), stairs.back().y()));
    return stairs;
}

/// From the right end on, above its line or below.
QRectF StepPeakChart::findPlaceOfBoundText() const {
    const QPolygonF stairs = boundStairs();
    const QFontMetricsF metrics(textFont(smallTextPx));
    const QSizeF size(metrics.horizontalAdvance(boundText()), metrics.height());
    std::vector<QRectF> taken = placesOfPoints();
    taken.push_back(placeOfDeviceText());
    for (qsizetype end = stairs.size() - 1; end > 0; --end) {
        const QPointF from = stairs[end - 1], to = stairs[end];
        if (from.y() != to.y()) continue;
        for (double right = to.x(); right - size.width() >= from.x(); right -= size.width() / 2)
            for (const double top : {to.y() - size.height() - 1, to.y() + 1}) {
                const QRectF text(QPointF(right - size.width(), top), size);
                const auto covers = [&](const QRectF& other) {
                    return other.adjusted(-least_gap, 0, least_gap, 0).intersects(text);
                };
                if (area().contains(text) && std::ranges::none_of(taken, covers)) return text;
            }
    }
    return {};
}

void StepPeakChart::paintBound(QPainter& painter) const {
    const QPolygonF stairs = boundStairs();
    if (stairs.isEmpty()) return;
    const Theme& theme = currentTheme();
    painter.setPen(QPen(theme.hidden, 1.5));
    painter.drawPolyline(stairs);
    if (bound_place_.isEmpty()) return;
    painter.setFont(textFont(smallTextPx));
    painter.setPen(theme.asText(theme.hidden));
    painter.drawText(bound_place_, Qt::AlignCenter | Qt::TextDontClip, boundText());
}

void StepPeakChart::paintNames(QPainter& painter) const {
    const Theme& theme = currentTheme();
    painter.setFont(textFont(smallTextPx));
    const std::vector<Name> names = drawnNames();
    for (const Name& name : names) {
        if (name.place.leader) {
            painter.setPen(theme.line);
            painter.drawLine(*name.place.leader);
        }
    }
    for (const Name& name : names) {
        painter.fillRect(name.place.text, theme.background);  // lines do not strike it through
        const bool marked = name.point >= 0 && isMarked(static_cast<std::size_t>(name.point));
        painter.setPen(marked ? theme.text : theme.dim);
        painter.drawText(name.place.text, Qt::AlignCenter | Qt::TextDontClip, name.text);
    }
}

/// Whether a point has its name, and not a number or nothing.
bool StepPeakChart::showsTitle(int point) const {
    const auto tells = [&](const Name& name) {
        return name.text == titleOf(point) && (name.point == point || isAlike(name.point, point));
    };
    return std::ranges::any_of(names_, tells);
}

bool StepPeakChart::isMarked(std::size_t point) const {
    return static_cast<int>(point) == hovered_ || (hasFocus() && static_cast<int>(point) == focused_) ||
           (chosen_ >= 0 && points_[point].id == chosen_) ||
           (peak_at_pointer_ && static_cast<int>(point) == fastestWithin(*peak_at_pointer_));
}

void StepPeakChart::paintPoint(QPainter& painter, std::size_t point, bool marked) const {
    const Theme& theme = currentTheme();
    const QPointF at = place(points_[point]);
    const QColor colour = marked ? theme.accent : theme.memory;
    constexpr double radius = Metrics::radius;
    if (points_[point].compared) {
        painter.setPen(QPen(colour, 1.5));
        painter.setBrush(theme.background);
        painter.drawPolygon(QPolygonF(
            {at - QPointF(0, radius), at + QPointF(radius, 0), at + QPointF(0, radius), at - QPointF(radius, 0)}));
        return;
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(at, radius, radius);
}

void StepPeakChart::paintPoints(QPainter& painter) const {
    const Theme& theme = currentTheme();
    paintNames(painter);
    for (const bool marked : {false, true})
        for (std::size_t index = 0; index < points_.size(); ++index)
            if (isMarked(index) == marked) paintPoint(painter, index, marked);
    if (!current_) return;
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(place(*current_), Metrics::ring_radius, Metrics::ring_radius);
}

void StepPeakChart::paintNote(QPainter& painter, const QString& note) const {
    painter.setFont(textFont(smallTextPx));
    painter.setPen(currentTheme().dim);
    painter.drawText(rect().adjusted(note_margin, 0, -note_margin, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     shownLines(note));
}

void StepPeakChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), currentTheme().background);
    painter.setRenderHint(QPainter::Antialiasing);
    if (points_.empty() && !note_.isEmpty()) return paintNote(painter, note_);
    // Of labels and points that are cut nobody reads anything.
    if (height() < least_height) return paintNote(painter, tr("There is no room for the chart: make the panel higher"));
    paintAxes(painter);
    paintBound(painter);
    paintFront(painter);
    paintPoints(painter);
}

}  // namespace overlap::ui
