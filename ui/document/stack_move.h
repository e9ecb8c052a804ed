#pragma once

#include <QString>
#include <vector>

class QUndoStack;

namespace overlap::ui {

/// What an undo stack did since another state: an edit was made or redone, or several were undone or redone at once, as
/// by a click in History.
struct StackMove {
    /// Of one edit its own text, such as `Add layers.0`, or `Undone: Add layers.0`. Of several how many they are and
    /// where they lead, such as `3 edits undone, back to Add layers.0`: a figure of them all belongs to none of them.
    QString text;
    int edits = 1;
    bool undone = false;
};

/// The move to the state that the stack is in. @param before its index before; the same where an edit took in another.
StackMove stackMove(const QUndoStack& stack, int before);

/// Several that followed one another, at least one, as what their common effect is told of.
QString textOf(const std::vector<StackMove>& moves);

}  // namespace overlap::ui
