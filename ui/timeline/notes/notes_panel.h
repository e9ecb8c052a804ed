#pragma once

#include <vector>

#include "ui/timeline/drawing/timeline_notes.h"
#include "ui/widgets/list_panel.h"

namespace overlap::ui {

/// All notes and bookmarks in order of time. Enter or a double click goes to one, F2 edits its text, Delete removes it.
class NotesPanel : public ListPanel {
    Q_OBJECT

  public:
    explicit NotesPanel(QWidget* parent = nullptr);

    /// @param places of the notes in the timeline that is shown.
    void showNotes(const std::vector<TimelineNote>& notes, const std::vector<PlacedNote>& places);
    QString text() const override;

  signals:
    /// Indices into the notes.
    void chosen(int note);
    void editWanted(int note);
    void removeWanted(int note);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace overlap::ui
