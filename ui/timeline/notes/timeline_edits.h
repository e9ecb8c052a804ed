#pragma once

#include <QJsonObject>
#include <QObject>
#include <QUndoStack>
#include <map>
#include <vector>

#include "ui/timeline/drawing/lane_arrangement.h"
#include "ui/timeline/drawing/timeline_notes.h"

namespace overlap::ui {

/// The user's edits of a timeline that change no plan: the arrangement of its lanes, notes and bookmarks. Every change
/// can be undone; all of it goes into the session as JSON.
class TimelineEdits : public QObject {
    Q_OBJECT

  public:
    explicit TimelineEdits(QObject* parent = nullptr);
    ~TimelineEdits() override;

    const LaneArrangement& lanes() const { return state_.lanes; }
    /// Those of the step that is shown.
    const std::vector<TimelineNote>& notes() const;
    QUndoStack& undoStack() { return undoStack_; }

    /// One undoable edit; nothing happens where it changes nothing.
    /// @param text what menus call it.
    void arrange(const QString& text, LaneArrangement lanes);
    void setNotes(const QString& text, std::vector<TimelineNote> notes);

    /// Which step the timeline shows: plans of a graph share their notes (the empty name), each measurement has its
    /// own.
    void setStep(const QString& step);

    /// `{"lanes": {"order", "pinned", "collapsed": [string]}, "notes": [{"step", "event", "begin_ns", "end_ns",
    /// "text"}]}`.
    QJsonObject toJson() const;
    /// Takes over what toJson() gave; what is not understood is left out. Forgets what could be undone.
    void restore(const QJsonObject& json);

  signals:
    void changed();

  private:
    struct State {
        LaneArrangement lanes;
        std::map<QString, std::vector<TimelineNote>> notes;  ///< by step; no empty ones
        bool operator==(const State&) const = default;
    };
    class Edit;
    void push(const QString& text, State after);
    void setState(const State& state);

    State state_;
    QString step_;
    QUndoStack undoStack_;
};

}  // namespace overlap::ui
