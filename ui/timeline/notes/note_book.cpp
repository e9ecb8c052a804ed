#include "ui/timeline/notes/note_book.h"

#include <algorithm>
#include <numeric>

#include "ui/timeline/drawing/note_marks.h"
#include "ui/timeline/notes/note_editor.h"
#include "ui/timeline/notes/notes_panel.h"

namespace overlap::ui {
namespace {

constexpr int lowest_px = 96;
constexpr int highest_px = 220;
constexpr int widest_px = 440;
constexpr int margin_px = 8;

}  // namespace

NoteBook::NoteBook(const TimelineScene& scene, TimelineEdits& edits, QAbstractScrollArea& view)
    : scene_(scene), edits_(edits), view_(view) {
    connect(&edits_, &TimelineEdits::changed, this, &NoteBook::placeNotes);
    placeNotes();
}

void NoteBook::placeNotes() {
    places_ = placed(edits_.notes(), *scene_.timeline);
    if (panel_ && panel_->isVisible()) panel_->showNotes(edits_.notes(), places_);
}

int NoteBook::at(QPointF position) const {
    return noteAt(scene_.geometry, places_, scene_.range, position);
}

void NoteBook::write(const TimelineNote& note) {
    openEditor(note, -1);
}

void NoteBook::edit(int note) {
    openEditor(edits_.notes()[static_cast<std::size_t>(note)], note);
}

void NoteBook::openEditor(const TimelineNote& note, int index) {
    if (!editor_) {
        editor_ = new NoteEditor(view_.viewport());
        connect(editor_, &NoteEditor::accepted, this, &NoteBook::keep);
    }
    typed_ = note;
    typedIndex_ = index;
    const double widest = view_.viewport()->width();
    const auto x = static_cast<int>(std::clamp(scene_.xOf(note.time.begin_ns), 0.0, widest));
    editor_->open({x, scene_.geometry.ruler.top()}, note.text);
}

void NoteBook::keep(const QString& text) {
    TimelineNote typed = typed_;
    typed.text = text;
    std::vector<TimelineNote> notes = edits_.notes();
    const bool isNew = typedIndex_ < 0 || typedIndex_ >= static_cast<int>(notes.size());
    if (isNew)
        notes.push_back(typed);
    else
        notes[static_cast<std::size_t>(typedIndex_)] = typed;
    edits_.setNotes(isNew ? tr("add note") : tr("edit note"), std::move(notes));
    emit closed();
}

void NoteBook::remove(int note) {
    std::vector<TimelineNote> notes = edits_.notes();
    notes.erase(notes.begin() + note);
    edits_.setNotes(tr("remove note"), std::move(notes));
}

void NoteBook::list() {
    if (!panel_) {
        panel_ = new NotesPanel(&view_);
        connect(panel_, &NotesPanel::chosen, this, &NoteBook::goTo);
        connect(panel_, &NotesPanel::editWanted, this, &NoteBook::edit);
        connect(panel_, &NotesPanel::removeWanted, this, &NoteBook::remove);
        connect(panel_, &NotesPanel::closed, this, &NoteBook::closed);
    }
    panel_->showNotes(edits_.notes(), places_);
    layOut();
    panel_->setFocus();
}

void NoteBook::layOut() {
    if (!panel_) return;
    const QSize size = view_.viewport()->size();
    const int top = scene_.geometry.ruler.bottom() + margin_px;
    const int width = std::min(widest_px, size.width() - 2 * margin_px);
    const int height = std::clamp(size.height() - top - margin_px, lowest_px, highest_px);
    panel_->setGeometry(size.width() - width - margin_px, top, width, height);
}

void NoteBook::goTo(int note) {
    emit goneTo(places_[static_cast<std::size_t>(note)]);
}

void NoteBook::step(int step) {
    if (places_.empty()) return;
    std::vector<int> order(places_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {},
                             [this](int note) { return places_[static_cast<std::size_t>(note)].time.begin_ns; });
    const auto last = std::ranges::find(order, last_);
    const auto count = static_cast<std::ptrdiff_t>(order.size());
    const std::ptrdiff_t place =
        last == order.end() ? (step > 0 ? 0 : count - 1) : (last - order.begin() + step + count) % count;
    last_ = order[static_cast<std::size_t>(place)];
    goTo(last_);
}

}  // namespace overlap::ui
