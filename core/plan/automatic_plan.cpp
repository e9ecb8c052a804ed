#include "core/plan/automatic_plan.h"

#include <algorithm>
#include <array>

#include "core/passes/registry/registry.h"
#include "core/plan/expert_overlap.h"

namespace overlap {

bool decides_buckets(std::string_view pass) {
    constexpr std::array<std::string_view, 5> deciding = {automatic_pass, "bucket_all_gather", "bucket_all_reduce",
                                                          "bucket_reduce_scatter", "pre_bucket_fsdp_collectives"};
    return std::ranges::find(deciding, pass) != deciding.end();
}

bool merges_or_orders(std::string_view pass) {
    return takes_buckets(pass) || decides_buckets(pass) || pass == "schedule_fsdp_comms_to_dense_regions_pass";
}

std::string buckets_option(std::string_view pass_name) {
    const Pass* pass = find_pass(pass_name);
    if (!pass) return {};
    for (const PassOption& option : pass->options()) {
        if (option.type == PassOption::Type::module_lists) return option.name;
    }
    return {};
}

bool takes_entries(const Plan& plan) {
    return std::ranges::any_of(plan.pipeline, [](const PassStep& step) {
        return step.enabled && takes_buckets(step.pass) && !step_buckets(step);
    });
}

std::optional<EntriesTaker> entries_taker(const Plan& plan) {
    std::optional<EntriesTaker> best;
    std::size_t running = 0;
    for (std::size_t index = 0; index < plan.pipeline.size(); ++index) {
        const PassStep& step = plan.pipeline[index];
        if (step.enabled) ++running;
        if (!takes_buckets(step.pass)) continue;
        const EntriesTaker found{index, !step.enabled, step_buckets(step).has_value(), step.enabled ? running : 0};
        // Of a plan whose entries are not taken, a step that is on has buckets of its own.
        const auto rank = [](const EntriesTaker& taker) { return !taker.is_off ? 0 : taker.has_own ? 2 : 1; };
        if (!best || rank(found) < rank(*best)) best = found;
    }
    return best;
}

Plan automatic_plan(const Plan& current, const Graph& graph) {
    return automatic_plan(current, fingerprint(graph));
}

Plan automatic_plan(const Plan& current, const GraphFingerprint& of_graph) {
    Plan plan;
    plan.name = "Automatic";
    plan.graph = of_graph;
    plan.pipeline.assign(current.pipeline.begin(),
                         std::ranges::find_if(current.pipeline, merges_or_orders, &PassStep::pass));
    plan = edits::without_expert_overlap(std::move(plan));  // its order of halves comes later, and is left out
    plan.pipeline.push_back({std::string(automatic_pass), {{"collective_bucketing", true}}});
    return plan;
}

Plan with_entries_taken(Plan plan, PassStep step) {
    std::vector<PassStep>& steps = plan.pipeline;
    for (PassStep& other : steps) other.enabled = other.enabled && !decides_buckets(other.pass);
    if (const std::optional<EntriesTaker> taker = entries_taker(plan)) {
        PassStep& taking = steps[taker->step];
        taking.enabled = true;
        if (taker->has_own) taking.options.erase(buckets_option(taking.pass));
    } else {
        steps.insert(std::ranges::find_if(steps, merges_or_orders, &PassStep::pass), std::move(step));
    }
    return plan;
}

std::size_t automatic_step(const Plan& plan) {
    const auto step = std::ranges::find_if(
        plan.pipeline, [](const PassStep& candidate) { return candidate.enabled && candidate.pass == automatic_pass; });
    return static_cast<std::size_t>(step - plan.pipeline.begin());
}

bool is_automatic(const Plan& plan) {
    return automatic_step(plan) < plan.pipeline.size();
}

}  // namespace overlap
