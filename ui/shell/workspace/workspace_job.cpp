// How the page Job goes with the other views. A part of Workspace.
#include <QMainWindow>
#include <QPointer>

#include "ui/actions/edit_history.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/docks/enlarged_part.h"
#include "ui/job/job_view.h"
#include "ui/job/open/open_job.h"
#include "ui/job/stage_connection.h"
#include "ui/job/step/job_step_view.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

/// A job has a timeline of its own: lower than this its view and that of the graph would be two strips.
constexpr int job_alone_below = 420;

}  // namespace

void Workspace::connectJob() {
    TimelineEdits& edits = job_view_->step().timeline().edits();
    // With another graph in the views, what would be undone of the job is not what the user works on.
    // The stacks are asked about until they are gone, which is after some of the views.
    const auto shown = [stages = QPointer(stages_), view = QPointer<QWidget>(job_view_), window = &window_] {
        return view && ((stages && stages->stage() >= 0) || view->isVisibleTo(window));
    };
    for (QUndoStack* stack : {&job_->undoStack(), &edits.undoStack()}) {
        history_->addShared(*stack, shown);
        connect(history_, &EditHistory::steppedShared, stack, [this, stack](const QUndoStack* stepped) {
            if (stepped == stack && !job_view_->isVisibleTo(&window_)) showMiddle(QStringLiteral("job"));
        });
    }
    connect(stages_, &StageConnection::stageChanged, history_, &EditHistory::askWhatIsShown);
    connect(centre_, &CentreTabs::currentChanged, history_, &EditHistory::askWhatIsShown);
    connect(centre_, &CentreTabs::openChanged, history_, &EditHistory::askWhatIsShown);
    connect(enlarged_, &EnlargedPart::changed, history_, &EditHistory::askWhatIsShown);
    connect(job_, &OpenJob::opened, &edits, [&edits] { edits.undoStack().clear(); });
    connect(job_, &OpenJob::opened, this, &Workspace::changed);
    connect(job_, &OpenJob::opened, centre_,
            [this] { centre_->setAloneBelow(QStringLiteral("job"), job_alone_below); });
    connect(job_, &OpenJob::changed, this, &Workspace::changed);
    connect(&edits, &TimelineEdits::changed, this, &Workspace::changed);
    connect(job_view_, &JobView::stateChanged, this, &Workspace::viewMoved);
    connect(stages_, &StageConnection::told, this, [this](const QString& sentence) { emit told(sentence); });
    connect(stages_, &StageConnection::failed, this, [this](const QString& reason) { emit warned(reason); });
}

}  // namespace overlap::ui
