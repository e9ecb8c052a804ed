#include "ui/shell/timeline_undo.h"

#include "ui/document/document.h"
#include "ui/document/variant.h"
#include "ui/timeline/timeline_edits.h"

namespace overlap::ui {

TimelineUndo::TimelineUndo(Document& document, TimelineEdits& edits, QObject* parent)
    : QObject(parent), document_(document), edits_(edits) {
    document.undoGroup().addStack(&edits.undoStack());
    connect(&edits.undoStack(), &QUndoStack::indexChanged, this, [this](int index) {
        const bool planCanUndo = document_.current() && document_.current()->undoStack().canUndo();
        const bool canRedo = edits_.undoStack().count() > 0;
        if (index > 0 || (canRedo && !planCanUndo))
            document_.undoGroup().setActiveStack(&edits_.undoStack());
        else
            activatePlan();
    });
    connect(&document, &Document::planChanged, this, &TimelineUndo::activatePlan);
    connect(&document, &Document::currentChanged, this, &TimelineUndo::activatePlan);
}

void TimelineUndo::activatePlan() {
    if (Variant* current = document_.current()) document_.undoGroup().setActiveStack(&current->undoStack());
}

}  // namespace overlap::ui
