// What a change is worth, alone and with a second one.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/advice/collective_advice.h"
#include "core/graph/editing/graph_editor.h"
#include "core/io/graph_file.h"
#include "core/pipeline/overlap_preview.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/group_passes.h"
#include "core/plan/plan_edits.h"
#include "core/plan/presets.h"
#include "tests/advice/advice_of_plans.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

using test::advice_for_worst;
using test::evaluated;

TEST(AdviceEffects, AreJudgedByTheStepWithLinksShared) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    // A group of its own over the same card: each seems to have one for itself.
    Advice apart{"apart", {}, plan_of(pipeline_presets(*graph).at(1), *graph, "Performance")};
    Plan together = apart.plan;
    std::erase_if(together.pipeline,
                  [](const PassStep& step) { return is_group_pass(step.pass, reassign_groups_pass); });
    const auto evaluation = evaluate(graph, together);
    const auto effect = effect_of(*evaluation, apart);
    const auto after = evaluate(graph, apart.plan);
    ASSERT_TRUE(effect && after->on_shared_links);
    ASSERT_TRUE(effect->shared_step_ms);
    EXPECT_DOUBLE_EQ(*effect->shared_step_ms, after->on_shared_links->step_ms - evaluation->simulation.step_ms);
    EXPECT_LT(effect->step_ms, *effect->shared_step_ms);
    EXPECT_EQ(is_worthwhile(*effect, *evaluation),
              *effect->shared_step_ms < -worthwhile_share * evaluation->simulation.step_ms);

    AdviceEffect only_seems;
    only_seems.step_ms = -100;
    only_seems.shared_step_ms = 3;
    EXPECT_FALSE(is_worthwhile(only_seems, *evaluation));
    only_seems.shared_step_ms.reset();
    EXPECT_TRUE(is_worthwhile(only_seems, *evaluation));
}

TEST(AdviceEffects, MemoryThatIsFreedIsWorthAChangeToo) {
    const auto evaluation = evaluated("llama3_debugmodel_fsdp8.prebucket");
    const auto peak = static_cast<double>(evaluation->corrected_memory.peak_bytes);
    const double step_ms = evaluation->simulation.step_ms;
    const auto of = [](double step, double bytes) {
        AdviceEffect effect;
        effect.step_ms = step;
        effect.peak_bytes = static_cast<std::int64_t>(bytes);
        return effect;
    };
    EXPECT_TRUE(is_worthwhile(of(0, -0.05 * peak), *evaluation));
    EXPECT_FALSE(is_worthwhile(of(0, -0.005 * peak), *evaluation));
    EXPECT_FALSE(is_worthwhile(of(0.01 * step_ms, -0.05 * peak), *evaluation));
    EXPECT_TRUE(is_worthwhile(of(-0.01 * step_ms, 0.05 * peak), *evaluation));
    AdviceEffect refused = of(-0.01 * step_ms, -0.05 * peak);
    refused.refusal = "why";
    EXPECT_FALSE(is_worthwhile(refused, *evaluation));
}

/// What reads a gathered buffer may come before the copy that fills it: nobody is told to do that.
TEST(AdviceEffects, AnErrorThatAChangeBringsRefusesIt) {
    const auto input =
        read_graph_file(OVERLAP_TEST_DATA "/../../resources/samples/llama3_8b_fsdp128.prebucket.graph.json.gz");
    Plan plan = make_plan(*input, "Plan A");
    plan.buckets = {{{"layers.0", "layers.1"}, false, {}}};
    const auto evaluation = evaluate(input, plan);
    const auto& collectives = evaluation->simulation.collectives;
    const auto merged =
        std::ranges::find(collectives, "all_gather_into_tensor_out",
                          [&](const CollectiveTiming& timing) { return evaluation->graph->name(timing.start); });
    ASSERT_NE(merged, collectives.end());
    Advice behind{"behind layers.0", {}, plan};
    behind.plan.overlaps.list = {
        {.collective = OverlapPreview(evaluation, plan, merged->start).collective(), .hide_behind = "layers.0"}};
    const auto effect = effect_of(*evaluation, behind);
    ASSERT_FALSE(effect->new_problems.empty());
    EXPECT_EQ(effect->new_problems.front().kind, ProblemKind::read_before_fill);
    EXPECT_EQ(effect->refusal, effect->new_problems.front().message);
    EXPECT_FALSE(is_worthwhile(*effect, *evaluation));
}

TEST(AdviceEffects, AProblemThatIsThereAlreadyIsNotNew) {
    const auto input = test_graph("llama3_8b_fsdp64.prebucket");
    const auto whole = evaluate(input, plan_of(pipeline_presets(*input).at(1), *input, "Performance"));
    ASSERT_TRUE(whole->on_shared_links);
    const auto told = [](const std::vector<Problem>& problems) {
        return std::ranges::find(problems, ProblemKind::links_not_shared, &Problem::kind);
    };
    bool other_figures = false;
    for (const Advice& advice : advice_for_worst(whole, 1)) {
        const auto effect = effect_of(*whole, advice);
        EXPECT_EQ(told(effect->new_problems), effect->new_problems.end()) << advice.text;
        const auto after = evaluate_like(*whole, advice.plan);
        const auto problem = told(after->problems);
        other_figures |= problem != after->problems.end() && problem->message != told(whole->problems)->message;
    }
    EXPECT_TRUE(other_figures);
}

TEST(AdviceEffects, APeakThatIsBeyondTheDeviceAlreadyIsNotNew) {
    const auto traced = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto limited = [&](std::int64_t memory_bytes) {
        GraphHeader header = traced->header();
        header.cost->memory_bytes = memory_bytes;
        GraphEditor editor(traced);
        editor.set_header(std::move(header));
        std::vector<NodeId> origin;
        return editor.finish(origin);
    };
    const auto beyond = [&](std::int64_t memory_bytes, bool& same_sentence) {
        const auto graph = limited(memory_bytes);
        const auto before = evaluate(graph, make_plan(*graph, "Plan A"));
        Advice advice{"one bucket", {}, before->resolved->plan};
        advice.plan.buckets = {{{"layers"}, false, {}}};
        const auto after = evaluate_like(*before, advice.plan);
        const auto of = [](const Evaluation& evaluation) {
            return std::ranges::find(evaluation.problems, ProblemKind::beyond_device_memory, &Problem::kind);
        };
        same_sentence = of(*before) != before->problems.end() && of(*before)->message == of(*after)->message;
        const auto effect = effect_of(*before, advice);
        return std::ranges::count(effect->new_problems, ProblemKind::beyond_device_memory, &Problem::kind);
    };
    bool same_sentence = true;
    EXPECT_EQ(beyond(1, same_sentence), 0);
    EXPECT_FALSE(same_sentence);  // other figures, the same problem
    const auto held = evaluate(traced, make_plan(*traced, "Plan A"))->corrected_memory.peak_bytes;
    EXPECT_EQ(beyond(held, same_sentence), 1);
}

TEST(AdviceEffects, FiguresThatLeaveOutMemoryOfTheCpuAlreadyAreNotNew) {
    std::string text = write_graph_text(*test_graph("llama3_debugmodel_fsdp8.prebucket"));
    for (const std::string device : {"\"cuda\"", "\"cuda:0\""})
        for (std::size_t at = 0; (at = text.find(device, at)) != std::string::npos;)
            text.replace(at, device.size(), "\"cpu\"");
    const auto graph = read_graph_text(text, "on the CPU");
    const auto before = evaluate(graph, make_plan(*graph, "Plan A"));
    Advice advice{"one bucket", {}, before->resolved->plan};
    advice.plan.buckets = {{{"layers"}, false, {}}};
    const auto of = [](const std::vector<Problem>& problems) {
        return std::ranges::find(problems, ProblemKind::memory_on_cpu, &Problem::kind);
    };
    const auto after = evaluate_like(*before, advice.plan);
    ASSERT_NE(of(before->problems), before->problems.end());
    ASSERT_NE(of(after->problems), after->problems.end());
    ASSERT_NE(of(before->problems)->message, of(after->problems)->message);  // other figures, the same problem
    const auto effect = effect_of(*before, advice);
    EXPECT_EQ(of(effect->new_problems), effect->new_problems.end());
}

TEST(AdviceEffects, SayWhyAChangedPlanIsRefusedAndWhatIsNew) {
    const auto evaluation = evaluated("llama3_debugmodel_fsdp8.prebucket", {{{"layers.0"}, false, {}}});
    Advice bad{"overlapping entries", {}, evaluation->resolved->plan};
    bad.plan.buckets.push_back({{"layers.0.attention"}, false, {}});
    const auto effect = effect_of(*evaluation, bad);
    ASSERT_TRUE(effect);
    EXPECT_FALSE(effect->refusal.empty());
    EXPECT_EQ(effect->step_ms, 0);
    ASSERT_FALSE(effect->new_problems.empty());
    EXPECT_FALSE(effect->new_problems.front().title.empty());
    EXPECT_FALSE(is_worthwhile(*effect, *evaluation));

    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(effect_of(*evaluation, bad, stop.get_token()));
}

/// Of two changes that are made one after the other.
TEST(AdvicePairs, AreWorthWhatBothMake) {
    const auto evaluation = evaluated("llama3_debugmodel_fsdp8.prebucket");
    const std::vector<Advice> singles = advice_for_worst(evaluation, 8);
    const double least_ms = worthwhile_share * step_with_links_shared(*evaluation);
    const auto is_as_good_alone = [&](const Advice& second, const AdviceEffect& both) {
        const auto single = std::ranges::find(singles, second.text, &Advice::text);
        return single != singles.end() && job_step_ms(*effect_of(*evaluation, *single)) < job_step_ms(both) + least_ms;
    };
    std::size_t found = 0;
    for (const Advice& first : advice_for_worst(evaluation, 2)) {
        const auto alone = effect_of(*evaluation, first);
        const auto pair = best_pair(evaluation, first, *alone);
        if (!pair) continue;
        ++found;
        EXPECT_TRUE(pair->both.text.starts_with(first.text + ", then ")) << pair->both.text;
        EXPECT_EQ(pair->both.collective, first.collective);
        const auto after = evaluate_like(*evaluation, pair->both.plan);
        ASSERT_FALSE(after->refused);
        EXPECT_EQ(pair->effect.step_ms, after->simulation.step_ms - evaluation->simulation.step_ms);
        EXPECT_LE(job_step_ms(pair->effect), job_step_ms(*alone) - least_ms);
        // No other second change for what is exposed longest then makes a shorter step, but those that are worth that
        // without the first.
        const auto between = evaluate_like(*evaluation, first.plan);
        for (const Advice& second : advice_for(between, most_exposed(*between, 1).front()))
            if (second.refusal.empty()) {
                const auto both = effect_of(*evaluation, second);
                EXPECT_TRUE(!both->refusal.empty() || job_step_ms(*both) >= job_step_ms(pair->effect) ||
                            is_as_good_alone(second, *both));
            }
    }
    EXPECT_GT(found, 0u);
}

/// A change that does nothing for another one is not told with it.
TEST(AdvicePairs, AreWorthMoreThanEitherAlone) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    std::size_t compared = 0;
    for (const PipelinePreset& preset : pipeline_presets(*graph)) {
        const auto evaluation = evaluate(graph, plan_of(preset, *graph, "plan"));
        const std::vector<Advice> singles = advice_for_worst(evaluation, 8);
        const double least_ms = worthwhile_share * step_with_links_shared(*evaluation);
        for (const Advice& first : singles) {
            const auto alone = effect_of(*evaluation, first);
            const auto pair = best_pair(evaluation, first, *alone);
            if (!pair) continue;
            for (const Advice& second : singles) {
                if (pair->both.text != first.text + ", then " + second.text || !second.refusal.empty()) continue;
                ++compared;
                const auto of_second = effect_of(*evaluation, second);
                EXPECT_TRUE(job_step_ms(pair->effect) <= job_step_ms(*of_second) - least_ms ||
                            pair->effect.peak_bytes < of_second->peak_bytes)
                    << preset.title << ": " << pair->both.text;
            }
        }
    }
    EXPECT_GT(compared, 0u);
}

/// A pair that was told from its other end is left out for the next best.
TEST(AdvicePairs, WhatIsKnownIsNotToldAgain) {
    const auto evaluation = evaluated("llama3_debugmodel_fsdp8.prebucket");
    std::size_t found = 0, others = 0;
    for (const Advice& first : advice_for_worst(evaluation, 2)) {
        const auto alone = effect_of(*evaluation, first);
        const auto pair = best_pair(evaluation, first, *alone);
        if (!pair) continue;
        ++found;
        // As it is made from its other end: its parts come in another order.
        std::vector<Plan> known{pair->both.plan};
        std::ranges::reverse(known.front().overlaps.list);
        std::ranges::reverse(known.front().buckets);
        const auto instead = best_pair(evaluation, first, *alone, {}, known);
        if (!instead) continue;
        ++others;
        EXPECT_NE(instead->both.text, pair->both.text);
        EXPECT_GE(job_step_ms(instead->effect), job_step_ms(pair->effect));
    }
    EXPECT_GT(found, 0u);
    EXPECT_GT(others, 0u);
}

TEST(AdvicePairs, NoneAfterWhatIsRefusedAndWhenStopped) {
    const auto evaluation = evaluated("llama3_debugmodel_fsdp8.prebucket");
    const Advice first = advice_for_worst(evaluation, 1).front();
    AdviceEffect effect = *effect_of(*evaluation, first);
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_FALSE(best_pair(evaluation, first, effect, stopped.get_token()));
    effect.refusal = "a cycle";
    EXPECT_FALSE(best_pair(evaluation, first, effect));
}

}  // namespace
}  // namespace overlap
