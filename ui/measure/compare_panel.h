#pragma once

#include <QSortFilterProxyModel>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "ui/measure/compared_steps.h"
#include "ui/tasks/latest_task.h"
#include "ui/widgets/seen_watch.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;
class QTreeView;

namespace overlap::ui {

class ComparedSides;
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

/// Two plans, or a plan and a measurement, side by side: sums, and a table of the collectives that differ. Compares in
/// the background, and only while it is seen.
class ComparePanel : public QWidget {
    Q_OBJECT

  public:
    ComparePanel(Document& document, Measurements& measurements, QWidget* parent = nullptr);

    ComparisonModel* model() { return model_; }
    QTreeView* view() { return view_; }
    /// What is compared.
    ComparedSides& sides() { return *sides_; }
    /// What of the second side is compared, where that is a measurement.
    StepChooser* step() { return step_; }
    QLineEdit* filter() { return filter_; }
    /// Checked while both steps are to be shown in the timeline.
    QToolButton* both() { return both_; }
    /// Checked while figures are of the second step's times.
    QToolButton* times() { return times_; }
    QString sums() const;
    /// Marks the row of what was selected in a timeline, or none.
    void markReference(const ShownTimeline& timeline, quint32 reference);
    bool busy() const { return waiting_.isActive() || task_.busy(); }

  signals:
    /// What the timeline is to show instead; null for nothing.
    void shownChanged(std::shared_ptr<const overlap::ui::ShownTimeline> shown);
    /// The user chose a row.
    void rowChosen(std::shared_ptr<const overlap::ui::ComparedSteps> steps, int row);
    /// Figures of plans are to use a measurement's times; null: the graph's own.
    void timesWanted(const std::shared_ptr<const overlap::ui::Measurement>& measurement);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeBar();
    void makeTable();
    ComparedSide sideOf(const QComboBox& box) const;
    /// @returns why the table has no row. Empty without steps: then the sentence above it says why.
    QString noRows() const;
    /// What depends on whether the second side is a measurement.
    void updateMeasured();
    void schedule();
    void compare();
    void showSteps(std::shared_ptr<const ComparedSteps> steps, const QString& refusal);
    void choose(const QModelIndex& shown);
    void markSelected();
    /// Marks what is selected in the steps that are compared now.
    void markAgain();
    void remember(const ShownTimeline& timeline, quint32 reference);
    void mark(std::optional<std::size_t> row);
    void fitColumns();
    void fitSums();

    Document& document_;
    Measurements& measurements_;
    ComparisonModel* model_;
    ComparisonFilter* rows_;
    ComparedSides* sides_;
    StepChooser* step_;
    QToolButton* both_;
    QToolButton* times_;
    QToolButton* unchanged_;
    QLineEdit* filter_;
    QString another_job_;  ///< why the measurement that was compared is of another job; empty where it is not
    QLabel* sums_;
    QTreeView* view_;
    QTimer waiting_;
    SeenWatch watch_{*this};
    bool outdated_ = true;
    bool choosing_ = false;  ///< what is selected is the row that was chosen
    /// The measurement whose event is selected, and the event by its reference there; none otherwise.
    std::weak_ptr<const Measurement> event_of_;
    quint32 event_ = no_reference;
    LatestTask task_;
};

}  // namespace overlap::ui
