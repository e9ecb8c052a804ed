#pragma once

#include <QCoreApplication>
#include <QString>

#include "core/plan/plan_colour.h"

namespace overlap::ui {

class Document;

/// What the user says of plans and no pass reads. One undoable edit each.
class PlanCommands {
    Q_DECLARE_TR_FUNCTIONS(PlanCommands)

  public:
    explicit PlanCommands(Document& document) : document_(document) {}

    /// @param variant position in the document; the baseline takes no note.
    void setNote(int variant, const QString& note);
    /// @param variant as of setNote().
    void setColour(int variant, PlanColour colour);

  private:
    Document& document_;
};

}  // namespace overlap::ui
