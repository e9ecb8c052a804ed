#include "ui/actions/edit_history.h"

#include <QAction>
#include <QUndoStack>

#include "ui/document/document.h"
#include "ui/document/variant.h"
#include "ui/theme/harmless_text.h"
#include "ui/timeline/notes/timeline_edits.h"

namespace overlap::ui {

EditHistory::EditHistory(Document& document, TimelineEdits& edits, QObject* parent)
    : QObject(parent), document_(document), timeline_(edits.undoStack()) {
    observe(timeline_);
    observeVariants();
    connect(&document, &Document::variantsChanged, this, &EditHistory::observeVariants);
    connect(&document, &Document::currentChanged, this, &EditHistory::follow);
}

QAction* EditHistory::makeUndoAction(QObject* parent) {
    return makeAction(parent, &EditHistory::nextUndo, &QUndoStack::undo, [](const QUndoStack* stack) {
        return stack ? tr("Undo %1").arg(shownInMenu(stack->undoText())) : tr("Undo");
    });
}

QAction* EditHistory::makeRedoAction(QObject* parent) {
    return makeAction(parent, &EditHistory::nextRedo, &QUndoStack::redo, [](const QUndoStack* stack) {
        return stack ? tr("Redo %1").arg(shownInMenu(stack->redoText())) : tr("Redo");
    });
}

QAction* EditHistory::makeAction(QObject* parent, Next next, Step step,
                                 std::function<QString(const QUndoStack*)> text) {
    auto* action = new QAction(parent);
    const auto describe = [this, action, next, text = std::move(text)] {
        const QUndoStack* stack = (this->*next)();
        action->setEnabled(stack != nullptr);
        action->setText(text(stack));
    };
    connect(action, &QAction::triggered, this, [this, next, step] {
        if (QUndoStack* stack = (this->*next)()) (stack->*step)();
    });
    connect(this, &EditHistory::changed, action, describe);
    describe();
    return action;
}

void EditHistory::observeVariants() {
    for (int i = 0; i < document_.variantCount(); ++i) observe(document_.variant(i).undoStack());
    follow();
}

void EditHistory::follow() {
    plan_ = document_.current() ? &document_.current()->undoStack() : nullptr;
    emit changed();
}

void EditHistory::observe(QUndoStack& stack) {
    if (!known_.try_emplace(&stack).second) return;
    update(stack);
    connect(&stack, &QUndoStack::indexChanged, this, [this, &stack] { update(stack); });
    // A stack empties itself before it is deleted, when the document's plans may not be used.
    connect(&stack, &QObject::destroyed, this, [this, &stack] {
        known_.erase(&stack);
        if (plan_ == &stack) plan_ = nullptr;
    });
}

void EditHistory::update(QUndoStack& stack) {
    Known& known = known_.at(&stack);
    const auto count = static_cast<std::size_t>(stack.count());
    known.made.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const QUndoCommand* command = stack.command(static_cast<int>(i));
        // A command that absorbed a further edit stays in its place.
        const bool took_in = i + 1 == count && stack.index() == known.index && stack.index() == stack.count();
        if (known.made[i].command != command || took_in) known.made[i] = {command, ++last_number_};
    }
    const bool is_plan_edit = &stack == plan_ && stack.index() != known.index;
    const bool undone = stack.index() < known.index;
    known.index = stack.index();
    emit changed();
    if (is_plan_edit) emit planEdited(undone ? tr("Undo %1").arg(stack.redoText()) : stack.undoText());
}

QUndoStack* EditHistory::nextUndo() const {
    QUndoStack* next = nullptr;
    quint64 latest = 0;
    for (QUndoStack* stack : {&timeline_, plan_}) {
        if (!stack || !stack->canUndo()) continue;
        const quint64 number = known_.at(stack).made[static_cast<std::size_t>(stack->index()) - 1].number;
        if (number > latest) latest = number, next = stack;
    }
    return next;
}

QUndoStack* EditHistory::nextRedo() const {
    QUndoStack* next = nullptr;
    quint64 earliest = last_number_ + 1;
    for (QUndoStack* stack : {&timeline_, plan_}) {
        if (!stack || !stack->canRedo()) continue;
        const quint64 number = known_.at(stack).made[static_cast<std::size_t>(stack->index())].number;
        if (number < earliest) earliest = number, next = stack;
    }
    return next;
}

}  // namespace overlap::ui
