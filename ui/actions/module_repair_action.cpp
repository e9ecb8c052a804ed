#include "ui/actions/module_repair_action.h"

#include "ui/document/document.h"
#include "ui/edits/module_commands.h"
#include "ui/frame/actions.h"

namespace overlap::ui {

ModuleRepairAction::ModuleRepairAction(Document& document, QWidget* window)
    : QObject(window), document_(document), window_(window) {
    // The rules in the dialog are those of one plan.
    connect(&document, &Document::currentChanged, this, [this] {
        if (dialog_) dialog_->reject();
    });
}

void ModuleRepairAction::registerAction(Actions& actions) {
    actions.add(QStringLiteral("plan.repair_modules"), tr("Plan"), tr("Repair &modules…"),
                tr("Give modules to nodes that have none, by rules"), {}, [this] { open(); });
}

void ModuleRepairAction::open(const QStringList& nodes) {
    if (const QString refusal = ModuleCommands(document_).refusal(); !refusal.isEmpty()) {
        emit told(refusal);
        return;
    }
    if (!dialog_) dialog_ = new ModuleRepairDialog(document_, window_);
    if (!nodes.isEmpty()) dialog_->giveByHand(nodes);
    dialog_->show();
    dialog_->raise();
    dialog_->activateWindow();
}

}  // namespace overlap::ui
