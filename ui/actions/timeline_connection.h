#pragma once

#include <QObject>
#include <memory>

#include "core/pipeline/evaluation.h"
#include "core/views/batch_halves.h"
#include "core/views/members_of_result.h"
#include "ui/tasks/latest_task.h"
#include "ui/timeline/alive/alive_tensors.h"

namespace overlap::ui {

class Document;
class TimelineView;

/// Connects the timeline with the document: shows the current evaluation, made into lanes in the background, and keeps
/// its selection and the shared one in sync.
class TimelineConnection : public QObject {
    Q_OBJECT

  public:
    TimelineConnection(Document& document, TimelineView& view, QObject* parent = nullptr);

    /// Whether the view shows the current plan. While it does not, the view and its references are used otherwise.
    void setActive(bool active);
    /// True while the timeline of the current evaluation is being made.
    bool busy() const { return task_.busy(); }
    /// The limit of the peak that the timeline draws; 0: what the device holds.
    void setMemoryLimit(qint64 bytes);

  signals:
    /// The timeline of the current evaluation is on the screen.
    void shown();

  private:
    void attach();
    void makeTimeline();
    void showMemoryNotes(const Evaluation& evaluation);
    /// @param scrolls whether the view scrolls to it: not where the timeline is another, and the selection is not.
    void showSelection(bool scrolls);
    void followTitle();
    void selectFromView(quint32 reference);
    QString toolTip(quint32 reference) const;
    std::string moduleOf(NodeId node) const;
    AliveTensors alive(std::size_t point) const;

    Document& document_;
    TimelineView& view_;
    std::shared_ptr<const Evaluation> evaluation_;    ///< what the view's references are nodes of
    std::shared_ptr<const MembersOfResult> members_;  ///< of `evaluation_`
    std::shared_ptr<const BatchHalves> halves_;       ///< of the same graph
    qint64 typed_limit_ = 0;                          ///< of the peak; 0: none, what the device holds counts
    QString plan_;                                    ///< the title of the plan that `evaluation_` is of
    bool following_ = false;
    bool active_ = true;
    LatestTask task_;
};

}  // namespace overlap::ui
