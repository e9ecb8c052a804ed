#include "ui/edits/plan_commands.h"

#include "ui/document/document.h"

namespace overlap::ui {

void PlanCommands::setNote(int variant, const QString& note) {
    if (variant < 0 || variant >= document_.variantCount() || document_.variant(variant).readOnly()) return;
    Plan plan = document_.variant(variant).plan();
    plan.notes = note.trimmed().toStdString();
    const QString what = plan.notes.empty() ? tr("Remove the note") : tr("Note on the plan");
    document_.variant(variant).edit(what, plan);
}

void PlanCommands::setColour(int variant, PlanColour colour) {
    if (variant < 0 || variant >= document_.variantCount() || document_.variant(variant).readOnly()) return;
    Plan plan = document_.variant(variant).plan();
    plan.colour = colour;
    document_.variant(variant).edit(colour == PlanColour::none ? tr("Remove the colour") : tr("Colour of the plan"),
                                    plan);
}

}  // namespace overlap::ui
