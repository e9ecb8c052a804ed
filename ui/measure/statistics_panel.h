#pragma once

#include <QWidget>

class QLabel;
class QTreeView;

namespace overlap::ui {

class Measurements;
class StatisticsModel;

/// Statistics of the measurement that is shown, else of the one opened last: how each rank's GPUs use their time, step
/// by step. Enter or a click shows a row's time in the timeline; Ctrl+C copies the table.
class StatisticsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit StatisticsPanel(Measurements& measurements, QWidget* parent = nullptr);

    StatisticsModel* model() { return model_; }
    QTreeView* view() { return view_; }

  signals:
    /// The user wants to see a row's time in the timeline, where its measurement is shown by now.
    void rangeWanted(qint64 begin_ns, qint64 end_ns);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void update();
    void choose(const QModelIndex& row);

    Measurements& measurements_;
    StatisticsModel* model_;
    QLabel* caption_;
    QTreeView* view_;
};

}  // namespace overlap::ui
