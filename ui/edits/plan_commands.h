#pragma once

#include <QCoreApplication>
#include <QString>
#include <vector>

namespace overlap::ui {

class Document;

/// What the user says of plans and no pass reads. One undoable edit of each plan.
class PlanCommands {
    Q_DECLARE_TR_FUNCTIONS(PlanCommands)

  public:
    explicit PlanCommands(Document& document) : document_(document) {}

    /// @param variants positions in the document; the baseline is left out.
    void setNote(const std::vector<int>& variants, const QString& note);

  private:
    Document& document_;
};

}  // namespace overlap::ui
