#pragma once

#include <QJsonObject>
#include <QObject>
#include <QUndoStack>
#include <vector>

#include "ui/timeline/lane_arrangement.h"
#include "ui/timeline/timeline_notes.h"

namespace overlap::ui {

/// What a person made of a timeline without changing any plan: the arrangement of its lanes, notes and bookmarks. Every
/// change can be undone; all of it goes into the session as JSON.
class TimelineEdits : public QObject {
    Q_OBJECT

  public:
    explicit TimelineEdits(QObject* parent = nullptr);
    ~TimelineEdits() override;

    const LaneArrangement& lanes() const { return state_.lanes; }
    const std::vector<TimelineNote>& notes() const { return state_.notes; }
    QUndoStack& undoStack() { return undoStack_; }

    /// One undoable edit; nothing happens where it changes nothing.
    /// @param text what menus call it.
    void arrange(const QString& text, LaneArrangement lanes);
    void setNotes(const QString& text, std::vector<TimelineNote> notes);

    /// `{"lanes": {"order", "pinned", "collapsed": [string]}, "notes": [{"event", "begin_ns", "end_ns", "text"}]}`.
    QJsonObject toJson() const;
    /// Takes over what toJson() gave; what is not understood is left out. Forgets what could be undone.
    void restore(const QJsonObject& json);

  signals:
    void changed();

  private:
    struct State {
        LaneArrangement lanes;
        std::vector<TimelineNote> notes;
        bool operator==(const State&) const = default;
    };
    class Edit;
    void push(const QString& text, State after);
    void setState(const State& state);

    State state_;
    QUndoStack undoStack_;
};

}  // namespace overlap::ui
