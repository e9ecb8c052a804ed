#include "ui/timeline/timeline_keys.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>
#include <algorithm>
#include <utility>

#include "ui/timeline/timeline_view.h"
#include "ui/widgets/own_letters.h"

namespace overlap::ui {
namespace {

bool isTypedInto(const QWidget* widget) {
    if (qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget)) return true;
    if (const auto* choice = qobject_cast<const QComboBox*>(widget)) return choice->isEditable();
    if (const auto* text = qobject_cast<const QTextEdit*>(widget)) return !text->isReadOnly();
    if (const auto* text = qobject_cast<const QPlainTextEdit*>(widget)) return !text->isReadOnly();
    return false;
}

/// Lists and choices take every letter, to find a row by it.
bool findsRows(const QObject* object) {
    return qobject_cast<const QAbstractItemView*>(object) || qobject_cast<const QComboBox*>(object);
}

/// Trees open and close with these.
bool opensRows(int key) {
    return key == Qt::Key_Plus || key == Qt::Key_Minus || key == Qt::Key_Asterisk;
}

bool isLetterOrMark(const QKeyEvent& event) {
    constexpr auto commands = Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
    if (event.modifiers() & commands || event.text().isEmpty()) return false;
    return event.text().front().isPrint() && event.key() != Qt::Key_Space && !opensRows(event.key());
}

/// What E selected from anywhere, Escape lets go from anywhere.
bool isEscape(const QKeyEvent& event) {
    return event.key() == Qt::Key_Escape && event.modifiers() == Qt::NoModifier;
}

}  // namespace

TimelineKeys::TimelineKeys(TimelineView& timeline)
    : QObject(&timeline),
      timeline_(timeline),
      use_([&timeline](const QKeyEvent& key) { return timeline.useKey(key); }) {
    QCoreApplication::instance()->installEventFilter(this);
}

TimelineKeys::TimelineKeys(TimelineView& timeline, QWidget& page, std::function<bool(const QKeyEvent&)> use)
    : QObject(&timeline), timeline_(timeline), page_(&page), use_(std::move(use)) {
    QCoreApplication::instance()->installEventFilter(this);
}

/// Whether keys of the view that has the focus are this timeline's rather than another's.
bool TimelineKeys::isOwn(const QWidget* focused) const {
    const auto isIn = [&](const QWidget* page) {
        return page && focused && (page == focused || page->isAncestorOf(focused));
    };
    return page_ ? isIn(page_) : std::ranges::none_of(others_, isIn);
}

/// In the timeline's window or a dock that floats beside it, and not in a dialog or menu of it.
bool TimelineKeys::isBeside(const QWidget& widget) const {
    for (const QWidget* around = &widget; around; around = around->parentWidget()) {
        if (around == timeline_.window()) return true;
        if (around->isWindow() &&
            (around->isModal() || around->windowType() == Qt::Dialog || around->windowType() == Qt::Popup))
            return false;
    }
    return false;
}

/// Views that use the key themselves get it before what is around them does: only lists have to be overruled.
bool TimelineKeys::isMeant(const QObject* watched, const QKeyEvent& event) const {
    const auto* widget = qobject_cast<const QWidget*>(watched);
    if (!widget || !(isLetterOrMark(event) || isEscape(event)) || !isBeside(*widget)) return false;
    const QWidget* focused = widget->window()->focusWidget();
    if (focused == &timeline_ || isTypedInto(focused) || !isOwn(focused)) return false;
    if (widget->isWindow()) return true;
    return !isEscape(event) && findsRows(watched) && !ownsLetter(*watched, event);
}

bool TimelineKeys::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::KeyPress:
            return isMeant(watched, static_cast<const QKeyEvent&>(*event)) &&
                   use_(static_cast<const QKeyEvent&>(*event));
        case QEvent::KeyRelease:
            if (!timeline_.hasFocus()) timeline_.releaseKey(static_cast<const QKeyEvent&>(*event));
            return false;
        case QEvent::WindowDeactivate:
            timeline_.stopKeys();
            return false;
        default:
            return false;
    }
}

}  // namespace overlap::ui
