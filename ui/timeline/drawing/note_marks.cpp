#include "ui/timeline/drawing/note_marks.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/theme/harmless_text.h"
#include "ui/timeline/drawing/ruler.h"

namespace overlap::ui {
namespace {

constexpr double flagWidth = 7;
constexpr double flagHeight = 10;
constexpr double widestText = 160;
constexpr qsizetype fewestLetters = 5;
constexpr double reach = 6;  ///< pixels around a flag's staff that mean it

double staffOf(const TimelineGeometry& geometry, TimeRange range, const PlacedNote& place) {
    return std::floor(geometry.lanes.left() + geometry.axis(range).x_of(place.time.begin_ns));
}

/// Where the first of the ruler's figures begins of which a text from `left` on would cover a part.
double figureBehind(const QRect& ruler, TimeRange range, double left) {
    constexpr double distance = 6;
    for (const RulerLabel& label : rulerLabels(ruler, range))
        if (label.place.right() > left) return label.place.left() - distance;
    return ruler.right();
}

void paintFlag(QPainter& painter, double x, const QRect& ruler, const QColor& colour) {
    const double top = ruler.top() + 2;
    painter.fillRect(QRectF(x, top, 1, ruler.bottom() - top + 1), colour);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF{{x, top}, {x + flagWidth, top + flagHeight / 2}, {x, top + flagHeight}});
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace

void paintNotes(QPainter& painter, const TimelineGeometry& geometry, const std::vector<TimelineNote>& notes,
                const std::vector<PlacedNote>& places, TimeRange step, TimeRange range, const Theme& theme) {
    if (notes.empty()) return;
    const TimeAxis axis = geometry.axis(range);
    const TimeAxis all{step, static_cast<double>(geometry.overview.width())};
    const QRect ruler = geometry.ruler;
    std::vector<std::size_t> order(notes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t index) { return places[index].time.begin_ns; });
    painter.save();
    painter.setFont(textFont(smallTextPx));
    const QFontMetricsF metrics(painter.font());
    for (auto current = order.begin(); current != order.end(); ++current) {
        const std::size_t index = *current;
        const TimeRange time = places[index].time;
        painter.fillRect(
            QRectF(geometry.overview.left() + std::floor(all.x_of(time.begin_ns)), geometry.overview.top(), 2, 6),
            theme.caution);
        const double x = staffOf(geometry, range, places[index]);
        const double end = geometry.lanes.left() + axis.x_of(time.end_ns);
        painter.setClipRect(ruler.adjusted(0, 0, 0, 1));
        if (notes[index].event.isEmpty() && end - x > 1)
            painter.fillRect(QRectF(x, ruler.bottom() - 1, end - x, 2), theme.caution);
        if (x < ruler.left() || x > ruler.right()) continue;
        // Up to the next flag, if that leaves room for more than a few letters.
        const double left = x + flagWidth + 3;
        const double next =
            current + 1 == order.end() ? left + widestText : staffOf(geometry, range, places[current[1]]);
        const double room = std::min({widestText, next - left - 3, ruler.right() - left});
        const QString& whole = notes[index].text;
        const auto is_said = [&](const QString& text) { return text == whole || text.size() >= fewestLetters; };
        QString text =
            elidedName(metrics, whole, Qt::ElideRight, std::min(room, figureBehind(ruler, range, left) - left));
        if (!is_said(text)) text = elidedName(metrics, whole, Qt::ElideRight, room);
        if (!whole.isEmpty() && is_said(text)) {
            const QRectF plate(left - 1, ruler.top() + 1, metrics.horizontalAdvance(text) + 3, ruler.height() - 4);
            painter.fillRect(plate, theme.panel);  // figures of the ruler may lie below
            painter.setPen(theme.asText(theme.caution));
            painter.drawText(plate, Qt::AlignLeft | Qt::AlignVCenter, text);
        }
        paintFlag(painter, x, ruler, theme.caution);
    }
    painter.restore();
}

int noteAt(const TimelineGeometry& geometry, const std::vector<PlacedNote>& places, TimeRange range, QPointF position) {
    if (!geometry.ruler.contains(position.toPoint())) return -1;
    int nearest = -1;
    double distance = reach + 1;
    for (std::size_t index = 0; index < places.size(); ++index) {
        // The flag flies to the right of its staff.
        const double away = std::abs(position.x() - (staffOf(geometry, range, places[index]) + flagWidth / 2));
        if (away >= distance) continue;
        distance = away;
        nearest = static_cast<int>(index);
    }
    return nearest;
}

}  // namespace overlap::ui
