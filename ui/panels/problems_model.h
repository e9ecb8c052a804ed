#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "core/passes/pass.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

class Document;

/// The problems of the current evaluation, or of what is shown in its place, the worst first.
class ProblemsModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column { title_column, message_column, fix_column, column_count };
    enum Role { severity_role = Qt::UserRole };

    explicit ProblemsModel(Document& document, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Shows these until nothing is given: problems of what the timeline shows in place of the current variant.
    void showInstead(std::optional<std::vector<Problem>> problems);
    const Problem& problem(int row) const { return problems_[static_cast<std::size_t>(row)]; }
    /// Selects what the problem is about: its bucket, else its first node.
    void goTo(int row);
    /// Applies the problem's fix as an undoable edit; false where there is none or the plan cannot be edited.
    bool applyFix(int row);

  signals:
    /// The fix of a problem is to give nodes their modules.
    void repairWanted();
    /// The fix of a problem is to choose a cost model.
    void costModelWanted();

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    void update();

    Document& document_;
    std::vector<Problem> problems_;
    std::optional<std::vector<Problem>> instead_;
};

/// Selects what a problem is about: its bucket, else its first node.
void goToProblem(Document& document, const Problem& problem);

}  // namespace overlap::ui
