#pragma once

#include <QPainter>
#include <QPoint>
#include <QStringList>
#include <functional>
#include <vector>

#include "core/timeline/timeline.h"
#include "ui/theme/theme.h"
#include "ui/timeline/chosen_events.h"
#include "ui/timeline/drawing/timeline_scene.h"

class QWidget;

namespace overlap::ui {

/// Where an event is held while it is dragged.
struct EventGrip {
    EventLocation event;
    std::vector<EventLocation> others;  ///< that move by the same time
    bool byEnd = false;                 ///< only its end moves
    std::int64_t offset_ns = 0;         ///< from the dragged edge to the pointer
};

/// Where a dragged event is.
struct EventDragPlace {
    std::int64_t time_ns = 0;      ///< of the edge that is dragged: the beginning, or with EventGrip::byEnd the end
    quint32 under = no_reference;  ///< what lies under the pointer, other than the dragged event
    Qt::KeyboardModifiers modifiers{};
    QPoint global;  ///< the pointer on the screen, which may have left the timeline
};

/// What the place where an event is dragged to would mean.
struct EventDragAnswer {
    QString wish;          ///< such as `is issued before mm_3`
    QString refusal;       ///< why not; empty where it can be dropped
    QString left;          ///< what of it will not be done; may be empty
    QStringList effects;   ///< what dropping it there changes, such as `step −12.1 ms`
    bool meaning = false;  ///< false where dropping it changes nothing
};

/// Says what dragging events is for. The timeline knows events; what they represent, only the owner does.
struct EventDragHandler {
    /// Whether the event can be dragged, with others that move by the same time.
    std::function<bool(quint32 reference)> movable;
    /// The first one is taken, and others move with it. @returns whether they can be dragged; when they can, what does
    /// not depend on the place is prepared.
    std::function<bool(const std::vector<quint32>& references, bool byEnd)> begin;
    std::function<EventDragAnswer(const EventDragPlace& place)> ask;
    /// The event is released: dropped, or cancelled.
    std::function<void(const EventDragPlace& place)> drop;
    std::function<void()> cancel;
};

/// How the event would be held at `position`: by its end within a few pixels of it where it is wide enough.
EventGrip gripAt(const TimelineScene& scene, EventLocation event, QPointF position);

/// An event that is dragged to another time, from begin() to drop() or cancel(): where it is held, where it is now, and
/// what the handler says of that.
class EventDrag {
  public:
    /// @param scene what is drawn on `viewport`; both outlive this object.
    EventDrag(const TimelineScene& scene, const QWidget& viewport);

    /// Without a handler, no event can be dragged.
    void setHandler(EventDragHandler handler);
    /// Takes the event at `position`, and `chosen` with it where it is one of several, if it belongs to a process group
    /// and the handler agrees.
    /// @returns whether an event was taken. The functions below are for such a drag.
    bool begin(QPointF position, const ChosenEvents& chosen);
    /// Asks the handler what dropping the event here would mean.
    void move(QPointF position);
    void drop();
    void cancel();

    const EventGrip& grip() const { return grip_; }
    /// What the handler said last, in a sentence.
    QString words() const;
    /// The event where it is dragged to, a line at the edge that moves, and the answer beside the pointer.
    void paint(QPainter& painter, const Theme& theme) const;

  private:
    EventDragPlace place() const;

    const TimelineScene& scene_;
    const QWidget& viewport_;
    EventDragHandler handler_;
    EventGrip grip_;
    QPointF pointer_;
    EventDragAnswer answer_;
};

}  // namespace overlap::ui
