#include "ui/frame/docks/enlarged_part.h"

#include <QDockWidget>
#include <QEvent>
#include <QGuiApplication>
#include <QHash>
#include <QMainWindow>
#include <QScopedValueRollback>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "ui/frame/docks/dock_layout.h"

namespace overlap::ui {
namespace {

constexpr int while_dragged_ms = 100;

}  // namespace

EnlargedPart::EnlargedPart(QMainWindow& window, DockLayout& docks) : QObject(&window), window_(window), docks_(docks) {}

bool EnlargedPart::isInWindow(const QWidget* part) const {
    return part && part->window() == &window_;
}

QWidget* EnlargedPart::partOf(QWidget* inside) const {
    if (inside && !isInWindow(inside)) return nullptr;
    for (QWidget* part = inside; part; part = part->parentWidget())
        if (qobject_cast<QDockWidget*>(part)) return part;
    return window_.centralWidget();
}

QList<QWidget*> EnlargedPart::shownWith(QWidget* part) const {
    QList<QWidget*> shown{part};
    if (auto* dock = qobject_cast<QDockWidget*>(part))
        for (QDockWidget* beside : window_.tabifiedDockWidgets(dock)) shown.append(beside);
    return shown;
}

bool EnlargedPart::isEmpty() const {
    return std::ranges::all_of(enlarged_, [&](const QWidget* part) { return part->isHidden() || !isInWindow(part); });
}

void EnlargedPart::endIfEmpty() {
    if (!any() || changing_ || !isEmpty()) return;
    // The layout is Qt's while it drags a dock.
    if (QGuiApplication::mouseButtons() != Qt::NoButton) {
        QTimer::singleShot(while_dragged_ms, this, &EnlargedPart::endIfEmpty);
        return;
    }
    end();
}

bool EnlargedPart::is(const QWidget* part) const {
    return any() && std::ranges::any_of(enlarged_, [&](const QWidget* shown) { return shown == part; });
}

void EnlargedPart::enlarge(QWidget* part) {
    if (!isInWindow(part) || is(part)) return;
    end();
    const QScopedValueRollback guard(changing_, true);
    const QByteArray layout = window_.saveState();
    in_front_ = docks_.inFront();
    enlarged_ = shownWith(part);
    docks_.setSizesKept(false);
    QList<QWidget*> others{window_.centralWidget()};
    for (QDockWidget* dock : docks_.all())
        if (isInWindow(dock)) others.append(dock);
    for (QWidget* other : others) {
        if (enlarged_.contains(other) || other->isHidden()) continue;
        other->hide();
        other->installEventFilter(this);
        hidden_.append(other);
    }
    for (QWidget* shown : enlarged_) {
        shown->installEventFilter(this);
        if (auto* dock = qobject_cast<QDockWidget*>(shown))
            connect(dock, &QDockWidget::topLevelChanged, this, &EnlargedPart::endIfEmpty,
                    Qt::ConnectionType(Qt::QueuedConnection | Qt::UniqueConnection));
    }
    layout_ = layout;
    emit changed();
}

void EnlargedPart::end() {
    if (!any()) return;
    {
        const QScopedValueRollback guard(changing_, true);
        for (QWidget* other : std::exchange(hidden_, {})) {
            other->removeEventFilter(this);
            other->show();
        }
        // Which tab is in front, and what is open, is the user's choice meanwhile.
        QWidget* front = nullptr;
        for (QWidget* part : std::exchange(enlarged_, {})) {
            part->removeEventFilter(this);
            if (!part->visibleRegion().isEmpty()) front = part;
        }
        QHash<QDockWidget*, bool> open;
        QHash<QDockWidget*, QRect> floating;
        for (QDockWidget* dock : docks_.all()) {
            open.insert(dock, !dock->isHidden());
            if (dock->isFloating()) floating.insert(dock, dock->geometry());
        }
        window_.restoreState(std::exchange(layout_, {}));
        for (auto dock = floating.cbegin(); dock != floating.cend(); ++dock) {
            dock.key()->setFloating(true);
            dock.key()->setGeometry(dock.value());
        }
        for (auto dock = open.cbegin(); dock != open.cend(); ++dock) dock.key()->setVisible(dock.value());
        if (front) front->raise();
        docks_.setSizesKept(true);
    }
    emit changed();
}

void EnlargedPart::toggle(QWidget* part) {
    is(part) ? end() : enlarge(part);
}

QByteArray EnlargedPart::layout() const {
    return any() ? layout_ : window_.saveState();
}

QStringList EnlargedPart::inFront() const {
    // Who brings them to the front one after the other ends with those that are seen now.
    return any() ? in_front_ + docks_.inFront() : docks_.inFront();
}

bool EnlargedPart::eventFilter(QObject* watched, QEvent* event) {
    // The layout comes back when whoever shows or hides it is done.
    auto* part = static_cast<QWidget*>(watched);
    if (event->type() == QEvent::ShowToParent && !changing_ && hidden_.contains(part)) {
        QMetaObject::invokeMethod(
            this,
            [this, part] {
                end();
                if (qobject_cast<QDockWidget*>(part)) part->raise();
            },
            Qt::QueuedConnection);
    }
    if (event->type() == QEvent::HideToParent && !changing_ && enlarged_.contains(part)) {
        QMetaObject::invokeMethod(this, &EnlargedPart::endIfEmpty, Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace overlap::ui
