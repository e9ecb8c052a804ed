#include "ui/timeline/notes/note_editor.h"

#include <QKeyEvent>
#include <algorithm>

namespace overlap::ui {
namespace {

constexpr int editorWidth = 220;

}  // namespace

NoteEditor::NoteEditor(QWidget* parent) : QLineEdit(parent) {
    setAccessibleName(tr("Note"));
    setPlaceholderText(tr("Note; empty for a bookmark"));
    setFixedWidth(editorWidth);
    hide();
}

void NoteEditor::open(const QPoint& place, const QString& text) {
    setText(text);
    selectAll();
    move(std::clamp(place.x(), 0, std::max(0, parentWidget()->width() - width())), place.y());
    show();
    raise();
    setFocus();
}

void NoteEditor::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter: {
            // Before it is hidden: losing the focus drops what is typed.
            const QString typed = text().trimmed();
            blockSignals(true);
            hide();
            blockSignals(false);
            emit accepted(typed);
            return;
        }
        case Qt::Key_Escape:
            hide();
            return;
        default:
            QLineEdit::keyPressEvent(event);
            event->accept();
    }
}

void NoteEditor::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    // The menu of the line itself takes the focus for a while.
    if (event->reason() == Qt::PopupFocusReason) return;
    hide();
}

}  // namespace overlap::ui
