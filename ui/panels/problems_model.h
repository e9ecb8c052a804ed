#pragma once

#include <QAbstractItemModel>
#include <optional>
#include <string>
#include <vector>

#include "core/passes/pass.h"
#include "ui/theme/harmless_model.h"

namespace overlap {
struct Evaluation;
}

namespace overlap::ui {

class Document;
class ExposedMoves;
class RefusalRemedy;

/// The problems of the current evaluation, or of what is shown in its place, the worst first. Many of one kind are one
/// row that says how many there are, with the problems below it.
class ProblemsModel : public HarmlessModel<QAbstractItemModel> {
    Q_OBJECT

  public:
    enum Column { title_column, message_column, fix_column, column_count };
    enum Role { severity_role = Qt::UserRole };

    explicit ProblemsModel(Document& document, QObject* parent = nullptr);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    using QObject::parent;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Shows these until nothing is given: problems of what the timeline shows in place of the current variant.
    void showInstead(std::optional<std::vector<Problem>> problems);
    /// A limit of the peak that was set: a plan beyond it has that as a problem. 0: none.
    void setMemoryLimit(qint64 bytes);
    /// Whether what could help exposed collectives, or mend a refused plan, is evaluated: while somebody looks.
    void evaluateMoves(bool wanted);
    /// True while it is being evaluated.
    bool evaluating() const;
    const std::vector<Problem>& problems() const { return problems_; }
    /// The problem of an index as a position in problems(); nothing for a row that stands for several.
    std::optional<std::size_t> problemAt(const QModelIndex& index) const;
    /// Selects what the problem is about: its bucket, else its first node.
    void goTo(std::size_t problem);
    /// Applies the problem's fix as an undoable edit; false where there is none or the plan cannot be edited.
    bool applyFix(std::size_t problem);
    /// The same for all problems of a row that stands for several, as one edit.
    bool applyFixOfSeveral(const QModelIndex& row);

  signals:
    /// The fix of a problem is to give nodes their modules.
    void repairWanted();
    /// The fix of a problem is to choose a cost model.
    void costModelWanted();
    /// The fix of a problem is that process groups share the links they go over.
    void sharedLinksWanted();
    /// The fix of a problem is to tell what the graph's file leaves out.
    void tellingWanted();
    /// The fix of a problem is to be advised on the selected collective.
    void adviceWanted();
    /// The exposed collectives that are no problems here are to be seen, in the table of all.
    void exposedWanted();

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    /// The label of a problem's fix; empty where there is none.
    QString fixOf(const Problem& problem) const;
    /// What a problem means, with what the moves do that could help.
    QString messageOf(const Problem& problem) const;
    /// Names that match nothing, where such a row is of nothing else.
    std::vector<std::string> namesToTakeOut(const std::vector<std::size_t>& members) const;
    QVariant severalData(const std::vector<std::size_t>& members, int column, int role) const;
    const std::vector<std::size_t>& members(int row) const { return rows_[static_cast<std::size_t>(row)]; }
    void update();
    /// Says how many exposed collectives there are besides those that are problems.
    void addMoreExposed(const Evaluation& evaluation);

    Document& document_;
    ExposedMoves* moves_;
    RefusalRemedy* remedy_;
    std::vector<Problem> problems_;
    std::vector<std::vector<std::size_t>> rows_;  ///< indices into problems_
    std::optional<std::vector<Problem>> instead_;
    qint64 memory_limit_ = 0;
};

/// What the fix of a problem does, for the history, where the problem is not beside it.
QString textOfFix(const Problem& problem);

/// Selects what a problem is about: its bucket, else its first node.
void goToProblem(Document& document, const Problem& problem);

}  // namespace overlap::ui
