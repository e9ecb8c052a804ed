#include "ui/edits/automatic_commands.h"

#include "core/pipeline/manual_start.h"
#include "ui/document/document.h"

namespace overlap::ui {

QString AutomaticCommands::freeName(const QString& wanted) const {
    for (int number = 1;; ++number) {
        const QString name = number == 1 ? wanted : QStringLiteral("%1 %2").arg(wanted).arg(number);
        bool taken = false;
        for (int i = 0; i < document_.variantCount(); ++i) taken = taken || document_.variant(i).title() == name;
        if (!taken) return name;
    }
}

void AutomaticCommands::addAutomatic() {
    if (!document_.isOpen()) return;
    const Plan current = document_.current()->plan();
    Plan plan = automatic_plan(current, *document_.loaded().empty_plan.graph);
    plan.name = freeName(QString::fromStdString(plan.name)).toStdString();
    document_.addCopyOfCurrent().edit(Document::tr("Leave buckets to the automatic pass"), std::move(plan));
}

QString AutomaticCommands::manualRefusal() const {
    if (!document_.isOpen()) return Document::tr("No graph is open");
    const Variant* current = document_.current();
    const Evaluation* evaluation = current->stale() ? nullptr : current->evaluation().get();
    return QString::fromStdString(manual_start_obstacle(current->plan(), evaluation, document_.modules()));
}

void AutomaticCommands::addManual(Plan plan) {
    Variant& added = document_.addCopyOfCurrent();
    plan.name = added.plan().name;
    added.edit(Document::tr("Make cards of the automatic buckets"), std::move(plan));
}

}  // namespace overlap::ui
