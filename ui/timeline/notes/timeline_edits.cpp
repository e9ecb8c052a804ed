#include "ui/timeline/notes/timeline_edits.h"

#include <QJsonArray>
#include <QUndoCommand>

namespace overlap::ui {
namespace {

QStringList stringsOf(const QJsonValue& json) {
    QStringList strings;
    for (const QJsonValue value : json.toArray()) {
        if (value.isString()) strings.append(value.toString());
    }
    return strings;
}

QJsonObject jsonOf(const QString& step, const TimelineNote& note) {
    return {{"step", step},
            {"event", note.event},
            {"begin_ns", static_cast<qint64>(note.time.begin_ns)},
            {"end_ns", static_cast<qint64>(note.time.end_ns)},
            {"text", note.text}};
}

}  // namespace

/// An edit as the states before and after it; they are small.
class TimelineEdits::Edit : public QUndoCommand {
  public:
    Edit(TimelineEdits& edits, const QString& text, State after)
        : QUndoCommand(text), edits_(edits), before_(edits.state_), after_(std::move(after)) {}

    void undo() override { edits_.setState(before_); }
    void redo() override { edits_.setState(after_); }

  private:
    TimelineEdits& edits_;
    State before_, after_;
};

TimelineEdits::TimelineEdits(QObject* parent) : QObject(parent) {}
TimelineEdits::~TimelineEdits() = default;

void TimelineEdits::arrange(const QString& text, LaneArrangement lanes) {
    State after = state_;
    after.lanes = std::move(lanes);
    push(text, std::move(after));
}

const std::vector<TimelineNote>& TimelineEdits::notes() const {
    static const std::vector<TimelineNote> none;
    const auto found = state_.notes.find(step_);
    return found == state_.notes.end() ? none : found->second;
}

void TimelineEdits::setStep(const QString& step) {
    if (step == step_) return;
    step_ = step;
    emit changed();
}

void TimelineEdits::setNotes(const QString& text, std::vector<TimelineNote> notes) {
    State after = state_;
    if (notes.empty())
        after.notes.erase(step_);
    else
        after.notes[step_] = std::move(notes);
    push(text, std::move(after));
}

void TimelineEdits::push(const QString& text, State after) {
    if (after == state_) return;
    undoStack_.push(new Edit(*this, text, std::move(after)));
}

void TimelineEdits::setState(const State& state) {
    state_ = state;
    emit changed();
}

QJsonObject TimelineEdits::toJson() const {
    QJsonArray notes;
    for (const auto& [step, its] : state_.notes)
        for (const TimelineNote& note : its) notes.append(jsonOf(step, note));
    const LaneArrangement& lanes = state_.lanes;
    return {{"lanes", QJsonObject{{"order", QJsonArray::fromStringList(lanes.order)},
                                  {"pinned", QJsonArray::fromStringList(lanes.pinned)},
                                  {"collapsed", QJsonArray::fromStringList(lanes.collapsed)}}},
            {"notes", notes}};
}

void TimelineEdits::restore(const QJsonObject& json) {
    const QJsonObject lanes = json["lanes"].toObject();
    State state;
    state.lanes = {stringsOf(lanes["order"]), stringsOf(lanes["pinned"]), stringsOf(lanes["collapsed"])};
    for (const QJsonValue value : json["notes"].toArray()) {
        const QJsonObject note = value.toObject();
        if (!note["begin_ns"].isDouble() || !note["end_ns"].isDouble()) continue;
        const TimeRange time{note["begin_ns"].toInteger(), note["end_ns"].toInteger()};
        if (time.end_ns < time.begin_ns) continue;
        state.notes[note["step"].toString()].push_back({note["event"].toString(), time, note["text"].toString()});
    }
    undoStack_.clear();
    setState(state);
}

}  // namespace overlap::ui
