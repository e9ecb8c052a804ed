#include "ui/shell/view_actions.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDockWidget>

#include "ui/frame/actions.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/frame/docks/enlarged_part.h"
#include "ui/frame/theme_choice.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

QString text(const char* words) {
    return QCoreApplication::translate("ViewActions", words);
}

QKeySequence digitKey(int number) {
    return QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number % 10));
}

/// Shows a dock and focuses the widget in it that takes keys.
void goTo(QDockWidget& dock) {
    dock.show();
    dock.raise();
    QWidget* content = dock.widget();
    if (content->focusPolicy() != Qt::NoFocus) return content->setFocus();
    for (QWidget* child : content->findChildren<QWidget*>())
        if (qobject_cast<QAbstractItemView*>(child)) return child->setFocus();
}

/// Numbers are few: docks that were added later have letters. @param number of the last dock that has one.
QKeySequence keyOf(const QDockWidget& dock, int& number) {
    const QString id = dock.objectName();
    if (id == u"run") return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R);
    if (id == u"compare") return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D);
    if (id == u"alive") return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L);
    if (id == u"history") return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_U);
    if (id == u"statistics") return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_I);
    if (id == u"advice") return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E);
    if (id == u"memory") return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Y);
    if (id == u"search") return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F);
    if (id == u"plans") return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G);
    if (id == u"collectives") return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    return digitKey(number++);
}

void registerDocks(Actions& actions, const QString& menu, const DockLayout& docks, int& number) {
    for (QDockWidget* dock : docks.all()) {
        const QString title = dock->windowTitle().trimmed();  // room for a count is not part of the name
        actions.add(QStringLiteral("view.go.") + dock->objectName(), menu, text("Go to %1").arg(title),
                    text("Show %1 and work there by keys").arg(title), {keyOf(*dock, number)}, [dock] { goTo(*dock); });
        QAction* toggle = dock->toggleViewAction();
        toggle->setText(text("Show %1").arg(title));
        actions.adopt(QStringLiteral("view.show.") + dock->objectName(), menu, toggle,
                      text("Show or hide %1").arg(title));
    }
}

void registerCentre(Actions& actions, const QString& menu, Workspace& workspace, int& number) {
    CentreTabs& centre = workspace.centre();
    CentreTabs* const tabs = &centre;
    Workspace* const views = &workspace;
    for (const CentreTabs::View& shown : centre.views()) {
        QList<QKeySequence> keys;
        if (++number <= 10) keys.append(digitKey(number));
        actions.add(QStringLiteral("view.go.") + shown.id, menu, text("Go to %1").arg(shown.title),
                    text("Show %1 and work there by keys").arg(shown.title), keys, [views, shown] {
                        views->showMiddle(shown.id);
                        shown.widget->setFocus();
                    });
    }
    QAction* open =
        actions.add("view.show.centre", menu, text("Show views above the timeline"),
                    text("Show the graph above the timeline, or give all room to the timeline"), {}, [tabs, views] {
                        views->showMiddle();
                        tabs->setOpen(!tabs->open());
                    });
    open->setCheckable(true);
    open->setChecked(centre.open());
    QObject::connect(&centre, &CentreTabs::openChanged, open, &QAction::setChecked);
}

void registerEnlarged(Actions& actions, const QString& menu, EnlargedPart& enlarged) {
    EnlargedPart* const part = &enlarged;
    QAction* enlarge = actions.add(
        "view.enlarge", menu, text("&Enlarge this part"),
        text("Give the whole window to the panel or view that has the keys; once more shows the others again"),
        {QKeySequence(Qt::Key_F11)},
        [part] { part->any() ? part->end() : part->enlarge(part->partOf(QApplication::focusWidget())); });
    enlarge->setCheckable(true);
    // In a panel with a window of its own there is nothing to enlarge.
    QObject::connect(enlarge, &QAction::triggered, part, [part, enlarge] { enlarge->setChecked(part->any()); });
    QObject::connect(part, &EnlargedPart::changed, enlarge, [part, enlarge] { enlarge->setChecked(part->any()); });
}

}  // namespace

void registerViewActions(Actions& actions, Workspace& workspace, ThemeChoice& theme) {
    const QString view = text("View");
    Workspace* const shown = &workspace;
    int number = 1;
    registerDocks(actions, view, workspace.docks(), number);
    TimelineView* const timeline = &workspace.timeline();
    actions.add("view.go.timeline", view, text("Go to Timeline"), text("Work in the timeline by keys"),
                {digitKey(number)}, [timeline, shown] {
                    shown->showMiddle();
                    timeline->setFocus();
                });
    registerCentre(actions, view, workspace, number);
    registerEnlarged(actions, view, workspace.enlarged());
    theme.registerActions();
    actions.add("view.reset", view, text("&Reset layout"), text("Put all docks back where they were at first"), {},
                [shown] { shown->resetLayout(); });
}

}  // namespace overlap::ui
