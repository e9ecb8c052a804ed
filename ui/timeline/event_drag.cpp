#include "ui/timeline/event_drag.h"

#include <QFontMetrics>
#include <algorithm>
#include <cmath>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

constexpr double endGrip_px = 6;
constexpr int widestBox_px = 440;
constexpr int narrowestBox_px = 200;
constexpr int padding_px = 8;

double xOf(const TimelineGeometry& geometry, TimeRange range, std::int64_t time_ns) {
    return geometry.lanes.left() + geometry.axis(range).x_of(time_ns);
}

/// The answer in a box beside the pointer, inside the lanes.
void paintAnswer(QPainter& painter, const QRect& area, QPointF pointer, const EventDragAnswer& answer,
                 const Theme& theme) {
    const QFont heading = textFont(normalTextPx, QFont::DemiBold), plain = textFont(), figures = numberFont();
    // In a narrow view the lanes must stay in sight.
    const int width = std::min(widestBox_px, std::max(narrowestBox_px, area.width() * 3 / 5));
    const int inner = width - 2 * padding_px;
    const QString wish = shownName(answer.wish), second = shownName(answer.refusal);
    const auto height = [&](const QFont& font, const QString& text) {
        return text.isEmpty() ? 0 : QFontMetrics(font).boundingRect(0, 0, inner, 4096, Qt::TextWordWrap, text).height();
    };
    const QString effects = shownLines(answer.effects.join(u'\n'));
    const int wish_height = height(heading, wish), second_height = height(plain, second);
    const int effects_height = answer.refusal.isEmpty() ? height(figures, effects) : 0;
    QRect box(0, 0, width, wish_height + second_height + effects_height + 2 * padding_px);
    box.moveTopLeft(pointer.toPoint() + QPoint(16, 16));
    if (box.right() > area.right()) box.moveRight(static_cast<int>(pointer.x()) - 16);
    if (box.bottom() > area.bottom()) box.moveBottom(static_cast<int>(pointer.y()) - 16);
    box.moveLeft(std::max(box.left(), area.left() + padding_px));
    box.moveTop(std::max(box.top(), area.top()));

    painter.setPen(answer.refusal.isEmpty() ? theme.accent : theme.exposed);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), gridPx, gridPx);
    QRect text = box.adjusted(padding_px, padding_px, -padding_px, -padding_px);
    const auto write = [&](const QFont& font, const QColor& colour, const QString& line, int line_height) {
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(QRect(text.left(), text.top(), inner, line_height), Qt::TextWordWrap, line);
        text.setTop(text.top() + line_height);
    };
    write(heading, theme.text, wish, wish_height);
    if (!second.isEmpty()) write(plain, theme.text, second, second_height);
    if (effects_height > 0) write(figures, theme.text, effects, effects_height);
}

}  // namespace

EventGrip gripAt(const Timeline& timeline, const TimelineGeometry& geometry, TimeRange range, EventLocation event,
                 QPointF position) {
    const QRectF drawn = geometry.eventRect(timeline, event, range);
    EventGrip grip{event, drawn.width() >= 3 * endGrip_px && drawn.right() - position.x() <= endGrip_px, 0};
    const std::int64_t pointer = geometry.axis(range).time_at(position.x() - geometry.lanes.left());
    const TimeRange time = timeline.event(event);
    grip.offset_ns = pointer - (grip.byEnd ? time.end_ns : time.begin_ns);
    return grip;
}

void paintEventDrag(QPainter& painter, const Timeline& timeline, const TimelineGeometry& geometry, TimeRange range,
                    const EventGrip& grip, std::int64_t edge_ns, QPointF pointer, const EventDragAnswer& answer,
                    const Theme& theme) {
    const QRectF drawn = geometry.eventRect(timeline, grip.event, range);
    const double edge = xOf(geometry, range, edge_ns);
    QRectF ghost = drawn;
    if (grip.byEnd)
        ghost.setRight(std::max(edge, drawn.left() + 2));
    else
        ghost.moveLeft(edge);
    const QColor colour = !answer.meaning ? theme.dim : answer.refusal.isEmpty() ? theme.accent : theme.exposed;
    QColor fill = colour;
    fill.setAlphaF(0.35f);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(geometry.lanes);
    painter.setPen(QPen(colour, 1, answer.refusal.isEmpty() ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(fill);
    painter.drawRect(ghost);
    painter.drawLine(QPointF(edge, geometry.lanes.top()), QPointF(edge, geometry.lanes.bottom()));
    painter.setClipping(false);
    const QRect area(geometry.lanes.left(), geometry.lanes.top(), geometry.lanes.width(),
                     std::max(geometry.lanes.bottom(), geometry.memory.bottom()) - geometry.lanes.top());
    paintAnswer(painter, area, pointer, answer, theme);
    painter.restore();
}

}  // namespace overlap::ui
