#include "ui/frame/field_manners.h"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QCursor>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QToolButton>

namespace overlap::ui {
namespace {

bool isField(const QObject* object) {
    const bool slides = qobject_cast<const QAbstractSlider*>(object) && !qobject_cast<const QScrollBar*>(object);
    return slides || qobject_cast<const QAbstractSpinBox*>(object) || qobject_cast<const QComboBox*>(object);
}

/// The line in which a field's text is typed; null for others.
const QLineEdit* lineOf(const QObject* field) {
    if (const auto* line = qobject_cast<const QLineEdit*>(field)) return line;
    if (!qobject_cast<const QAbstractSpinBox*>(field) && !qobject_cast<const QComboBox*>(field)) return nullptr;
    return field->findChild<QLineEdit*>();
}

bool steps(const QKeyEvent& event) {
    return event.matches(QKeySequence::Undo) || event.matches(QKeySequence::Redo);
}

/// Whether there is anything of a field's text to take back: not where it was taken over and begins anew.
bool hasSteps(const QObject* field) {
    const QLineEdit* line = lineOf(field);
    return line && (line->isUndoAvailable() || line->isRedoAvailable());
}

}  // namespace

FieldManners::FieldManners() {
    QCoreApplication::instance()->installEventFilter(this);
}

bool FieldManners::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Polish:
            // Qt gives the focus before the field sees the wheel.
            if (auto* field = qobject_cast<QWidget*>(watched); field && field->focusPolicy() == Qt::WheelFocus)
                if (isField(field) || lineOf(field)) field->setFocusPolicy(Qt::StrongFocus);
            return false;
        case QEvent::Wheel:
            if (!leavesWheel(watched)) return false;
            event->ignore();  // goes on to the parent
            return true;
        case QEvent::ShortcutOverride:
            if (isOfTyping(watched, static_cast<const QKeyEvent&>(*event))) {
                event->accept();  // comes to the field as a key then
                return true;
            }
            if (!leavesToWindow(watched, static_cast<const QKeyEvent&>(*event))) return false;
            event->ignore();  // is the window's shortcut then
            return true;
        case QEvent::KeyPress:
            noteTyping(watched, static_cast<const QKeyEvent&>(*event));
            return false;
        case QEvent::FocusOut:
            // A list of completions opens while the text is typed, and does not commit it.
            if (watched == typed_into_ && static_cast<const QFocusEvent*>(event)->reason() != Qt::PopupFocusReason)
                typed_into_ = nullptr;
            return false;
        case QEvent::Hide:
            if (qobject_cast<QMenu*>(watched))
                QMetaObject::invokeMethod(this, &FieldManners::leaveButtons, Qt::QueuedConnection);
            return false;
        default:
            return false;
    }
}

/// Qt tells a button nothing of the pointer while its menu is open, nor where it went.
void FieldManners::leaveButtons() {
    for (QWidget* widget : QApplication::allWidgets())
        if (widget->underMouse() && qobject_cast<QToolButton*>(widget) &&
            !widget->rect().contains(widget->mapFromGlobal(QCursor::pos()))) {
            QEvent leave(QEvent::Leave);
            QCoreApplication::sendEvent(widget, &leave);
            widget->update();
        }
}

bool FieldManners::leavesWheel(QObject* watched) const {
    // A field's own line or list is part of it.
    const QObject* field = watched;
    if (qobject_cast<QLineEdit*>(watched)) field = watched->parent();
    // A choice keeps the focus after its list was folded away, when the wheel means what is around again.
    return qobject_cast<const QComboBox*>(field) || (isField(field) && !static_cast<const QWidget*>(field)->hasFocus());
}

bool FieldManners::leavesToWindow(QObject* watched, const QKeyEvent& event) const {
    return steps(event) && lineOf(watched) && (watched != typed_into_ || !hasSteps(watched));
}

/// Keys go to an open list of completions first.
bool FieldManners::isOfTyping(QObject* watched, const QKeyEvent& event) const {
    const auto* list = qobject_cast<const QWidget*>(watched);
    return steps(event) && hasSteps(typed_into_) && list && list != typed_into_ && list->focusProxy() == typed_into_;
}

void FieldManners::noteTyping(QObject* watched, const QKeyEvent& event) {
    const QLineEdit* line = lineOf(watched);
    if (!line || line->isReadOnly()) return;
    if (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter || event.key() == Qt::Key_Escape) {
        typed_into_ = nullptr;
        return;
    }
    const bool deletes = event.key() == Qt::Key_Backspace || event.key() == Qt::Key_Delete;
    const bool types = !event.text().isEmpty() && event.text().front().isPrint();
    if (types || deletes || event.matches(QKeySequence::Paste) || event.matches(QKeySequence::Cut))
        typed_into_ = static_cast<QWidget*>(watched);
}

}  // namespace overlap::ui
