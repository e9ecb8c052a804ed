#include "ui/edits/group_commands.h"

#include <algorithm>

#include "core/plan/group_passes.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"

namespace overlap::ui {
namespace {

std::string_view passOf(GroupCommands::Move move) {
    return move == GroupCommands::Move::isolate_experts ? isolate_expert_group_pass : reassign_groups_pass;
}

}  // namespace

bool GroupCommands::applied(Move move) const {
    if (!document_.editable()) return false;
    const auto& steps = document_.current()->plan().pipeline;
    return std::ranges::any_of(
        steps, [&](const PassStep& step) { return step.enabled && is_group_pass(step.pass, passOf(move)); });
}

QString GroupCommands::refusal(Move move) const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    if (!document_.editable()) return Document::tr("The baseline is the graph as it is; choose or add a plan to edit");
    const LoadedGraph& loaded = document_.loaded();
    return QString::fromStdString(move == Move::isolate_experts ? loaded.isolate_obstacle : loaded.reassign_obstacle);
}

void GroupCommands::apply(Move move) {
    if (applied(move) || !refusal(move).isEmpty()) return;
    Plan plan = document_.current()->plan();
    put_group_pass(plan.pipeline, passOf(move));
    document_.current()->edit(move == Move::isolate_experts ? Document::tr("Isolate the expert-parallel group")
                                                            : Document::tr("Give all-gathers groups of their own"),
                              std::move(plan));
}

void GroupCommands::remove(Move move) {
    if (!document_.editable()) return;
    Plan plan = document_.current()->plan();
    std::erase_if(plan.pipeline, [&](const PassStep& step) { return is_group_pass(step.pass, passOf(move)); });
    document_.current()->edit(move == Move::isolate_experts
                                  ? Document::tr("Isolate the expert-parallel group no longer")
                                  : Document::tr("Give all-gathers no groups of their own"),
                              std::move(plan));
}

}  // namespace overlap::ui
