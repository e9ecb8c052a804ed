// What the views say to the window: sentences, and whether they are still at work. A part of Workspace.
#include "ui/actions/overlap_connection.h"
#include "ui/actions/timeline_connection.h"
#include "ui/advice/advice_panel.h"
#include "ui/collectives/collectives_panel.h"
#include "ui/graph/graph_model.h"
#include "ui/graph/graph_view.h"
#include "ui/groups/process_groups_panel.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/job/job_effect.h"
#include "ui/job/job_view.h"
#include "ui/job/open/open_job.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/measurement_connection.h"
#include "ui/measure/statistics_panel.h"
#include "ui/memory/memory_panel.h"
#include "ui/mesh/mesh_connection.h"
#include "ui/mesh/mesh_view.h"
#include "ui/modules/modules_panel.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/passes/passes_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plans/plans_panel.h"
#include "ui/run/run_panel.h"
#include "ui/search/search_panel.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

void Workspace::tellOfViews() {
    const auto tellOf = [this](auto* view, auto signal) {
        connect(view, signal, this, [this](const QString& sentence) { emit told(sentence); });
    };
    tellOf(overlaps_, &OverlapConnection::told);
    tellOf(passes_, &PassesPanel::told);
    tellOf(board_, &BucketBoard::refused);
    tellOf(memory_, &MemoryPanel::refused);
    tellOf(search_, &SearchPanel::refused);
    tellOf(search_, &SearchPanel::leftBehind);
    tellOf(inspector_, &InspectorPanel::refused);
    tellOf(modules_, &ModulesPanel::refused);
    tellOf(timeline_, &TimelineView::told);
    tellOf(new JobEffect(*job_, this), &JobEffect::told);
    tellOf(job_view_, &JobView::refused);
    tellOf(graph_, &GraphView::told);
    tellOf(mesh_, &MeshView::told);
    tellOf(mesh_connection_, &MeshConnection::told);
    connect(mesh_connection_, &MeshConnection::failed, this, [this](const QString& reason) { emit warned(reason); });
}

bool Workspace::busy() const {
    return timeline_connection_->busy() || inspector_->busy() || groups_->busy() || mesh_->busy() ||
           mesh_connection_->busy() || run_->busy() || measurement_connection_->busy() ||
           measurement_connection_->colouring() || compare_->busy() || statistics_->busy() || collectives_->busy() ||
           advice_->busy() || memory_->busy() || search_->busy() || search_->weighing() || plans_->busy() ||
           modules_->busy() || problems_->problems()->evaluating() || graph_model_->reading() || job_->busy();
}

}  // namespace overlap::ui
