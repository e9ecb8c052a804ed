#include "core/plan/plan.h"

#include "core/base/error.h"
#include "core/graph/short_names.h"
#include "core/passes/registry/registry.h"
#include "core/plan/automatic_plan.h"

namespace overlap {

namespace {

constexpr std::string_view manual_pass = "manual_overlap_bucketing";
/// A pass of torchtitan's joint graphs, which have the names of modules and no stacks.
constexpr std::string_view joint_pass = "joint_transformer_block_bucketing_reordering_pass";

/// Where a step that takes buckets looks their modules up.
ModuleSource module_source(const PassStep& step) {
    const OptionValue* stack = step.options.find("module_stack_fn");
    const bool by_name = step.pass == joint_pass || (stack && *stack == OptionValue("custom.module_fqn"));
    return by_name ? ModuleSource::module_fqn : ModuleSource::module_stack;
}

}  // namespace

bool does_the_same(const Plan& a, const Plan& b) {
    Plan named_alike = a;
    named_alike.name = b.name;
    named_alike.notes = b.notes;
    named_alike.colour = b.colour;
    return named_alike == b;
}

Plan make_plan(const Graph& graph, std::string name) {
    Plan plan;
    plan.name = std::move(name);
    plan.graph = fingerprint(graph);
    PassStep step;
    step.pass = manual_pass;
    for (const PassOption& option : find_pass(manual_pass)->options()) {
        if (!option.required && option.of_reference) step.options[option.name] = option.default_value;
    }
    if (preferred_module_source(graph) == ModuleSource::module_fqn) {
        step.options["module_stack_fn"] = "custom.module_fqn";
    }
    plan.pipeline.push_back(std::move(step));
    return plan;
}

ModuleSource module_source(const Plan& plan, const Graph& graph) {
    for (const PassStep& step : plan.pipeline) {
        if (step.enabled && takes_buckets(step.pass)) return module_source(step);
    }
    return preferred_module_source(graph);
}

ModuleLists module_lists(const std::vector<BucketEntry>& buckets) {
    ModuleLists lists;
    for (const BucketEntry& entry : buckets) {
        lists.push_back({entry.modules, entry.written_as_list && entry.modules.size() == 1});
    }
    return lists;
}

bool takes_buckets(std::string_view pass) {
    return !buckets_option(pass).empty();
}

std::optional<StepBuckets> step_buckets(const PassStep& step) {
    const std::string option = buckets_option(step.pass);
    const OptionValue* given = option.empty() ? nullptr : step.options.find(option);
    if (!given) return std::nullopt;
    StepBuckets buckets{{}, module_source(step)};
    for (const ModuleList& list : std::get<ModuleLists>(*given)) {
        buckets.entries.push_back({list.modules, list.written_as_list});
    }
    return buckets;
}

std::vector<PassStep> lower(const Plan& plan) {
    std::vector<PassStep> steps;
    for (const PassStep& step : plan.pipeline) {
        if (step.enabled) steps.push_back(lower(plan, step));
    }
    return steps;
}

PassStep lower(const Plan& plan, const PassStep& step) {
    if (plan.memory && takes_memory_section(step.pass)) {
        PassStep lowered{step.pass, memory_options(*plan.memory, step.pass), step.enabled};
        lowered.options.update(step.options);
        return lowered;
    }
    const std::string option = buckets_option(step.pass);
    if (option.empty() || step.options.contains(option)) return step;
    PassStep lowered{step.pass, {{option, module_lists(plan.buckets)}}, step.enabled};
    lowered.options.update(step.options);
    return lowered;
}

std::string display_name(const BucketEntry& entry) {
    std::vector<std::string> typed;
    for (const std::string& module : entry.modules) typed.push_back(typed_name(module));
    std::string joined;
    for (const std::string& name : short_names(typed)) joined.append(joined.empty() ? "" : " + ").append(name);
    return joined;
}

}  // namespace overlap
