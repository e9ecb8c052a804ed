#pragma once

#include <QAbstractListModel>
#include <memory>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

class Document;

/// The steps of the current plan's pipeline in order, each with its outcome. Checking switches a step, dropping a row
/// moves it.
class PassesModel : public HarmlessModel<QAbstractListModel> {
    Q_OBJECT

  public:
    enum Role {
        outcome_role = Qt::UserRole,  ///< the step's outcome, in a few words or as the sentence that refuses it
        time_role,                    ///< how long the pass took; empty where it did not run
        severity_role,                ///< the worst Severity of the step's problems; -1 where it has none
        stale_role,                   ///< the outcome is that of an older plan
        sentence_role,                ///< all of the row, as it is copied
    };

    explicit PassesModel(Document& document, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

    const PassStep& step(int row) const { return steps_[static_cast<std::size_t>(row)]; }
    /// The outcome of a step, of an older plan where the newest is not evaluated yet; null where that is not known.
    const StepOutcome* outcome(int row) const;
    /// Whether a step before the row was refused, and not the plan as a whole.
    bool isBehindRefused(int row) const;
    /// What the pass of a step reported, the worst first. A refusal is not among them.
    std::vector<Problem> problems(int row) const;

  signals:
    /// A row was dropped and is there now.
    void stepMoved(int row);

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    void readPlan();
    void readEvaluation();
    QString outcomeText(int row) const;
    int severity(int row) const;
    QString sentence(int row) const;

    Document& document_;
    std::vector<PassStep> steps_;
    std::shared_ptr<const Evaluation> evaluation_;
};

/// How many nodes a pass added, removed, moved and changed: `12 added, 30 removed`.
QString differenceText(const GraphDifference& difference);

}  // namespace overlap::ui
