#include "ui/edits/plan_commands.h"

#include "ui/document/document.h"

namespace overlap::ui {

void PlanCommands::setNote(const std::vector<int>& variants, const QString& note) {
    const std::string text = note.trimmed().toStdString();
    for (const int index : variants) {
        if (index < 0 || index >= document_.variantCount() || document_.variant(index).readOnly()) continue;
        Plan plan = document_.variant(index).plan();
        plan.notes = text;
        document_.variant(index).edit(text.empty() ? tr("Remove the note") : tr("Note on the plan"), plan);
    }
}

}  // namespace overlap::ui
