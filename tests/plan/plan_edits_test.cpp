#include "core/plan/plan_edits.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/io/graph_file.h"
#include "core/plan/bucket_drop.h"

namespace overlap {
namespace {

/// Buckets as text: modules joined by `+`, entries by a space.
std::string text(const Buckets& buckets) {
    std::string joined;
    for (const BucketEntry& entry : buckets) {
        if (!joined.empty()) joined += ' ';
        for (std::size_t module = 0; module < entry.modules.size(); ++module)
            joined += (module == 0 ? "" : "+") + entry.modules[module];
    }
    return joined;
}

Buckets buckets(const std::string& description) {
    Buckets result;
    std::istringstream entries(description);
    for (std::string entry; entries >> entry;) {
        std::istringstream modules(entry);
        BucketEntry& bucket = result.emplace_back();
        for (std::string module; std::getline(modules, module, '+');) bucket.modules.push_back(module);
    }
    return result;
}

TEST(PlanEdits, ChangeBucketsAndNothingElse) {
    const Buckets start = buckets("a b+c d");
    EXPECT_EQ(text(edits::add(start, 1, buckets("x y"))), "a x y b+c d") << "add in the middle";
    EXPECT_EQ(text(edits::add(start, 99, buckets("x"))), "a b+c d x") << "add beyond the end";
    EXPECT_EQ(text(edits::remove(start, {2, 0, 2, 9})), "b+c") << "remove";
    EXPECT_EQ(text(edits::move_modules(start, {"d"}, 1)), "a b+c+d") << "move onto another";
    EXPECT_EQ(text(edits::move_modules(start, {"a"}, 2)), "b+c d+a") << "move onto a later one, emptying an earlier";
    EXPECT_EQ(text(edits::move_modules(start, {"b"}, 1)), "a b+c d") << "move onto its own";
    EXPECT_EQ(text(edits::move_modules(start, {"a", "b"}, 2)), "c d+a+b") << "move several";
    EXPECT_EQ(text(edits::move_modules(start, {"x"}, 0)), "a+x b+c d") << "move new module";
    EXPECT_EQ(text(edits::move_modules_to_new(start, {"c"}, 0)), "c a b d") << "move into new at the front";
    EXPECT_EQ(text(edits::move_modules_to_new(start, {"a"}, 1)), "a b+c d") << "move into new behind an emptied one";
    EXPECT_EQ(text(edits::move_modules_to_new(start, {"a", "c"}, 3)), "b d a+c") << "move into new at the end";
    EXPECT_EQ(text(edits::take_out(start, {"a", "c"})), "b d") << "take out";
    EXPECT_EQ(text(edits::merge(start, {2, 0})), "a+d b+c") << "merge";
    EXPECT_EQ(text(edits::merge(start, {2})), "a b+c d") << "merge one";
    EXPECT_EQ(text(edits::split(start, 1)), "a b c d") << "split";
    EXPECT_EQ(text(edits::split(start, 0)), "a b+c d") << "split a single";
    EXPECT_EQ(text(edits::move_entry(start, 0, 2)), "b+c d a") << "move entry down";
    EXPECT_EQ(text(edits::move_entry(start, 2, 0)), "d a b+c") << "move entry up";
    EXPECT_EQ(text(edits::move_module_within(start, 1, 0, 1)), "a c+b d") << "reorder within";
    EXPECT_EQ(text(edits::replace_module(start, 1, "c", "x")), "a b+x d") << "replace";
    EXPECT_EQ(text(edits::remove_module(start, 1, "c")), "a b d") << "remove one module";
    EXPECT_EQ(text(edits::remove_module(start, 0, "a")), "b+c d") << "remove the last module";
    EXPECT_EQ(text(edits::without_modules(start, {"a", "c", "x"})), "b d");
    EXPECT_EQ(edits::without_modules({{{}, false, {}}, {{"a"}, false, {}}}, {"a"}).size(), 1u) << "was empty before";
    EXPECT_EQ(text(edits::move_entry(start, 0, 7)), "a b+c d") << "out of range";
}

TEST(PlanEdits, TheBucketOfAModuleIsItsNearestOwners) {
    const Buckets some = buckets("layers.1 layers.10+norm");
    EXPECT_EQ(bucket_of_module(some, "layers.1"), 0);
    EXPECT_EQ(bucket_of_module(some, "layers.1.attention"), 0);
    EXPECT_EQ(bucket_of_module(some, "layers.10.attention"), 1);
    EXPECT_EQ(bucket_of_module(some, "norm"), 1);
    EXPECT_EQ(bucket_of_module(some, "layers.2"), -1);
    EXPECT_EQ(bucket_of_module(some, "layers"), -1);
}

TEST(PlanEdits, DropsAreRefusedWithReasons) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    const BucketingEligibility eligibility(*graph);
    const auto refusal = [&](const std::string& now, const std::vector<std::string>& modules, std::size_t target) {
        return drop_refusal(*graph, tree, eligibility, buckets(now), modules, target);
    };
    const auto names = [](const std::string& sentence, const std::string& part) {
        return sentence.find(part) != std::string::npos;
    };
    EXPECT_EQ(refusal("layers.0", {"layers.1"}, 0), "");
    EXPECT_EQ(refusal("layers.0 layers.1", {"layers.1"}, 0), "");
    EXPECT_EQ(refusal("layers.0+layers.1", {"layers.1"}, 99), "");
    EXPECT_PRED2(names, refusal("layers.0", {"layers.77"}, 0), "no module layers.77");
    EXPECT_PRED2(names, refusal("layers.0 layers.1", {"layers.0.attention"}, 1),
                 "overlaps layers.0, which is in bucket layers.0");
    EXPECT_PRED2(names, refusal("layers.0", {"layers.1", "layers.1.attention"}, 0), "overlaps layers.1");
    EXPECT_PRED2(names, refusal("layers.0", {"layers.1.attention.inner_attention"}, 0), "nothing that can be bucketed");
}

TEST(PlanEdits, ADropTakesWhatItCan) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    const BucketingEligibility eligibility(*graph);
    using Modules = std::vector<std::string>;
    const auto drop = [&](const std::string& now, const Modules& modules, std::size_t target) {
        return bucket_drop(*graph, tree, eligibility, buckets(now), modules, target);
    };
    // A part of layers.1 has a card, and so has layers.2 itself.
    const Modules pile = {"layers.0", "layers.1", "layers.2", "layers.3"};
    const BucketDrop dropped = drop("layers.1.attention layers.2 norm", pile, 2);
    EXPECT_EQ(dropped.taken, Modules({"layers.0", "layers.2", "layers.3"}));
    EXPECT_EQ(dropped.moved, Modules{"layers.2"});
    ASSERT_EQ(dropped.left_out.size(), 1u);
    EXPECT_EQ(dropped.left_out[0].module, "layers.1");
    EXPECT_EQ(dropped.left_out[0].reason.find("layers.1 overlaps layers.1.attention, which is in bucket"), 0u);
    // What is in the target stays there, and has not moved.
    EXPECT_EQ(drop("layers.2 norm", pile, 0).moved, Modules());
    EXPECT_EQ(drop("layers.2 norm", pile, 0).taken, pile);
    // What is left out is in the way of others, as it was.
    const BucketDrop nested = drop("layers.1.attention norm", {"layers.1", "layers.1.attention", "layers.0"}, 9);
    EXPECT_EQ(nested.taken, Modules{"layers.0"});
    EXPECT_EQ(nested.left_out.size(), 2u);
    EXPECT_EQ(drop("norm", {"layers.0", "layers.0", "layers.77"}, 0).taken, Modules{"layers.0"});
}

TEST(PlanEdits, WhatIsNotThereStaysAsItIs) {
    const Buckets start = buckets("a b+c d");
    EXPECT_EQ(edits::split(start, 3), start);
    EXPECT_EQ(edits::move_module_within(start, 1, 0, 2), start);
    EXPECT_EQ(edits::move_module_within(start, 1, 2, 0), start);
    EXPECT_EQ(edits::move_entry(start, 3, 0), start);
    EXPECT_EQ(edits::move_entry(start, 0, 3), start);
    Buckets titled = start;
    titled[0].title = "first";
    EXPECT_EQ(edits::split(titled, 0), titled) << "nothing to split";
}

TEST(PlanEdits, BucketsOfBothDirectionsAreTakenApart) {
    Plan plan;
    EXPECT_FALSE(edits::with_directions_apart(plan));
    plan.pipeline = {{"canonicalize_graph_pass", {{"module_stack_fn", "custom.module_fqn"}}},
                     {"manual_overlap_bucketing", {{"module_stack_fn", "custom.module_fqn"}}, false},
                     {"manual_overlap_bucketing"}};
    EXPECT_FALSE(edits::with_directions_apart(plan));
    plan.pipeline[1].enabled = true;
    const std::optional<Plan> apart = edits::with_directions_apart(plan);
    ASSERT_TRUE(apart);
    EXPECT_EQ(apart->pipeline[0], plan.pipeline[0]);
    EXPECT_EQ(apart->pipeline[1].pass, "joint_transformer_block_bucketing_reordering_pass");
    EXPECT_EQ(apart->pipeline[2], plan.pipeline[2]);
}

TEST(PlanEdits, AFixIsOfAPartThatIsThere) {
    Plan plan;
    plan.buckets = buckets("a b+c");
    Problem problem;
    problem.fix = "remove a";
    problem.module = "a";
    EXPECT_FALSE(edits::with_fix(plan, problem)) << "no entry";
    problem.plan_entry = 0;
    ASSERT_TRUE(edits::with_fix(plan, problem));
    EXPECT_EQ(text(edits::with_fix(plan, problem)->buckets), "b+c");
    problem.replacement = "x";
    EXPECT_EQ(text(edits::with_fix(plan, problem)->buckets), "x b+c");
    problem.plan_entry = 2;
    EXPECT_FALSE(edits::with_fix(plan, problem));

    plan.overlaps.list = {{.collective = "first"}, {.collective = "second"}};
    Problem refused;
    refused.kind = ProblemKind::overlap_refused;
    EXPECT_FALSE(edits::with_fix(plan, refused));
    refused.directive = 2;
    EXPECT_FALSE(edits::with_fix(plan, refused));
    refused.directive = 1;
    ASSERT_TRUE(edits::with_fix(plan, refused));
    EXPECT_EQ(edits::with_fix(plan, refused)->overlaps.list, (std::vector<OverlapDirective>{{.collective = "first"}}));
}

}  // namespace
}  // namespace overlap
