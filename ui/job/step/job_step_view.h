#pragma once

#include <QWidget>
#include <optional>
#include <string>

#include "ui/job/open/open_job.h"

class QKeyEvent;
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
    /// Does what `event`, a pressed key, means in the job's step, whatever has the focus; false where it means nothing.
    bool useKey(const QKeyEvent& event);

  signals:
    void selectionChanged(quint32 reference);
    /// The stage's graph and plan are wanted.
    void stageWanted(int stage);
    void rangeChanged(overlap::TimeRange range);
    /// A key does nothing, for this reason.
    void refused(const QString& reason);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    /// What is selected, whose number is another one in the next evaluation.
    struct Selected {
        std::string op;
        std::int64_t rank = 0;
        bool standstill = false, after = false;
        std::optional<job::MeasuredSpan> measured{};  ///< it is of a trace
    };
    std::optional<Selected> selectedInWords() const;
    quint32 foundAgain(const Selected& selected) const;
    quint32 measuredAgain(const job::MeasuredSpan& selected) const;
    bool ownKey(const QKeyEvent& event);
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
