#pragma once

#include <QAbstractScrollArea>
#include <QObject>
#include <vector>

#include "ui/timeline/drawing/timeline_notes.h"
#include "ui/timeline/drawing/timeline_scene.h"
#include "ui/timeline/notes/timeline_edits.h"

namespace overlap::ui {

class NoteEditor;
class NotesPanel;

/// The notes and bookmarks of a timeline: where each one is, the line to type one in, the list of all, and which one
/// was gone to last. What is typed, edited or removed is an edit of TimelineEdits. Notes are named by their index
/// there.
class NoteBook : public QObject {
    Q_OBJECT

  public:
    /// @param scene what `view` shows. All three outlive this object; list and line appear on the view, which owns
    /// them.
    NoteBook(const TimelineScene& scene, TimelineEdits& edits, QAbstractScrollArea& view);

    /// Finds the notes in the timeline anew, after it was replaced. After edits that is done already.
    void placeNotes();
    /// Where each note is in the timeline.
    const std::vector<PlacedNote>& places() const { return places_; }
    /// The note whose flag is at `position` of the view, or -1.
    int at(QPointF position) const;

    /// Opens the line to type the text of a new note.
    void write(const TimelineNote& note);
    /// Opens the line with the text of `note`.
    void edit(int note);
    void remove(int note);
    /// Lists all notes.
    void list();
    /// Lays the list at the right, below the ruler.
    void layOut();

    void goTo(int note);
    /// Goes to the note that follows the last one in time, or for -1 precedes it, around the ends.
    void step(int step);

  signals:
    /// The note that is there is to be scene.
    void goneTo(const overlap::ui::PlacedNote& place);
    /// Line or list were closed by the user.
    void closed();

  private:
    void openEditor(const TimelineNote& note, int index);
    void keep(const QString& text);

    const TimelineScene& scene_;
    TimelineEdits& edits_;
    QAbstractScrollArea& view_;
    std::vector<PlacedNote> places_;
    int last_ = -1;  ///< that step() went to
    NotesPanel* panel_ = nullptr;
    NoteEditor* editor_ = nullptr;
    TimelineNote typed_;
    int typedIndex_ = -1;  ///< -1 for a new note
};

}  // namespace overlap::ui
