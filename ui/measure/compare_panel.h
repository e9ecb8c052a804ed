#pragma once

#include <QSortFilterProxyModel>
#include <QTimer>
#include <QWidget>
#include <memory>

#include "ui/measure/compared_steps.h"
#include "ui/tasks/latest_task.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;
class QTreeView;

namespace overlap::ui {

class ComparisonModel;
class Document;
class Measurements;
class StepChooser;

/// Which rows of a comparison are shown.
class ComparisonFilter : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setText(const QString& text);
    /// Whether collectives without any difference are shown, too.
    void setUnchangedShown(bool shown);

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

  private:
    QString text_;
    bool unchanged_ = false;
};

/// Two plans, or a plan and a measurement, side by side: sums, and a table of the collectives that differ. Until the
/// user chooses, it is the plan that was shown before, at first the baseline, and the one that is shown; where there is
/// a measurement, the plan that is shown and the measurement. Compares in the background, and only while it is visible.
class ComparePanel : public QWidget {
    Q_OBJECT

  public:
    ComparePanel(Document& document, Measurements& measurements, QWidget* parent = nullptr);

    ComparisonModel* model() { return model_; }
    QTreeView* view() { return view_; }
    QComboBox* before() { return before_; }
    QComboBox* after() { return after_; }
    /// What of the second side is compared, where that is a measurement.
    StepChooser* step() { return step_; }
    QLineEdit* filter() { return filter_; }
    /// Checked while both steps are to be shown in the timeline.
    QToolButton* both() { return both_; }
    /// Checked while figures are of the second step's times.
    QToolButton* times() { return times_; }
    /// Chooses two plans to compare, by their positions in the document.
    void choosePlans(int before, int after);
    QString sums() const;
    bool busy() const { return waiting_.isActive() || task_.busy(); }

  signals:
    /// What the timeline is to show instead; null for nothing.
    void shownChanged(std::shared_ptr<const overlap::ui::ShownTimeline> shown);
    /// The user chose a row.
    void rowChosen(std::shared_ptr<const overlap::ui::ComparedSteps> steps, int row);

    /// Figures of plans are to use a measurement's times; null: the graph's own.
    void timesWanted(const std::shared_ptr<const overlap::ui::Measurement>& measurement);

  protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeBar();
    void makeTable();
    void fillSides();
    /// @returns whether what was chosen in the box is still there.
    bool fill(QComboBox& box, bool with_measurements);
    void followShown();
    void chooseSides();
    ComparedSide sideOf(const QComboBox& box) const;
    /// Null where a plan is chosen.
    std::shared_ptr<const Measurement> measurementOf(const QComboBox& box) const;
    /// What depends on whether the second side is a measurement.
    void updateMeasured();
    void schedule();
    void compare();
    void showSteps(std::shared_ptr<const ComparedSteps> steps, const QString& refusal);
    void choose(const QModelIndex& shown);
    void fitColumns();

    Document& document_;
    Measurements& measurements_;
    ComparisonModel* model_;
    ComparisonFilter* rows_;
    QComboBox* before_;
    QComboBox* after_;
    StepChooser* step_;
    QToolButton* both_;
    QToolButton* times_;
    QToolButton* unchanged_;
    QLineEdit* filter_;
    QWidget* bar_ = nullptr;
    QString another_job_;  ///< why the measurement that was compared is of another job; empty where it is not
    QLabel* sums_;
    QTreeView* view_;
    QTimer waiting_;
    bool outdated_ = true;
    bool chosen_ = false;                          ///< the sides, by the user
    std::optional<quint64> shown_, shown_before_;  ///< keys of plans
    LatestTask task_;
};

}  // namespace overlap::ui
