#include "ui/actions/pass_actions.h"

#include <QCoreApplication>

#include "ui/frame/actions.h"
#include "ui/passes/passes_panel.h"
#include "ui/passes/passes_view.h"

namespace overlap::ui {
namespace {

QString text(const char* source) {
    return QCoreApplication::translate("PassActions", source);
}

/// Brings the panel to the front, wherever it is docked.
void raise(PassesPanel& passes) {
    QWidget* dock = passes.parentWidget();
    dock->show();
    dock->raise();
}

}  // namespace

void registerPassActions(Actions& actions, PassesPanel& passes) {
    const QString menu = text("Passes");
    const auto add = [&](const char* id, const char* title, const char* help, const QList<QKeySequence>& keys,
                         auto run) {
        QAction* action = actions.add(QString::fromLatin1(id), menu, text(title), text(help), keys, [&passes, run] {
            raise(passes);
            run(passes);
        });
        if (keys.isEmpty()) return;
        static_cast<QWidget*>(actions.parent())->removeAction(action);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        passes.steps().addAction(action);
    };
    add("pass.add", "&Add a pass…", "Choose a pass to run behind the selected step", {QKeySequence(Qt::Key_Insert)},
        [](PassesPanel& panel) { panel.chooseAndAdd(); });
    add("pass.start", "&Start from a preset…", "Replace the steps by one of torchtitan's pipelines", {},
        [](PassesPanel& panel) { panel.choosePreset(); });
    add("pass.switch", "S&witch on or off", "Run the selected step or leave it out; it keeps its options", {},
        [](PassesPanel& panel) { panel.switchCurrent(); });
    add("pass.up", "Run &earlier", "Move the selected step up", {QKeySequence(Qt::ALT | Qt::Key_Up)},
        [](PassesPanel& panel) { panel.moveCurrent(-1); });
    add("pass.down", "Run &later", "Move the selected step down", {QKeySequence(Qt::ALT | Qt::Key_Down)},
        [](PassesPanel& panel) { panel.moveCurrent(1); });
    add("pass.reset", "Reset &options", "Return all options of the selected step to their defaults", {},
        [](PassesPanel& panel) { panel.resetCurrent(); });
    add("pass.remove", "&Remove", "Remove the selected step",
        {QKeySequence(Qt::Key_Delete), QKeySequence(Qt::Key_Backspace)},
        [](PassesPanel& panel) { panel.removeCurrent(); });
    actions.addViewKey(menu, text("Space"), text("Switch the step on or off"));
    actions.addViewKey(menu, text("Enter among the changes"), text("Select the node, or what the problem speaks of"));
}

}  // namespace overlap::ui
