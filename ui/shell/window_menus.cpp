#include "ui/shell/window_menus.h"

#include <QCoreApplication>
#include <QHash>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>
#include <array>

#include "ui/frame/actions.h"
#include "ui/frame/figures_bar.h"
#include "ui/frame/tool_bar_room.h"
#include "ui/frame/variant_bar.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {
namespace {

QString text(const char* words) {
    return QCoreApplication::translate("WindowMenus", words);
}

/// Actions with a line above them in their menu.
const QStringList separated{QStringLiteral("file.save"),
                            QStringLiteral("file.quit"),
                            QStringLiteral("edit.find"),
                            QStringLiteral("plan.next"),
                            QStringLiteral("plan.rename"),
                            QStringLiteral("plan.automatic"),
                            QStringLiteral("plan.repair_modules"),
                            QStringLiteral("plan.asTraced"),
                            QStringLiteral("plan.attentionDensity"),
                            QStringLiteral("bucket.up"),
                            QStringLiteral("bucket.cut"),
                            QStringLiteral("bucket.remove"),
                            QStringLiteral("bucket.type"),
                            QStringLiteral("view.theme.system"),
                            QStringLiteral("view.reset"),
                            QStringLiteral("view.fit"),
                            QStringLiteral("graph.picture"),
                            QStringLiteral("graph.colour.bucket"),
                            QStringLiteral("help.about")};

/// Actions that stand in a menu of their own below the one they are registered for, which would not fit a low screen.
struct Below {
    const char* title;
    QStringList ids;  ///< or what they begin with
};
const std::array<Below, 9> below{
    {{QT_TRANSLATE_NOOP("WindowMenus", "&Export plan"), {QStringLiteral("export.")}},
     {QT_TRANSLATE_NOOP("WindowMenus", "&New plan"), {QStringLiteral("plan.new")}},
     {QT_TRANSLATE_NOOP("WindowMenus", "&Times"),
      {QStringLiteral("plan.traceTimes"), QStringLiteral("plan.graphTimes"), QStringLiteral("plan.costModel"),
       QStringLiteral("plan.contention"), QStringLiteral("plan.shareLinks"), QStringLiteral("plan.asTraced"),
       QStringLiteral("plan.eager"), QStringLiteral("plan.compiled"), QStringLiteral("plan.attentionDensity"),
       QStringLiteral("plan.calibrate")}},
     {QT_TRANSLATE_NOOP("WindowMenus", "O&verlaps by hand"), {QStringLiteral("overlap.")}},
     {QT_TRANSLATE_NOOP("WindowMenus", "&Start from"), {QStringLiteral("plan.start")}},
     {QT_TRANSLATE_NOOP("WindowMenus", "Process &groups"),
      {QStringLiteral("plan.isolateExperts"), QStringLiteral("plan.separateGathers")}},
     {QT_TRANSLATE_NOOP("WindowMenus", "&Go to"), {QStringLiteral("view.go.")}},
     {QT_TRANSLATE_NOOP("WindowMenus", "&Job"), {QStringLiteral("view.job")}},
     {QT_TRANSLATE_NOOP("WindowMenus", "&Panels"), {QStringLiteral("view.show.")}}}};

/// The title of the menu that an action stands in below its own; empty where it stands in its own.
QString menuBelow(const QString& id) {
    for (const Below& menu : below)
        if (std::ranges::any_of(menu.ids, [&](const QString& beginning) { return id.startsWith(beginning); }))
            return text(menu.title);
    return {};
}

}  // namespace

QMenu* makeMenus(QMenuBar& bar, const Actions& actions) {
    QHash<QString, QMenu*> menus;
    QMenu* recent = nullptr;
    for (const Actions::Entry& entry : actions.entries()) {
        const QString above = entry.id.startsWith(u"export.") ? text("File") : entry.menu;
        QMenu* menu = menus.value(above);
        if (!menu) menu = menus[above] = bar.addMenu(u'&' + above);
        if (const QString title = menuBelow(entry.id); !title.isEmpty()) {
            QMenu*& its = menus[title];
            if (!its) its = menu->addMenu(title);
            menu = its;
        }
        menu->setToolTipsVisible(true);
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
