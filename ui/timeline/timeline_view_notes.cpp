// Notes and bookmarks, and the list of what is alive at a moment; a part of TimelineView.
#include <QKeyEvent>
#include <algorithm>

#include "ui/timeline/alive_panel.h"
#include "ui/timeline/drawing/note_marks.h"
#include "ui/timeline/drawing/ruler.h"
#include "ui/timeline/note_editor.h"
#include "ui/timeline/notes_panel.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

constexpr int aliveHeight = 220;
constexpr int highestAlive = 480;
constexpr int aliveWidth = 640;
constexpr int notesWidth = 440;

}  // namespace

void TimelineView::placeNotes() {
    placedNotes_ = placed(edits_->notes(), *scene_.timeline);
    if (notesPanel_ && notesPanel_->isVisible()) notesPanel_->showNotes(edits_->notes(), placedNotes_);
}

void TimelineView::listNotes() {
    if (!notesPanel_) {
        notesPanel_ = new NotesPanel(this);
        connect(notesPanel_, &NotesPanel::chosen, this, &TimelineView::showNote);
        connect(notesPanel_, &NotesPanel::editWanted, this, &TimelineView::editNote);
        connect(notesPanel_, &NotesPanel::removeWanted, this, &TimelineView::removeNote);
        connect(notesPanel_, &NotesPanel::closed, this, qOverload<>(&QWidget::setFocus));
    }
    notesPanel_->showNotes(edits_->notes(), placedNotes_);
    placeNotesPanel();
    notesPanel_->setFocus();
}

/// At the right, below the ruler.
void TimelineView::placeNotesPanel() {
    if (!notesPanel_) return;
    const int top = scene_.geometry.ruler.bottom() + 8;
    const int width = std::min(notesWidth, viewport()->width() - 16);
    const int height = std::clamp(viewport()->height() - top - 8, 96, aliveHeight);
    notesPanel_->setGeometry(viewport()->width() - width - 8, top, width, height);
}

void TimelineView::startNote() {
    TimelineNote note;
    if (measurement_.range()) {
        note.time = *measurement_.range();
    } else if (selection_.valid()) {
        const auto name = scene_.timeline->event_name(selection_);
        note.event = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        note.time = scene_.timeline->event(selection_);
    } else {
        const bool inside = pointer_ && pointer_->x() >= scene_.geometry.lanes.left();
        const std::int64_t time =
            inside ? scene_.timeAt(pointer_->x()) : scene_.range.begin_ns + scene_.range.length_ns() / 2;
        note.time = {time, time};
    }
    openNoteEditor(note, -1);
}

void TimelineView::editNote(int index) {
    openNoteEditor(edits_->notes()[static_cast<std::size_t>(index)], index);
}

void TimelineView::removeNote(int index) {
    std::vector<TimelineNote> notes = edits_->notes();
    notes.erase(notes.begin() + index);
    edits_->setNotes(tr("remove note"), std::move(notes));
}

/// @param index of the note that is edited, or -1 for a new one.
void TimelineView::openNoteEditor(const TimelineNote& note, int index) {
    if (!noteEditor_) {
        noteEditor_ = new NoteEditor(viewport());
        connect(noteEditor_, &NoteEditor::accepted, this, [this](const QString& text) {
            TimelineNote typed = typedNote_;
            typed.text = text;
            std::vector<TimelineNote> notes = edits_->notes();
            const bool fresh = typedIndex_ < 0 || typedIndex_ >= static_cast<int>(notes.size());
            fresh ? notes.push_back(typed) : void(notes[static_cast<std::size_t>(typedIndex_)] = typed);
            edits_->setNotes(fresh ? tr("add note") : tr("edit note"), std::move(notes));
            setFocus();
        });
    }
    typedNote_ = note;
    typedIndex_ = index;
    const double x = scene_.xOf(note.time.begin_ns);
    noteEditor_->open(
        {static_cast<int>(std::clamp(x, 0.0, static_cast<double>(viewport()->width()))), scene_.geometry.ruler.top()},
        note.text);
}

void TimelineView::showNote(int index) {
    const PlacedNote& place = placedNotes_[static_cast<std::size_t>(index)];
    if (place.location.valid()) {
        return selectEvent(place.location);
    }
    const std::int64_t middle = place.time.begin_ns + place.time.length_ns() / 2;
    const std::int64_t length = std::max(scene_.range.length_ns(), place.time.length_ns());
    changeRange({middle - length / 2, middle - length / 2 + length}, ViewHistory::Motion::Jump);
    if (place.time.length_ns() > 0) measurement_.measure(place.time);
    repaint_.request();
}

void TimelineView::stepNote(int step) {
    if (placedNotes_.empty()) return;
    std::vector<int> order(placedNotes_.size());
    for (std::size_t index = 0; index < order.size(); ++index) order[index] = static_cast<int>(index);
    std::ranges::stable_sort(order, {},
                             [this](int index) { return placedNotes_[static_cast<std::size_t>(index)].time.begin_ns; });
    const auto last = std::ranges::find(order, shownNote_);
    const auto count = static_cast<std::ptrdiff_t>(order.size());
    const std::ptrdiff_t place =
        last == order.end() ? (step > 0 ? 0 : count - 1) : (last - order.begin() + step + count) % count;
    shownNote_ = order[static_cast<std::size_t>(place)];
    showNote(shownNote_);
}

void TimelineView::setAliveProvider(std::function<AliveTensors(std::size_t point)> provider) {
    aliveProvider_ = std::move(provider);
}

void TimelineView::showAlive(std::int64_t time_ns) {
    const MemoryCurve& curve = scene_.timeline->memory();
    if (!aliveProvider_ || curve.empty()) return;
    const auto after = std::ranges::upper_bound(curve.time_ns, time_ns) - curve.time_ns.begin();
    const auto point = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - 1));
    if (!alivePanel_) {
        alivePanel_ = new AlivePanel(this);
        connect(alivePanel_, &AlivePanel::chosen, this, [this](quint32 reference) {
            const EventLocation location = anchorOf(*scene_.timeline, reference);
            if (!location.valid()) return emit eventSelected(reference, -1);
            selectEvent(location);
        });
        connect(alivePanel_, &AlivePanel::closed, this, [this] {
            aliveTime_.reset();
            setFocus();
            repaint_.request();
        });
    }
    aliveTime_ = time_ns;
    alivePanel_->showTensors(aliveProvider_(point), momentText(time_ns, scene_.axis()));
    placeAlivePanel();
    alivePanel_->setFocus();
    repaint_.request();
}

/// Beside the moment rather than upon it, from below to above, as high as there is room: the list is long.
void TimelineView::placeAlivePanel() {
    if (!alivePanel_ || !aliveTime_) return;
    const int left = scene_.geometry.lanes.left() + 8;
    const int width = std::min(aliveWidth, std::max(240, viewport()->width() - left - 8));
    const int bottom = viewport()->height() - 8;
    const int height = std::clamp(bottom - scene_.geometry.ruler.bottom() - 8, 96, highestAlive);
    const double x = scene_.xOf(*aliveTime_);
    const int beside = static_cast<int>(x) + 12 + width <= viewport()->width() ? static_cast<int>(x) + 12
                                                                               : static_cast<int>(x) - 12 - width;
    alivePanel_->setGeometry(std::clamp(beside, left, std::max(left, viewport()->width() - width - 8)),
                             std::max(0, bottom - height), width, height);
}

bool TimelineView::noteKey(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_N:
            startNote();
            return true;
        case Qt::Key_B:
            stepNote(event.modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        case Qt::Key_L:
            listNotes();
            return true;
        case Qt::Key_M: {
            const MemoryCurve& curve = scene_.timeline->memory();
            if (curve.empty()) return true;
            showAlive(selection_.valid() ? scene_.timeline->event(selection_).begin_ns
                                         : curve.time_ns[scene_.timeline->memory_peak()]);
            return true;
        }
        default:
            return false;
    }
}

}  // namespace overlap::ui
