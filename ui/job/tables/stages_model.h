#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/job/view/stage_figures.h"
#include "ui/job/open/open_job.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// The stages of the open job: what each takes for a microbatch, and the plan that it has.
class StagesModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column { name_column, plan_column, forward_column, backward_column, exposed_column, column_count };

    explicit StagesModel(OpenJob& job, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// The stage whose graph is open; -1 for none.
    void setShown(int stage);
    int shown() const { return shown_; }
    /// What is to be known of the graph that is open, for the tips of the stages that have it.
    void setNotes(const QStringList& notes) { notes_ = notes; }

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    QString text(int stage, int column) const;
    QString planText(int stage) const;
    void update();

    OpenJob& job_;
    std::vector<std::optional<job::StageFigures>> figures_;
    int shown_ = -1;
    QStringList notes_;
};

}  // namespace overlap::ui
