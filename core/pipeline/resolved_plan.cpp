#include "core/pipeline/resolved_plan.h"

#include <iterator>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/plan/expert_overlap.h"
#include "core/plan/process_groups_field.h"
#include "core/redistribution/device_orders.h"

namespace overlap {

namespace {

/// The trees of graphs that were resolved last: one plan after the other is evaluated for a graph, and its modules are
/// the same for all. A tree goes when its graph has gone and another one is asked for.
class KnownTrees {
  public:
    std::shared_ptr<const ModuleTree> of(const std::shared_ptr<const Graph>& graph, ModuleSource source) {
        if (auto known = find(graph, source)) return known;
        auto made = std::make_shared<const ModuleTree>(*graph, source);
        const std::scoped_lock guard(lock_);
        std::erase_if(trees_, [](const Entry& entry) { return entry.graph.expired(); });
        if (trees_.size() == capacity) trees_.erase(trees_.begin());
        trees_.push_back({graph, made});
        return made;
    }

  private:
    struct Entry {
        std::weak_ptr<const Graph> graph;
        std::shared_ptr<const ModuleTree> tree;
    };
    static constexpr std::size_t capacity = 4;

    std::shared_ptr<const ModuleTree> find(const std::shared_ptr<const Graph>& graph, ModuleSource source) {
        const std::scoped_lock guard(lock_);
        for (const Entry& entry : trees_) {
            if (entry.tree->source() == source && entry.graph.lock() == graph) return entry.tree;
        }
        return nullptr;
    }

    std::mutex lock_;
    std::vector<Entry> trees_;  ///< the oldest first
};

KnownTrees& known_trees() {
    static KnownTrees trees;
    return trees;
}

std::vector<ResolvedStep> resolve_steps(const Plan& plan) {
    std::vector<ResolvedStep> steps;
    for (std::size_t index = 0; index < plan.pipeline.size(); ++index) {
        const PassStep& written = plan.pipeline[index];
        if (!written.enabled) continue;
        PassStep lowered = lower(plan, written);
        const bool of_plan = takes_buckets(written.pass) && lowered.options != written.options;
        steps.push_back({index, std::move(lowered), of_plan});
    }
    return steps;
}

std::vector<std::int32_t> find_entries(const ResolvedPlan& resolved) {
    std::vector<std::int32_t> entries(resolved.input->node_count(), -1);
    const std::vector<BucketEntry>& buckets = resolved.plan.buckets;
    for (std::size_t entry = 0; entry < buckets.size(); ++entry) {
        for (const std::string& module : buckets[entry].modules) {
            for (const NodeId node : resolved.modules->nodes(module)) {
                if (entries[node] < 0) entries[node] = static_cast<std::int32_t>(entry);
            }
        }
    }
    return entries;
}

void find_problems(ResolvedPlan& resolved) {
    const auto add = [&](std::vector<Problem> problems) {
        std::ranges::move(problems, std::back_inserter(resolved.problems));
    };
    const Plan& plan = resolved.plan;
    add(check_buckets(*resolved.input, *resolved.modules, plan.buckets));
    resolved.entry_problems = resolved.problems.size();
    if (resolved.repaired) add(check_module_rules(plan.module_rules, *resolved.repaired));
    add(check_device_orders(*resolved.input, plan));
    add(check_expert_overlap(*resolved.input, plan));
    add(check_unevaluated(plan));
}

}  // namespace

std::shared_ptr<const ModuleTree> ResolvedPlan::modules_of(const std::shared_ptr<const Graph>& graph,
                                                           ModuleSource source) const {
    const bool known = graph == input && source == modules->source();
    return known ? modules : std::make_shared<const ModuleTree>(*graph, source);
}

std::shared_ptr<const ModuleTree> ResolvedPlan::modules_of(const std::shared_ptr<const Graph>& graph) const {
    return modules_of(graph, modules->source());
}

const std::vector<GroupSettings>& ResolvedPlan::require_groups(const Graph& result) const {
    if (const auto& unread = plan.unread_process_groups) throw InputError(unread->place, unread->problem);
    check_group_settings(plan.process_groups, result);
    return plan.process_groups;
}

std::shared_ptr<const ResolvedPlan> resolve(const std::shared_ptr<const Graph>& graph, const Plan& plan) {
    auto resolved = std::make_shared<ResolvedPlan>();
    resolved->plan = plan;
    resolved->original = resolved->input = graph;
    if (!plan.module_rules.empty()) {
        resolved->repaired = repair_modules(graph, plan.module_rules);
        resolved->input = resolved->repaired->graph;
    }
    const ModuleSource source = module_source(plan, *resolved->input);
    resolved->modules = known_trees().of(resolved->input, source);
    resolved->steps = resolve_steps(plan);
    resolved->entry_of_node = find_entries(*resolved);
    find_problems(*resolved);
    return resolved;
}

std::string place_of_step(const ResolvedPlan& resolved, std::size_t step) {
    return "step " + std::to_string(step + 1) + " (" + resolved.steps[step].step.pass + ")";
}

}  // namespace overlap
