// Kept plans of a job's stages, once the job is in another file.

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/io/plan/plan_file.h"
#include "ui/document/document.h"
#include "ui/files/file_digest.h"
#include "ui/job/open/open_job.h"
#include "ui/shell/session_controller.h"

namespace overlap::ui {
namespace {

/// Whether a kept plan is that one. A plan that names no graph is kept with the name of its own.
bool hasPlan(const SessionVariant& kept, const Plan& plan) {
    try {
        Plan own = read_plan_text(kept.plan.toStdString(), "the session");
        if (!plan.graph) own.graph.reset();
        return own == plan;
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

void SessionController::graphCopied(const QString& from, const QString& to) {
    const bool is_open = document_.isOpen() && document_.loaded().path == to;
    std::vector<SessionVariant> replaced;
    if (const SessionDocument* there = state_.document(to)) {
        for (const auto* plans : {&there->variants, &there->closed})
            for (const SessionVariant& plan : *plans)
                if (plan.modified) replaced.push_back(plan);
    }
    SessionDocument* kept = state_.document(from);
    if (!kept && !is_open) return;
    // Edits of plans for the copy that is replaced stay among the closed ones.
    if (is_open)
        for (const SessionVariant& plan : replaced) closed_plans_.add(plan);
    if (is_open) state_.open = to;
    if (!kept) return;
    SessionDocument moved = *kept;
    moved.graph = to;
    moved.source = GraphSource(to);
    moved.closed.insert(moved.closed.begin(), replaced.begin(), replaced.end());
    std::erase_if(state_.documents, [&](const SessionDocument& document) { return document.graph == from; });
    state_.put(std::move(moved));
}

void SessionController::jobSaved(const std::vector<SavedStage>& stages) {
    for (const SavedStage& stage : stages)
        if (stage.graph != stage.graph_before) graphCopied(stage.graph_before, stage.graph);
    std::set<const SessionVariant*> taken;
    for (const SavedStage& stage : stages) {
        SessionDocument* kept = state_.document(stage.graph);
        const bool is_open = document_.isOpen() && document_.loaded().path == stage.graph;
        if (stage.followed.tab == 0 || !stage.plan || !kept || is_open) continue;
        const auto plan = std::ranges::find_if(kept->variants, [&](const SessionVariant& variant) {
            return !taken.contains(&variant) && hasPlan(variant, *stage.plan);
        });
        if (plan == kept->variants.end()) continue;
        taken.insert(&*plan);
        plan->file = stage.plan_file;
        plan->digest = fileDigest(stage.plan_file);
        plan->modified = false;
    }
    schedule();
}

}  // namespace overlap::ui
