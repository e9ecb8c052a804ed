#include "ui/timeline/event_drag.h"

#include <QFontMetrics>
#include <QGuiApplication>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "ui/theme/harmless_text.h"
#include "ui/timeline/drawing/timeline_overlay.h"

namespace overlap::ui {
namespace {

constexpr double endGrip_px = 6;
constexpr int widestBox_px = 440;
constexpr int narrowestBox_px = 200;
constexpr int padding_px = 8;

/// The answer in a box beside the pointer, inside the lanes.
void paintAnswer(QPainter& painter, const QRect& area, QPointF pointer, const EventDragAnswer& answer,
                 const Theme& theme) {
    const QFont heading = textFont(normalTextPx, QFont::DemiBold), plain = textFont(), figures = numberFont();
    // In a narrow view the lanes must stay in sight.
    const int width = std::min(widestBox_px, std::max(narrowestBox_px, area.width() * 3 / 5));
    const int inner = width - 2 * padding_px;
    const QString wish = shownName(answer.wish);
    const QString second = shownName(answer.refusal.isEmpty() ? answer.left : answer.refusal);
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

EventGrip gripAt(const TimelineScene& scene, EventLocation event, QPointF position) {
    const QRectF drawn = scene.eventRect(event);
    EventGrip grip{event, {}, drawn.width() >= 3 * endGrip_px && drawn.right() - position.x() <= endGrip_px, 0};
    const std::int64_t pointer = scene.axis().time_at(position.x() - scene.geometry.lanes.left());
    const TimeRange time = scene.timeline->event(event);
    grip.offset_ns = pointer - (grip.byEnd ? time.end_ns : time.begin_ns);
    return grip;
}

EventDrag::EventDrag(const TimelineScene& scene, const QWidget& viewport) : scene_(scene), viewport_(viewport) {}

void EventDrag::setHandler(EventDragHandler handler) {
    handler_ = std::move(handler);
}

bool EventDrag::begin(QPointF position, const ChosenEvents& chosen) {
    const EventLocation pressed = scene_.eventAt(position);
    if (!pressed.valid() || !handler_.begin) return false;
    if (scene_.timeline->lanes()[pressed.lane].description.kind != LaneKind::process_group) return false;
    grip_ = gripAt(scene_, pressed, position);
    pointer_ = position;
    std::vector<quint32> references{scene_.timeline->reference(pressed)};
    if (chosen.moveTogether(references.front()))
        for (const quint32 other : chosen.references()) {
            if (other == references.front()) continue;
            references.push_back(other);
            grip_.others.push_back(anchorOf(*scene_.timeline, other));
        }
    return handler_.begin(references, grip_.byEnd);
}

EventDragPlace EventDrag::place() const {
    EventDragPlace place;
    place.time_ns = scene_.timeAt(pointer_.x()) - grip_.offset_ns;
    place.modifiers = QGuiApplication::keyboardModifiers();
    place.global = viewport_.mapToGlobal(pointer_.toPoint());
    const EventLocation under = scene_.eventAt(pointer_);
    if (under.valid() && scene_.timeline->reference(under) != scene_.timeline->reference(grip_.event))
        place.under = scene_.timeline->reference(under);
    return place;
}

void EventDrag::move(QPointF position) {
    pointer_ = position;
    answer_ = handler_.ask(place());
}

void EventDrag::drop() {
    handler_.drop(place());
}

void EventDrag::cancel() {
    handler_.cancel();
}

QString EventDrag::words() const {
    return shownName(QStringList({answer_.wish, answer_.refusal + answer_.left, answer_.effects.join(u", ")})
                         .join(QStringLiteral(". ")));
}

void EventDrag::paint(QPainter& painter, const Theme& theme) const {
    const QRect lanes = scene_.geometry.lanes;
    const QRectF drawn = scene_.eventRect(grip_.event);
    const double edge = scene_.xOf(place().time_ns);
    const double moved = edge - (grip_.byEnd ? drawn.right() : drawn.left());
    const QColor colour = !answer_.meaning ? theme.dim : answer_.refusal.isEmpty() ? theme.accent : theme.exposed;
    QColor fill = colour;
    fill.setAlphaF(0.35f);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(lanes);
    painter.setPen(QPen(colour, 1, answer_.refusal.isEmpty() ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(fill);
    const auto drawGhost = [&](QRectF ghost) {
        if (grip_.byEnd)
            ghost.setRight(std::max(ghost.right() + moved, ghost.left() + 2));
        else
            ghost.translate(moved, 0);
        painter.drawRect(ghost);
    };
    drawGhost(drawn);
    for (const EventLocation other : grip_.others) drawGhost(scene_.eventRect(other));
    painter.drawLine(QPointF(edge, lanes.top()), QPointF(edge, lanes.bottom()));
    painter.setClipping(false);
    const int bottom = std::max(lanes.bottom(), scene_.geometry.memory.bottom());
    paintAnswer(painter, QRect(lanes.left(), lanes.top(), lanes.width(), bottom - lanes.top()), pointer_, answer_,
                theme);
    painter.restore();
}

}  // namespace overlap::ui
