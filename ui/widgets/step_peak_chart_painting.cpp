#include <QPainter>
#include <algorithm>
#include <limits>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/axis_ticks.h"
#include "ui/widgets/step_peak_chart.h"
#include "ui/widgets/step_peak_metrics.h"

// How StepPeakChart is drawn.

namespace overlap::ui {
namespace {

using Metrics = StepPeakMetrics;

constexpr int tick_length = 4;
/// Of the axes' labels, from one to the next.
constexpr int step_spacing = 26, peak_spacing = 84;
constexpr int note_margin = 16;
constexpr int shapes_gap = 16;

/// Level up to the point, then up or down to it.
void addStep(QPolygonF& stairs, QPointF to) {
    if (!stairs.isEmpty()) stairs.append(QPointF(to.x(), stairs.back().y()));
    stairs.append(to);
}

}  // namespace

void StepPeakChart::paintAxes(QPainter& painter) const {
    const Theme& theme = currentTheme();
    const QRectF inside = area();
    painter.setPen(theme.line);
    painter.drawLine(inside.bottomLeft(), inside.bottomRight());
    painter.drawLine(inside.bottomLeft(), inside.topLeft());
    if (points_.empty() && !current_) return;
    painter.setFont(numberFont(smallTextPx));
    const QFontMetricsF numbers(painter.font());
    const auto most = [](double length, int spacing) { return std::max(2, static_cast<int>(length / spacing)); };
    for (const AxisTick& tick :
         axisTicks(steps_.lowest, steps_.highest, Unit::Time, most(inside.height(), step_spacing))) {
        const double y = yOf(tick.value);
        painter.setPen(theme.line);
        painter.drawLine(QPointF(inside.left() - tick_length, y), QPointF(inside.left(), y));
        painter.setPen(theme.dim);
        painter.drawText(QRectF(0, y - numbers.height() / 2, Metrics::left_margin - tick_length - 3, numbers.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    for (const AxisTick& tick :
         axisTicks(peaks_.lowest, peaks_.highest, Unit::Bytes, most(inside.width(), peak_spacing))) {
        const double x = xOf(tick.value), width = numbers.horizontalAdvance(tick.label);
        painter.setPen(theme.line);
        painter.drawLine(QPointF(x, inside.bottom()), QPointF(x, inside.bottom() + tick_length));
        painter.setPen(theme.dim);
        const double left = std::clamp(x - width / 2, 0.0, std::max(0.0, rect().width() - width));
        painter.drawText(QRectF(left, inside.bottom() + tick_length + 1, width, numbers.height()), Qt::AlignCenter,
                         tick.label);
    }
    paintHeadline(painter);
    painter.setPen(theme.dim);
    if (legend_height_ > 0)
        painter.drawText(QRectF(Metrics::right_margin, inside.bottom() + Metrics::bottom_margin,
                                width() - 2 * Metrics::right_margin, legend_height_),
                         Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, legend_);
    paintDevice(painter);
}

/// The line above the axes, and at its right end what the shapes are, where both have room.
void StepPeakChart::paintHeadline(QPainter& painter) const {
    painter.setFont(textFont(smallTextPx));
    const QFontMetrics metrics = painter.fontMetrics();
    const QString shapes = shapesText();
    QString words = headline();
    const QRectF line(tick_length, 1, width() - 2 * tick_length, Metrics::top_margin - 3);
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
void StepPeakChart::paintBound(QPainter& painter) const {
    QPolygonF stairs;
    for (const Limit& limit : bound_) {
        const QPointF at = place({-1, {}, limit.step_ms, limit.bytes});
        addStep(stairs, at);
    }
    if (stairs.isEmpty()) return;
    stairs.append(QPointF(area().right(), stairs.back().y()));
    const Theme& theme = currentTheme();
    painter.setPen(QPen(theme.hidden, 1.5));
    painter.drawPolyline(stairs);
    painter.setFont(textFont(smallTextPx));
    painter.setPen(theme.asText(theme.hidden));
    const int height = painter.fontMetrics().height();
    painter.drawText(QRectF(area().left(), stairs.back().y() - height - 1, area().width(), height), Qt::AlignRight,
                     tr("bound"));
}

void StepPeakChart::paintNames(QPainter& painter) const {
    const Theme& theme = currentTheme();
    painter.setFont(textFont(smallTextPx));
    const std::vector<Name> marked_names = markedNames();
    std::vector<Name> names;
    for (const Name& name : names_) {
        const auto covers = [&](const Name& marked) { return marked.place.text.intersects(name.place.text); };
        if (std::ranges::none_of(marked_names, covers)) names.push_back(name);
    }
    names.insert(names.end(), marked_names.begin(), marked_names.end());
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
    const auto name = std::ranges::find(names_, point, &Name::point);
    return name != names_.end() && name->text == titleOf(point);
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

void StepPeakChart::paintNote(QPainter& painter) const {
    painter.setFont(textFont(smallTextPx));
    painter.setPen(currentTheme().dim);
    painter.drawText(rect().adjusted(note_margin, 0, -note_margin, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     shownLines(note_));
}

void StepPeakChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), currentTheme().background);
    painter.setRenderHint(QPainter::Antialiasing);
    if (points_.empty() && !note_.isEmpty()) return paintNote(painter);
    paintAxes(painter);
    paintBound(painter);
    paintFront(painter);
    paintPoints(painter);
}

}  // namespace overlap::ui
