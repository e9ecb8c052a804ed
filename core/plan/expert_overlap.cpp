#include "core/plan/expert_overlap.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/wording.h"
#include "core/passes/experts/joined_gradient.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/group_passes.h"
#include "core/plan/trainer_traits.h"

namespace overlap {
namespace {

constexpr std::string_view dimension_pass = "populate_chunk_dim_metadata_pass", chunk_pass = "ep_overlap_chunk_pass",
                           eager_pass = "populate_eager_chunk_metadata_pass", order_pass = "ep_overlap_schedule_pass",
                           sizes_pass = "concretize_ep_chunk_symbolic_shapes_pass",
                           dense_pass = "schedule_fsdp_comms_to_dense_regions_pass",
                           fused_products_pass = "micro_pipeline_tp_pass";
constexpr std::array all_passes{dimension_pass, chunk_pass, eager_pass, order_pass, sizes_pass};

using Steps = std::vector<PassStep>;

bool belongs(const PassStep& step) {
    return std::ranges::find(all_passes, step.pass) != all_passes.end();
}

bool exchanges_tokens(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node)
        if (graph.op(node) == NodeOp::call_function && graph.target_info(node).starts == CollectiveKind::all_to_all)
            return true;
    return false;
}

bool has(const Plan& plan, std::string_view pass) {
    return std::ranges::any_of(plan.pipeline, [&](const PassStep& step) { return step.enabled && step.pass == pass; });
}

std::size_t index_of(const Steps& steps, std::string_view pass) {
    return static_cast<std::size_t>(std::ranges::find(steps, pass, &PassStep::pass) - steps.begin());
}

/// The text of an option where a step has it; else empty.
std::string option_of(const Plan& plan, std::string_view pass, std::string_view option) {
    for (const PassStep& step : plan.pipeline) {
        if (step.pass != pass) continue;
        const OptionValue* value = step.options.find(option);
        const std::string* text = value ? std::get_if<std::string>(value) : nullptr;
        if (text) return *text;
    }
    return {};
}

/// Before whatever merges, orders or moves collectives, and before those of the overlap's own passes that come later.
std::size_t halving_place(const Steps& steps) {
    std::size_t place =
        std::min(group_pass_position(steps, isolate_expert_group_pass), index_of(steps, isolate_expert_group_pass));
    for (const std::string_view later : all_passes) place = std::min(place, index_of(steps, later));
    return place;
}

/// Behind bucketing, before what comes behind the order of halves in torchtitan.
std::size_t order_place(const Steps& steps) {
    std::size_t place = steps.size();
    for (const std::string_view later : {sizes_pass, dense_pass, fused_products_pass})
        place = std::min(place, index_of(steps, later));
    std::size_t behind = 0;
    for (std::size_t index = 0; index < steps.size(); ++index)
        if (takes_buckets(steps[index].pass) || decides_buckets(steps[index].pass)) behind = index + 1;
    return std::max(place, behind);
}

std::size_t place_of(const Steps& steps, std::string_view pass) {
    if (pass == chunk_pass && index_of(steps, dimension_pass) < steps.size())
        return index_of(steps, dimension_pass) + 1;
    if (pass == sizes_pass && index_of(steps, order_pass) < steps.size()) return index_of(steps, order_pass) + 1;
    return pass == order_pass || pass == sizes_pass ? order_place(steps) : halving_place(steps);
}

Options options_of(const ExpertOverlap& overlap, std::string_view pass) {
    if (pass == dimension_pass) return {{"mode", overlap.dimension}};
    if (pass == chunk_pass) return {{"mode", overlap.dimension}, {"module_pattern", overlap.module_pattern}};
    if (pass != order_pass) return {};
    return {{"module_pattern", overlap.module_pattern},
            {"pair_first_token_exchange", overlap.module_pattern == expert_modules}};
}

/// @param anew also options of steps that are switched on.
Plan with_passes(Plan plan, const ExpertOverlap& overlap, bool anew) {
    Steps& steps = plan.pipeline;
    for (const std::string& pass : expert_overlap_passes(overlap.halved_by)) {
        std::size_t place = index_of(steps, pass);
        if (place == steps.size()) {
            place = place_of(steps, pass);
            PassStep step;
            step.pass = pass;
            step.enabled = false;
            steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(place), std::move(step));
        }
        if (steps[place].enabled && !anew) continue;
        steps[place].enabled = true;
        for (const auto& [name, value] : options_of(overlap, pass)) steps[place].options[name] = value;
    }
    return plan;
}

/// By whom modules of the graph are halved already; HalvedBy::pass where none is.
HalvedBy halved_in(const Graph& graph) {
    constexpr std::string_view region = "chunked_region_fqn";
    HalvedBy found = HalvedBy::pass;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NodeMetadata& metadata = graph.metadata(node);
        if (graph.text(metadata.custom_json).find(region) != std::string_view::npos) return HalvedBy::model;
        if (graph.text(metadata.extra_json).find(region) != std::string_view::npos) found = HalvedBy::before;
    }
    return found;
}

}  // namespace

std::vector<std::string> expert_overlap_passes(HalvedBy halved_by) {
    const std::string order(order_pass), sizes(sizes_pass);
    switch (halved_by) {
        case HalvedBy::pass:
            return {std::string(dimension_pass), std::string(chunk_pass), order, sizes};
        case HalvedBy::model:
            return {std::string(eager_pass), order};
        case HalvedBy::before:
            break;
    }
    return {order, sizes};
}

ExpertOverlapChoices expert_overlap_choices(const Graph& graph, const ModuleTree& tree) {
    const TrainerTraits traits = trainer_traits(graph, tree);
    ExpertOverlapChoices choices;
    if (!traits.joint) {
        choices.obstacle = "torchtitan overlaps experts in joint graphs of its graph trainer only";
    } else if (!traits.exchanges) {
        choices.obstacle = "the graph exchanges no tokens between experts";
    } else if (traits.halves_ordered) {
        choices.obstacle = "the graph's all-to-alls have been ordered for it already";
    } else if (traits.pass_halves()) {
        // torchtitan refuses whole blocks along the sequence.
        choices.list = {{HalvedBy::pass, whole_blocks, "batch"},
                        {HalvedBy::pass, expert_modules, "batch"},
                        {HalvedBy::pass, expert_modules, "seq"}};
    } else if (!traits.halved_by_model.empty()) {
        choices.list = {{HalvedBy::model, traits.halved_by_model, {}}};
    } else if (traits.chunked) {
        choices.list = {{HalvedBy::before, traits.halved_by_pass, {}}};
    } else if (traits.symbolic_inputs) {
        choices.obstacle = "the graph has been bucketed already, and halving comes before that";
    } else {
        choices.obstacle = "no input has a size to halve: the job traces for it only with compile.ep_overlap.enabled";
    }
    return choices;
}

std::optional<ExpertOverlap> expert_overlap_of(const Plan& plan) {
    if (std::ranges::none_of(plan.pipeline, [](const PassStep& step) { return step.enabled && belongs(step); }))
        return std::nullopt;
    ExpertOverlap overlap;
    overlap.halved_by = has(plan, dimension_pass) || has(plan, chunk_pass) ? HalvedBy::pass
                        : has(plan, eager_pass)                            ? HalvedBy::model
                                                                           : HalvedBy::before;
    for (const std::string_view pass : {chunk_pass, order_pass})
        if (overlap.module_pattern.empty()) overlap.module_pattern = option_of(plan, pass, "module_pattern");
    if (overlap.module_pattern.empty()) overlap.module_pattern = whole_blocks;
    if (overlap.halved_by != HalvedBy::pass) return overlap;
    for (const std::string_view pass : {dimension_pass, chunk_pass})
        if (overlap.dimension.empty()) overlap.dimension = option_of(plan, pass, "mode");
    return overlap;
}

std::vector<Problem> check_expert_overlap(const Graph& graph, const Plan& plan) {
    std::optional<ExpertOverlap> overlap = expert_overlap_of(plan);
    if (!overlap) return {};
    const bool says_who = overlap->halved_by != HalvedBy::before;
    if (!says_who) overlap->halved_by = halved_in(graph);
    std::vector<std::string> missing, rest;
    for (const std::string& pass : expert_overlap_passes(overlap->halved_by))
        (has(plan, pass) ? rest : missing).push_back(pass);
    // Where a pass halved the modules before, each of the two others is of use alone.
    if (missing.empty() || overlap->halved_by == HalvedBy::before) return {};

    Problem incomplete;
    incomplete.severity = Severity::caution;
    incomplete.kind = ProblemKind::incomplete_expert_overlap;
    incomplete.title = "Expert overlap incomplete";
    incomplete.message = "the plan has " + enumerated(rest) + " without " + enumerated(missing) +
                         ": the passes halve modules together, and none is of use without the others";
    // Nothing is mended where there is nothing to overlap: the others would only be refused in turn. And a plan alone
    // does not tell that its graph's model halves, which decides what is put back.
    if (!exchanges_tokens(graph))
        incomplete.message.append(", and the graph exchanges no tokens between experts");
    else if (says_who || overlap->halved_by == HalvedBy::pass)
        incomplete.fix = missing.size() == 1 ? "put it back" : "put them back";
    Problem of_rest;
    of_rest.kind = ProblemKind::rest_of_expert_overlap;
    of_rest.title = "Rest of expert overlap";
    of_rest.message = "without " + enumerated(missing) + ", the plan can leave out " + enumerated(rest) + " as well";
    of_rest.fix = rest.size() == 1 ? "remove the other one" : "remove the other " + std::to_string(rest.size());
    return {std::move(incomplete), std::move(of_rest)};
}

namespace edits {

Plan with_expert_overlap(Plan plan, const ExpertOverlap& overlap) {
    const std::vector<std::string> passes = expert_overlap_passes(overlap.halved_by);
    std::erase_if(plan.pipeline, [&](const PassStep& step) {
        return belongs(step) && std::ranges::find(passes, step.pass) == passes.end();
    });
    plan = with_passes(std::move(plan), overlap, true);
    put_group_pass(plan.pipeline, isolate_expert_group_pass);
    // Where nothing is bucketed, it has been put last; torchtitan orders halves behind it.
    const auto order = plan.pipeline.begin() + static_cast<std::ptrdiff_t>(index_of(plan.pipeline, order_pass));
    const auto isolate = std::ranges::find(plan.pipeline, isolate_expert_group_pass, &PassStep::pass);
    if (isolate > order) std::rotate(order, isolate, isolate + 1);
    return plan;
}

Plan without_expert_overlap(Plan plan) {
    std::erase_if(plan.pipeline, belongs);
    return plan;
}

Plan with_rest_of_expert_overlap(Plan plan) {
    std::optional<ExpertOverlap> overlap = expert_overlap_of(plan);
    if (!overlap) return plan;
    // See check_expert_overlap(): put back is what a pass halves.
    if (overlap->halved_by == HalvedBy::before) overlap->halved_by = HalvedBy::pass;
    if (overlap->dimension.empty()) overlap->dimension = "batch";
    return with_passes(std::move(plan), *overlap, false);
}

Plan with_gradients_joined_last(Plan plan) {
    for (PassStep& step : plan.pipeline)
        if (step.enabled && step.pass == chunk_pass) step.options[std::string(JoinedGradientRefusal::option)] = false;
    return plan;
}

}  // namespace edits

}  // namespace overlap
