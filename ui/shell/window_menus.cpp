#include "ui/shell/window_menus.h"

#include <QCoreApplication>
#include <QHash>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>

#include "ui/frame/actions.h"
#include "ui/frame/figures_bar.h"
#include "ui/frame/tool_bar_room.h"
#include "ui/frame/variant_bar.h"
#include "ui/shell/workspace.h"

namespace overlap::ui {
namespace {

QString text(const char* words) {
    return QCoreApplication::translate("WindowMenus", words);
}

/// Actions with a line above them in their menu.
const QStringList separated{
    QStringLiteral("file.save"),   QStringLiteral("file.quit"),        QStringLiteral("edit.find"),
    QStringLiteral("plan.next"),   QStringLiteral("plan.startBlock"),  QStringLiteral("plan.isolateExperts"),
    QStringLiteral("bucket.up"),   QStringLiteral("bucket.cut"),       QStringLiteral("bucket.remove"),
    QStringLiteral("bucket.type"), QStringLiteral("view.go.timeline"), QStringLiteral("view.theme.system"),
    QStringLiteral("view.reset"),  QStringLiteral("graph.picture"),    QStringLiteral("graph.colour.bucket"),
    QStringLiteral("help.about")};

}  // namespace

QMenu* makeMenus(QMenuBar& bar, const Actions& actions) {
    QHash<QString, QMenu*> menus;
    QMenu* recent = nullptr;
    for (const Actions::Entry& entry : actions.entries()) {
        QMenu*& menu = menus[entry.menu];
        if (!menu) {
            const bool below = entry.id.startsWith(u"export.");
            menu = below ? menus.value(text("File"))->addMenu(text("&Export plan")) : bar.addMenu(u'&' + entry.menu);
            menu->setToolTipsVisible(true);
        }
        if (separated.contains(entry.id)) menu->addSeparator();
        menu->addAction(entry.action);
        if (entry.id == u"file.open") recent = menu->addMenu(text("Open &recent"));
    }
    return recent;
}

void fillToolBar(QToolBar& bar, const Actions& actions, Workspace& workspace) {
    auto* room = new ToolBarRoom(bar, workspace.variants(), workspace.figures());
    const auto add = [&](const char* id, const char* icon, bool with_text) {
        QAction* action = actions.find(QString::fromLatin1(id));
        action->setProperty("iconName", QString::fromLatin1(icon));
        bar.addAction(action);
        if (with_text) room->addCaptioned(static_cast<QToolButton*>(bar.widgetForAction(action)));
    };
    add("file.open", "open", true);
    add("file.save", "save", true);
    add("edit.undo", "undo", false);
    add("edit.redo", "redo", false);
    const auto addWidget = [&](QWidget& widget) {
        widget.show();  // a hidden one would stay so
        bar.addWidget(&widget);
    };
    addWidget(workspace.variants());
    add("run.show", "run", true);
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar.addWidget(space);
    addWidget(workspace.figures());
}

}  // namespace overlap::ui
