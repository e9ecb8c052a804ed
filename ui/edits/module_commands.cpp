#include "ui/edits/module_commands.h"

#include "ui/document/document.h"
#include "ui/document/graph_reading.h"

namespace overlap::ui {
namespace {

const std::vector<ModuleRule> none;

bool hasModule(const NodeMetadata& metadata) {
    return metadata.module_stack != 0 || metadata.fwd_module_stack != 0 || metadata.module_fqn != empty_string;
}

}  // namespace

const std::vector<ModuleRule>& ModuleCommands::rules() const {
    return document_.editable() ? document_.current()->plan().module_rules : none;
}

QString ModuleCommands::refusal() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    if (!document_.editable()) return tr("The baseline is the graph as it is; choose or add a plan to edit");
    return {};
}

void ModuleCommands::setRules(std::vector<ModuleRule> rules) {
    if (!document_.editable() || rules == this->rules()) return;
    Plan plan = document_.current()->plan();
    plan.module_rules = std::move(rules);
    document_.editPlan(tr("Repair modules"), std::move(plan));
}

ModuleCommands::Effect ModuleCommands::effect(const RepairedModules& repaired) const {
    const Graph& graph = *document_.graph();
    Effect effect;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function) continue;
        effect.without_before += hasModule(graph.metadata(node)) ? 0 : 1;
        effect.without_after += hasModule(repaired.graph->metadata(node)) ? 0 : 1;
    }
    return effect;
}

}  // namespace overlap::ui
