#pragma once

#include <QWidget>

#include "ui/job/open_job.h"

class QLabel;
class QMenu;

namespace overlap::ui {

class TimelineView;

/// A job's step as a timeline, with what there is to say of the selected action or bubble below it. J, a link and the
/// menu go from a bubble to what it waits for.
class JobStepView : public QWidget {
    Q_OBJECT

  public:
    explicit JobStepView(OpenJob& job, QWidget* parent = nullptr);

    TimelineView& timeline() { return *timeline_; }
    /// What is said of the selection; rich text.
    QString details() const;
    quint32 selected() const { return selected_; }
    /// Selects an event by its reference, brings it into view and tells.
    void select(quint32 reference);
    /// Selects what the selected bubble or action waits for; where nothing is selected, the longest bubble.
    void goToAwaited();

  signals:
    void selectionChanged(quint32 reference);
    /// The stage's graph and plan are wanted.
    void stageWanted(int stage);
    void rangeChanged(overlap::TimeRange range);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void showPicture();
    void showSelection(quint32 reference);
    void addMenuItems(QMenu& menu, quint32 reference);

    OpenJob& job_;
    std::shared_ptr<const job::JobPicture> picture_;  ///< that the timeline's references are of
    TimelineView* timeline_;
    QLabel* details_;
    quint32 selected_;
};

}  // namespace overlap::ui
