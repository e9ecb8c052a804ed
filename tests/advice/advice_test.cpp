#include "core/advice/advice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/advice/collective_advice.h"
#include "core/advice/named_moves.h"
#include "core/base/number_text.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/pipeline/why_exposed.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/presets.h"
#include "tests/advice/advice_of_plans.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

using test::advice_for_worst;
using test::evaluated;

bool any_begins(const std::vector<Advice>& all, const std::string& text) {
    return std::ranges::any_of(all, [&](const Advice& advice) { return advice.text.starts_with(text); });
}

TEST(Blocks, EndAtTheFirstNumber) {
    EXPECT_EQ(block_of("layers.3.attention.wq"), "layers.3");
    EXPECT_EQ(block_of("model.layers.11"), "model.layers.11");
    EXPECT_EQ(block_of("tok_embeddings"), "tok_embeddings");
    EXPECT_EQ(block_of("lm_head.linear"), "lm_head");
    EXPECT_EQ(block_of("block2.wq"), "block2");
    EXPECT_EQ(block_of("h1.layers.2.wq"), "h1.layers.2");
    EXPECT_EQ(block_of("7.wq"), "7");
    EXPECT_EQ(block_of(""), "");
}

TEST(AdviceForCollectives, TheMostExposedComeFirst) {
    const auto evaluation = evaluated("llama3_debugmodel_fsdp8.prebucket");
    const std::vector<std::size_t> worst = most_exposed(*evaluation, 5);
    ASSERT_EQ(worst.size(), 5u);
    const auto exposed = [&](std::size_t index) { return evaluation->simulation.collectives[index].exposed_ms; };
    for (std::size_t place = 1; place < worst.size(); ++place)
        EXPECT_GE(exposed(worst[place - 1]), exposed(worst[place]));
    for (std::size_t index = 0; index < evaluation->simulation.collectives.size(); ++index)
        EXPECT_LE(exposed(index), exposed(worst.front()));
}

TEST(AdviceForCollectives, IsWorthWhatTheChangedPlanIs) {
    const auto evaluation = evaluated("llama3_debugmodel_fsdp8.prebucket", {{{"layers.0"}, false, {}}});
    const std::vector<Advice> all = advice_for_worst(evaluation, 6);
    ASSERT_FALSE(all.empty());
    bool helped = false;
    for (const Advice& advice : all) {
        const auto effect = effect_of(*evaluation, advice);
        ASSERT_TRUE(effect);
        const auto after = evaluate(evaluation->original, advice.plan);
        ASSERT_EQ(after->refused, !effect->refusal.empty()) << advice.text;
        if (after->refused) continue;
        EXPECT_DOUBLE_EQ(effect->step_ms, after->simulation.step_ms - evaluation->simulation.step_ms) << advice.text;
        EXPECT_EQ(effect->peak_bytes, after->corrected_memory.peak_bytes - evaluation->corrected_memory.peak_bytes)
            << advice.text;
        helped = helped || is_worthwhile(*effect, *evaluation);
    }
    EXPECT_TRUE(helped);  // the plan has one bucket of six, so something must
}

TEST(AdviceForCollectives, OffersBucketsWhereTheyAreTaken) {
    const auto evaluation = evaluated("llama3_debugmodel_fsdp8.prebucket", {{{"layers.0"}, false, {}}});
    const std::size_t all = evaluation->simulation.collectives.size();
    const std::vector<Advice> found = advice_for_worst(evaluation, all);
    EXPECT_TRUE(any_begins(found, "a bucket for layers.1"));
    EXPECT_TRUE(any_begins(found, "layers.1 into the bucket of layers.0"));
    EXPECT_FALSE(any_begins(found, "layers.3 into the bucket of layers.0"));  // no neighbours

    Plan without_step = evaluation->resolved->plan;
    without_step.pipeline.clear();
    const auto plain = evaluate(evaluation->original, without_step);
    EXPECT_FALSE(any_begins(advice_for_worst(plain, all), "a bucket for"));

    // A step that is given buckets of its own takes no entries.
    Plan with_own = evaluation->resolved->plan;
    with_own.pipeline.back().options["module_bucket_plans"] = module_lists({{{"layers.3"}, false, {}}});
    const auto of_step = evaluate(evaluation->original, with_own);
    ASSERT_FALSE(of_step->refused);
    EXPECT_FALSE(any_begins(advice_for_worst(of_step, all), "a bucket for"));
}

TEST(AdviceForCollectives, OffersOverlapsThatHold) {
    const auto evaluation = evaluated("llama3_8b_fsdp64.prebucket");
    const std::vector<Advice> found = advice_for_worst(evaluation, 20);
    std::size_t overlaps = 0;
    for (const Advice& advice : found) {
        if (advice.plan.overlaps.list.empty()) continue;
        ++overlaps;
        const auto after = evaluate(evaluation->original, advice.plan);
        EXPECT_TRUE(std::ranges::all_of(after->overlaps.directives, &DirectiveOutcome::holds)) << advice.text;
    }
    EXPECT_GT(overlaps, 0u);
}

TEST(AdviceForCollectives, WaitsBeyondWhatDependsWhereThatCoversTheExposure) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    auto evaluation = evaluate(graph, plan_of(pipeline_presets(*graph).at(1), *graph, "Performance"));
    const double before_ms = step_with_links_shared(*evaluation);
    for (int taken = 0; taken < 4; ++taken) {
        const std::vector<Advice> all = advice_for_worst(evaluation, 4);
        double best_ms = 0;
        const Advice* best = nullptr;
        for (const Advice& advice : all) {
            if (!advice.moves_dependents) continue;
            const auto effect = effect_of(*evaluation, advice);
            ASSERT_EQ(effect->refusal, "") << advice.text;
            if (job_step_ms(*effect) >= best_ms) continue;
            best_ms = job_step_ms(*effect);
            best = &advice;
        }
        ASSERT_NE(best, nullptr);
        evaluation = evaluate(graph, best->plan);
        EXPECT_TRUE(std::ranges::all_of(evaluation->overlaps.directives, &DirectiveOutcome::holds)) << best->text;
    }
    EXPECT_LT(step_with_links_shared(*evaluation), before_ms - 30);
}

TEST(AdviceForCollectives, OffersAGroupWhereAnotherCollectiveHoldsTheStream) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    const auto evaluation = evaluated("llama3_8b_fsdp64.prebucket",
                                      one_bucket_per_block(ModuleTree(*graph, preferred_module_source(*graph))));
    std::size_t groups = 0;
    const auto& collectives = evaluation->simulation.collectives;
    const auto offers_a_group = [&](std::size_t index) {
        return any_begins(advice_for(evaluation, index), "a process group of its own for the gathers");
    };
    for (std::size_t index = 0; index < collectives.size(); ++index)
        if (collectives[index].cause == ExposureCause::group_busy && groups < 3) {
            ++groups;
            EXPECT_TRUE(offers_a_group(index));
        }
    EXPECT_FALSE(offers_a_group(most_exposed(*evaluation, 1).front()));
    EXPECT_GT(groups, 0u);
}

/// A place that the explanation of an exposed collective names: what Advice calls it, and its node.
struct NamedPlace {
    std::string advice, node;
    bool refused = false;  ///< it says why that cannot be
};

std::vector<NamedPlace> named_places(const std::string& explanation) {
    std::vector<NamedPlace> places;
    using Words = std::pair<std::string_view, const char*>;
    for (const auto& [words, advice] :
         {Words{"; issued before ", "issued before "}, Words{"; issuing it before ", "issued before "},
          Words{"; waited for only after ", "is waited for after "},
          Words{"; waited for, with what needs it, only after ", "wait until after "}}) {
        const std::size_t at = explanation.find(words);
        if (at == std::string::npos) continue;
        const std::size_t begin = at + words.size();
        places.push_back({advice, explanation.substr(begin, explanation.find_first_of(" ,", begin) - begin),
                          explanation.find(", but ", begin) != std::string::npos});
    }
    return places;
}

/// Plans of two graphs, some of which keep a process group busy.
std::vector<std::shared_ptr<const Evaluation>> plans_with_exposure() {
    std::vector<std::shared_ptr<const Evaluation>> evaluations;
    for (const char* name : {"llama3_debugmodel_fsdp8.prebucket", "llama3_debugmodel_fsdp4_tp2.prebucket"})
        evaluations.push_back(evaluated(name, {{{"layers.0"}, false, {}}, {{"layers.2"}, false, {}}}));
    const std::shared_ptr<const Graph> graph = evaluations.front()->original;
    evaluations.push_back(evaluate(graph, automatic_plan(Plan(), *graph)));
    for (const PipelinePreset& preset : pipeline_presets(*graph))
        evaluations.push_back(evaluate(graph, plan_of(preset, *graph, preset.name)));
    return evaluations;
}

TEST(AdviceForCollectives, TriesWhatTheExplanationNamesOrSaysWhyNot) {
    std::size_t named = 0, refused = 0, busy = 0, later = 0;
    for (const std::shared_ptr<const Evaluation>& evaluation : plans_with_exposure()) {
        if (evaluation->refused) continue;
        for (const std::size_t worst : most_exposed(*evaluation, 60)) {
            const std::vector<Advice> all = advice_for(evaluation, worst);
            const std::string why = why_exposed(*evaluation, worst);
            busy += evaluation->simulation.collectives[worst].cause == ExposureCause::group_busy;
            for (const NamedPlace& place : named_places(why)) {
                ++named;
                later += place.advice != std::string("issued before ");
                const auto tried = std::ranges::find_if(
                    all, [&](const Advice& advice) { return advice.text.ends_with(place.advice + place.node); });
                ASSERT_NE(tried, all.end()) << why;
                EXPECT_TRUE(tried->is_named) << why;
                // The explanation offers what Advice does, and tells what it refuses as refused.
                EXPECT_EQ(place.refused, !tried->refusal.empty()) << why << "; " << tried->refusal;
                if (tried->refusal.empty()) continue;
                ++refused;
                EXPECT_EQ(effect_of(*evaluation, *tried)->refusal, tried->refusal);
            }
        }
    }
    EXPECT_GT(named, 4u);
    EXPECT_LT(refused, named);
    EXPECT_GT(busy, 0u);
    EXPECT_GT(later, 0u);
}

TEST(AdviceForCollectives, WhatCannotBeWaitedForLaterIsNotAdvisedTo) {
    const auto graph = test_graph("llama3_debugmodel_fsdp4_tp2.prebucket");
    const auto evaluation = evaluate(graph, plan_of(pipeline_presets(*graph).front(), *graph, "Default"));
    std::size_t never_later = 0;
    for (const std::size_t exposed : most_exposed(*evaluation, evaluation->simulation.collectives.size())) {
        const std::string why = why_exposed(*evaluation, exposed);
        if (why.find("cannot be waited for later") == std::string::npos) continue;
        ++never_later;
        EXPECT_TRUE(std::ranges::none_of(advice_for(evaluation, exposed), [](const Advice& advice) {
            return advice.refusal.empty() && (advice.text.find(" is waited for after ") != std::string::npos ||
                                              advice.text.find(" wait until after ") != std::string::npos);
        })) << why;
    }
    EXPECT_GT(never_later, 0u);
}

/// The explanation tells of the compute that is there; what is gained is what the changed plan's evaluation says.
TEST(AdviceForCollectives, WhatTheExplanationNamesIsToldAsItIsEvaluated) {
    std::size_t told = 0, longer = 0;
    for (const std::shared_ptr<const Evaluation>& evaluation : plans_with_exposure()) {
        if (evaluation->refused) continue;
        for (const std::size_t worst : most_exposed(*evaluation, 12)) {
            const std::vector<std::string> sentences = evaluated_moves(evaluation, worst, RefusedMoves::left_out);
            std::size_t named = 0;
            for (const Advice& advice : advice_for(evaluation, worst)) {
                if (!advice.is_named || !advice.refusal.empty()) continue;
                ASSERT_LT(named, sentences.size());
                const std::string& sentence = sentences[named++];
                EXPECT_TRUE(sentence.starts_with("Evaluated: " + advice.text)) << sentence;
                const auto after = evaluate(evaluation->original, advice.plan);
                const double change_ms = step_with_links_shared(*after) - step_with_links_shared(*evaluation);
                if (effect_of(*evaluation, advice)->refusal.empty()) {
                    const std::string step = std::abs(change_ms) < 1e-6
                                                 ? "as long as now"
                                                 : time_text(std::abs(change_ms)) + (change_ms < 0 ? " less" : " more");
                    EXPECT_NE(sentence.find(": the step takes " + step), std::string::npos) << sentence << change_ms;
                    longer += change_ms > 1e-6;
                }
                ++told;
            }
            EXPECT_EQ(named, sentences.size());
            EXPECT_EQ(why_exposed(*evaluation, worst).find("would save"), std::string::npos);
        }
    }
    EXPECT_GT(told, 4u);
    EXPECT_GT(longer, 0u) << "some of what seems to help makes the step longer";
}

TEST(AdviceForCollectives, NoneForWhatIsHiddenOrCannotBeChanged) {
    const auto evaluation = evaluated("llama3_debugmodel_fsdp8.prebucket");
    const auto& collectives = evaluation->simulation.collectives;
    const auto automatic = evaluate(evaluation->original, automatic_plan(Plan(), *evaluation->original));
    std::size_t hidden = 0;
    for (std::size_t index = 0; index < automatic->simulation.collectives.size(); ++index) {
        if (automatic->simulation.collectives[index].exposed_ms > 0) continue;
        ++hidden;
        EXPECT_TRUE(advice_for(automatic, index).empty());
    }
    EXPECT_GT(hidden, 0u);
    const auto baseline = evaluate_baseline(evaluation->original);
    EXPECT_TRUE(advice_for(baseline, most_exposed(*baseline, 1).front()).empty());
    EXPECT_TRUE(advice_for(evaluation, collectives.size()).empty());
}

TEST(AdviceForProblems, IsTheirFix) {
    const auto evaluation =
        evaluated("llama3_debugmodel_fsdp8.prebucket", {{{"layers.0"}, false, {}}, {{"layers.6"}, false, {}}});
    const std::vector<Advice> fixes = advice_for_problems(*evaluation);
    ASSERT_EQ(fixes.size(), 2u);
    EXPECT_EQ(fixes[0].text, "rename to layers.5");
    EXPECT_EQ(fixes[0].plan.buckets[1].modules, std::vector<std::string>{"layers.5"});
    EXPECT_TRUE(effect_of(*evaluation, fixes[0])->new_problems.empty());
    EXPECT_EQ(fixes[1].text, "bucket either direction apart");
    EXPECT_EQ(effect_of(*evaluation, fixes[1])->refusal, "");
    const auto apart = effect_of(*evaluation, fixes[1]);
    EXPECT_LT(apart->peak_bytes, 0);
}

}  // namespace
}  // namespace overlap
