#include "core/plan/plan.h"

#include "core/graph/error.h"

namespace overlap {

namespace {

constexpr std::string_view manual_pass = "manual_overlap_bucketing";
constexpr std::string_view buckets_option = "module_bucket_plans";

/// True for passes that are told the buckets of a plan.
bool takes_buckets(std::string_view pass_name) {
    const Pass* pass = find_pass(pass_name);
    if (!pass) return false;
    for (const PassOption& option : pass->options()) {
        if (option.name == buckets_option) return true;
    }
    return false;
}

bool same_steps(const std::vector<PassStep>& left, const std::vector<PassStep>& right) {
    if (left.size() != right.size()) return false;
    for (std::size_t step = 0; step < left.size(); ++step) {
        if (left[step].pass != right[step].pass || left[step].options != right[step].options) return false;
    }
    return true;
}

}  // namespace

bool Plan::operator==(const Plan& other) const {
    return name == other.name && graph == other.graph && buckets == other.buckets &&
           same_steps(pipeline, other.pipeline) && notes == other.notes && unevaluated == other.unevaluated;
}

Plan make_plan(const Graph& graph, std::string name) {
    Plan plan;
    plan.name = std::move(name);
    plan.graph = fingerprint(graph);
    PassStep step;
    step.pass = manual_pass;
    for (const PassOption& option : find_pass(manual_pass)->options()) {
        if (!option.required) step.options[option.name] = option.default_value;
    }
    if (preferred_module_source(graph) == ModuleSource::module_fqn) {
        step.options["module_stack_fn"] = "custom.module_fqn";
    }
    plan.pipeline.push_back(std::move(step));
    return plan;
}

ModuleSource module_source(const Plan& plan, const Graph& graph) {
    for (const PassStep& step : plan.pipeline) {
        if (step.pass != manual_pass || !step.options.is_object()) continue;
        const auto option = step.options.find("module_stack_fn");
        const bool by_name = option != step.options.end() && *option == "custom.module_fqn";
        return by_name ? ModuleSource::module_fqn : ModuleSource::module_stack;
    }
    return preferred_module_source(graph);
}

Json module_lists(const std::vector<BucketEntry>& buckets) {
    Json lists = Json::array();
    for (const BucketEntry& entry : buckets) {
        if (entry.modules.size() == 1 && !entry.written_as_list) {
            lists.push_back(entry.modules.front());
        } else {
            lists.push_back(entry.modules);
        }
    }
    return lists;
}

std::vector<PassStep> lower(const Plan& plan) {
    std::vector<PassStep> steps;
    for (const PassStep& step : plan.pipeline) {
        PassStep lowered = step;
        if (takes_buckets(step.pass) && step.options.is_object() && !step.options.contains(buckets_option)) {
            lowered.options = Json::object();
            lowered.options[std::string(buckets_option)] = module_lists(plan.buckets);
            lowered.options.update(step.options);
        }
        steps.push_back(std::move(lowered));
    }
    return steps;
}

std::string display_name(const BucketEntry& entry) {
    std::string joined;
    for (const std::string& module : entry.modules) {
        if (!joined.empty()) joined += " + ";
        joined += module;
    }
    return joined;
}

}  // namespace overlap
