#include "ui/document/stack_move.h"

#include <QCoreApplication>
#include <QUndoStack>
#include <algorithm>
#include <cstdlib>

namespace overlap::ui {
namespace {

QString translatedMove(const char* text) {
    return QCoreApplication::translate("StackMove", text);
}

QString textOfSeveral(const QUndoStack& stack, int edits, bool undone) {
    if (stack.index() == 0) return translatedMove("%1 edits undone").arg(edits);
    return translatedMove(undone ? "%1 edits undone, back to %2" : "%1 edits redone, up to %2")
        .arg(QString::number(edits), stack.undoText());
}

}  // namespace

StackMove stackMove(const QUndoStack& stack, int before) {
    StackMove move;
    move.undone = stack.index() < before;
    move.edits = std::max(1, std::abs(stack.index() - before));
    if (move.edits > 1)
        move.text = textOfSeveral(stack, move.edits, move.undone);
    else
        move.text = move.undone ? translatedMove("Undone: %1").arg(stack.redoText()) : stack.undoText();
    return move;
}

QString textOf(const std::vector<StackMove>& moves) {
    const StackMove& last = moves.back();
    if (moves.size() == 1) return last.text;
    int edits = 0;
    for (const StackMove& move : moves) edits += move.edits;
    return translatedMove(last.edits > 1 ? "%1 edits, at last %2" : "%1 edits, the last one %2")
        .arg(QString::number(edits), last.text);
}

}  // namespace overlap::ui
