#include "ui/document/plan_modules.h"

#include <optional>
#include <utility>

#include "core/modules/module_repair.h"
#include "ui/tasks/released_elsewhere.h"

namespace overlap::ui {
namespace {

/// @param known the modules that the same rules gave before, for other times; or empty.
/// @returns nothing when `stop` was requested.
std::optional<ModuleFacts> apply(const std::shared_ptr<const Graph>& graph, const BucketingEligibility& eligibility,
                                 const Evaluation& baseline, const std::vector<ModuleRule>& rules, ModuleFacts known,
                                 const std::stop_token& stop) {
    const auto modules = repair_modules(graph, rules, stop);
    if (!modules) return std::nullopt;
    const std::shared_ptr<const Graph> repaired = modules->graph;
    ModuleFacts facts = std::move(known);
    if (!facts.tree) {
        facts.tree = std::make_shared<const ModuleTree>(*repaired, preferred_module_source(*repaired));
        facts.bucketable = std::make_shared<const std::vector<BucketableCollective>>(
            bucketable_collectives(*repaired, *facts.tree, eligibility));
    }
    if (stop.stop_requested()) return std::nullopt;
    facts.figures =
        std::make_shared<const ModuleFiguresTable>(module_figures(*repaired, *facts.tree, baseline.times_ms));
    if (graph->node_count() < large_graph_nodes) return facts;
    return ModuleFacts{releasedElsewhere(facts.tree), releasedElsewhere(facts.figures),
                       releasedElsewhere(facts.bucketable)};
}

}  // namespace

PlanModules::PlanModules(QObject* parent) : QObject(parent) {}

void PlanModules::setGraph(std::shared_ptr<const Graph> graph, std::shared_ptr<const BucketingEligibility> eligibility,
                           ModuleFacts own, std::shared_ptr<const Evaluation> baseline) {
    task_.cancel();
    graph_ = std::move(graph);
    eligibility_ = std::move(eligibility);
    baseline_ = std::move(baseline);
    own_ = shown_ = std::move(own);
    rules_.clear();
    shown_rules_.clear();
}

void PlanModules::setTimes(std::shared_ptr<const ModuleFiguresTable> own_figures,
                           std::shared_ptr<const Evaluation> baseline) {
    own_.figures = std::move(own_figures);
    baseline_ = std::move(baseline);
    update();
}

void PlanModules::setRules(const std::vector<ModuleRule>& rules) {
    if (rules == rules_) return;
    rules_ = rules;
    update();
}

void PlanModules::update() {
    if (rules_.empty()) {
        task_.cancel();
        show(own_, {});
        return;
    }
    const ModuleFacts known = rules_ == shown_rules_ ? shown_ : ModuleFacts();
    task_.start([this, graph = graph_, eligibility = eligibility_, baseline = baseline_, rules = rules_,
                 known](std::stop_token stop) -> LatestTask::Delivery {
        auto facts = apply(graph, *eligibility, *baseline, rules, known, stop);
        if (!facts) return {};
        return [this, rules, facts = std::move(*facts)] { show(facts, rules); };
    });
}

void PlanModules::show(ModuleFacts facts, const std::vector<ModuleRule>& rules) {
    const bool others = facts.tree != shown_.tree;
    shown_ = std::move(facts);
    shown_rules_ = rules;
    if (others) {
        emit changed();
    } else {
        emit figuresChanged();
    }
}

}  // namespace overlap::ui
