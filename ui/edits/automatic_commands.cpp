#include "ui/edits/automatic_commands.h"

#include "core/pipeline/manual_start.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"

namespace overlap::ui {

QString AutomaticCommands::freeName(const QString& wanted) const {
    for (int number = 1;; ++number) {
        const QString name = number == 1 ? wanted : QStringLiteral("%1 %2").arg(wanted).arg(number);
        bool taken = false;
        for (int i = 0; i < document_.variantCount(); ++i) taken = taken || document_.variant(i).title() == name;
        if (!taken) return name;
    }
}

QString AutomaticCommands::addAutomatic() {
    if (!document_.isOpen()) return {};
    const Plan current = document_.current()->plan();
    Plan plan = automatic_plan(current, *document_.loaded().empty_plan.graph);
    const QString name = freeName(QString::fromStdString(plan.name));
    plan.name = name.toStdString();
    QStringList taken;
    for (const PassStep& step : plan.pipeline)
        if (step.enabled && step.pass != automatic_pass) taken.append(QString::fromStdString(step.pass));
    const QString from = QString::fromStdString(current.name);
    const QString what = taken.isEmpty() ? Document::tr("PyTorch's overlap scheduler alone")
                                         : Document::tr("PyTorch's overlap scheduler behind steps of %1: %2")
                                               .arg(from, taken.join(QStringLiteral(", ")));
    plan.notes = what.toStdString();
    document_.addNew(std::move(plan));
    return Document::tr("Added %1: %2").arg(name, what);
}

QString AutomaticCommands::manualRefusal() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    const Variant* current = document_.current();
    const Evaluation* evaluation = current->stale() ? nullptr : current->evaluation().get();
    return QString::fromStdString(manual_start_obstacle(current->plan(), evaluation, document_.modules()));
}

void AutomaticCommands::addManual(Plan plan) {
    document_.addUnderFreeName(std::move(plan));
}

}  // namespace overlap::ui
