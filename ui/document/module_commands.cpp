#include "ui/document/module_commands.h"

#include "ui/document/document.h"
#include "ui/theme/numbers.h"

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
    if (!document_.isOpen()) return tr("No graph is open");
    if (!document_.editable()) return tr("The baseline is the graph as it is; choose or add a plan to edit");
    return {};
}

void ModuleCommands::setRules(std::vector<ModuleRule> rules) {
    if (!document_.editable() || rules == this->rules()) return;
    Plan plan = document_.current()->plan();
    plan.module_rules = std::move(rules);
    document_.editPlan(tr("Repair modules"), std::move(plan));
}

QString ModuleCommands::effect(const RepairedModules& repaired) const {
    const Graph& graph = *document_.graph();
    std::uint32_t before = 0, after = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function) continue;
        before += hasModule(graph.metadata(node)) ? 0 : 1;
        after += hasModule(repaired.graph->metadata(node)) ? 0 : 1;
    }
    if (before == 0) return tr("Every call of the graph has a module");
    return tr("%1 of %2 calls without a module get one; %3 stay without")
        .arg(formatCount(before - after), formatCount(before), formatCount(after));
}

}  // namespace overlap::ui
