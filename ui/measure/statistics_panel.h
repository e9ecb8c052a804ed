#pragma once

#include <QWidget>

#include "ui/measure/statistics_model.h"
#include "ui/widgets/seen_refresh.h"

class QLabel;
class QTreeView;

namespace overlap::ui {

class Document;
class Measurements;
class SimulatedPlans;

/// Statistics of the measurement that is shown, else of the one opened last: how each rank's GPUs use their time, step
/// by step; and of all plans, those that were not in front evaluated in the background. Rows are made only while the
/// panel is seen. Enter or a click shows a row's time in the timeline; Ctrl+C copies the table.
class StatisticsPanel : public QWidget {
    Q_OBJECT

  public:
    StatisticsPanel(Document& document, Measurements& measurements, QWidget* parent = nullptr);

    StatisticsModel* model() { return model_; }
    QTreeView* view() { return view_; }
    /// True while it is seen and rows are missing: they are to be made, or a plan is being evaluated for them.
    bool busy() const;

  signals:
    /// The user wants to see a row's time in the timeline, where its measurement or plan is shown by now.
    void rangeWanted(qint64 begin_ns, qint64 end_ns);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void update();
    void letGo();
    void describe();
    void choose(const QModelIndex& row);

    Document& document_;
    Measurements& measurements_;
    SimulatedPlans* plans_;
    StatisticsModel* model_;
    QLabel* caption_;
    QTreeView* view_;
    SeenRefresh refresh_;
    SeenWatch watch_{*this};
};

}  // namespace overlap::ui
