#include "ui/actions/edit_history.h"

#include <QAction>
#include <QUndoStack>
#include <algorithm>
#include <utility>

#include "ui/document/begins_anew.h"
#include "ui/document/document.h"
#include "ui/document/variant.h"
#include "ui/theme/harmless_text.h"
#include "ui/timeline/notes/timeline_edits.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {

EditHistory::EditHistory(Document& document, TimelineEdits& edits, QObject* parent)
    : QObject(parent), document_(document), timeline_(edits.undoStack()) {
    observe(timeline_);
    observeVariants();
    connect(&document, &Document::variantsChanged, this, &EditHistory::observeVariants);
    connect(&document, &Document::currentChanged, this, &EditHistory::follow);
    connect(&document, &Document::graphAboutToChange, this, [this] { plan_ = nullptr; });  // emptying it is no edit
}

void EditHistory::addShared(QUndoStack& stack, std::function<bool()> shown) {
    shared_.push_back({&stack, std::move(shown)});
    observe(stack);
}

QAction* EditHistory::makeUndoAction(QObject* parent) {
    const auto text = [this] {
        const QUndoStack* stack = nextUndo();
        return stack ? stack->undoText() : QString();
    };
    const auto none = [this] {
        if (plan_ && plan_->property(begins_anew_property).toBool())
            return tr("Nothing to undo: the plan has earlier edits, which can no longer be undone");
        if (!plan_ || !editable_) return tr("Nothing to undo");
        return plan_->canRedo() ? tr("Nothing to undo: all edits of this plan are undone")
                                : tr("Nothing to undo: this plan has no edits yet; closing its tab removes it");
    };
    return makeAction(parent, tr("Undo"), text, none, [this] { undo(); });
}

QAction* EditHistory::makeRedoAction(QObject* parent) {
    const auto text = [this] {
        const QUndoStack* stack = nextRedo();
        return stack ? stack->redoText() : QString();
    };
    return makeAction(
        parent, tr("Redo"), text, [] { return tr("Nothing to redo"); }, [this] { redo(); });
}

QAction* EditHistory::makeAction(QObject* parent, const QString& name, std::function<QString()> text,
                                 std::function<QString()> none, std::function<void()> step) {
    auto* action = new QAction(parent);
    const auto describe = [action, name, text = std::move(text), none = std::move(none)] {
        const QString next = text();
        setAvailable(*action, next.isEmpty() ? none() : QString());
        action->setText(next.isEmpty() ? name : QStringLiteral("%1 %2").arg(name, shownInMenu(next)));
    };
    connect(action, &QAction::triggered, this, std::move(step));
    connect(this, &EditHistory::changed, action, describe);
    describe();
    return action;
}

void EditHistory::undo() {
    if (QUndoStack* stack = nextUndo()) step(stack, &QUndoStack::undo, tr("Undone: %1").arg(stack->undoText()));
}

void EditHistory::redo() {
    if (QUndoStack* stack = nextRedo()) step(stack, &QUndoStack::redo, tr("Redone: %1").arg(stack->redoText()));
}

/// The effect of a plan's edit is told when it was evaluated.
void EditHistory::step(QUndoStack* stack, void (QUndoStack::*way)(), const QString& told_of) {
    (stack->*way)();
    if (stack == &timeline_)
        emit told(told_of);
    else if (stack != plan_)
        emit steppedShared(stack);
}

void EditHistory::observeVariants() {
    for (int i = 0; i < document_.variantCount(); ++i) observe(document_.variant(i).undoStack());
    follow();
}

void EditHistory::follow() {
    editable_ = document_.editable();
    plan_ = document_.current() ? &document_.current()->undoStack() : nullptr;
    emit changed();
}

void EditHistory::observe(QUndoStack& stack) {
    const auto [known, is_another] = known_.try_emplace(&stack);
    if (!is_another) return;
    update(stack);
    known->second.edited = 0;  // what it has was made before
    if (stack.canRedo()) known->second.undone = ++last_number_;
    connect(&stack, &QUndoStack::indexChanged, this, [this, &stack] { update(stack); });
    // A stack empties itself before it is deleted, when the document's plans may not be used.
    connect(&stack, &QObject::destroyed, this, [this, &stack] {
        known_.erase(&stack);
        std::erase_if(shared_, [&stack](const Shared& shared) { return shared.stack == &stack; });
        if (plan_ == &stack) plan_ = nullptr;
    });
}

void EditHistory::update(QUndoStack& stack) {
    Known& known = known_.at(&stack);
    const auto count = static_cast<std::size_t>(stack.count());
    const bool undone = stack.index() < known.index;
    QString grown;
    // An edit that a further one took back to where it began is removed.
    const bool vanished = undone && !stack.canRedo() && known.made.size() == count + 1;
    if (vanished) grown = tr("%1, taken back").arg(known.made.back().text);
    known.made.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const QUndoCommand* command = stack.command(static_cast<int>(i));
        // A command that absorbed a further edit stays in its place.
        const bool took_in = i + 1 == count && stack.index() == known.index && stack.index() == stack.count();
        if (known.made[i].command != command || took_in) {
            known.made[i] = {command, ++last_number_, command->text()};
            known.edited = last_number_;
        }
        if (took_in) grown = command->text();
    }
    if (undone) known.undone = ++last_number_;
    const int before = std::exchange(known.index, stack.index());
    emit changed();
    if (&stack != plan_) return;
    if (!grown.isEmpty())
        emit planEditGrew(grown);
    else if (stack.index() != before)
        emit planEdited(stackMove(stack, before));
}

std::vector<QUndoStack*> EditHistory::stacks() const {
    std::vector<QUndoStack*> stacks{&timeline_};
    if (plan_) stacks.push_back(plan_);
    for (const Shared& shared : shared_)
        if (!shared.shown || shared.shown()) stacks.push_back(shared.stack);
    return stacks;
}

/// @returns 0 where there is nothing to undo.
quint64 EditHistory::numberOfNextUndo(const QUndoStack* stack) const {
    if (!stack || !stack->canUndo()) return 0;
    return known_.at(const_cast<QUndoStack*>(stack)).made[static_cast<std::size_t>(stack->index()) - 1].number;
}

QUndoStack* EditHistory::nextUndo() const {
    QUndoStack* next = nullptr;
    quint64 latest = 0;
    for (QUndoStack* stack : stacks()) {
        const quint64 number = numberOfNextUndo(stack);
        if (number > latest) latest = number, next = stack;
    }
    return next;
}

QUndoStack* EditHistory::nextRedo() const {
    QUndoStack* next = nullptr;
    quint64 earliest = last_number_ + 1, edited = 0;
    for (QUndoStack* stack : stacks()) edited = std::max(edited, known_.at(stack).edited);
    for (QUndoStack* stack : stacks()) {
        if (!stack->canRedo() || known_.at(stack).undone < edited) continue;
        const quint64 number = known_.at(stack).made[static_cast<std::size_t>(stack->index())].number;
        if (number < earliest) earliest = number, next = stack;
    }
    return next;
}

}  // namespace overlap::ui
