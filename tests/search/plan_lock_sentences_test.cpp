#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/plan/automatic_plan.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"
#include "core/search/plan_locks.h"
#include "tests/support/problem_of.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {
namespace {

std::shared_ptr<const Graph> debug_graph() {
    return test_graph("llama3_debugmodel_fsdp8.prebucket");
}

Plan bucketed(std::string_view buckets) {
    Plan plan = make_plan(*debug_graph(), "mine");
    plan.buckets = parse_bucket_entries(buckets);
    return plan;
}

TEST(PlanLockSentences, SayWhatThePlanDoesNotHave) {
    const Plan plan = bucketed("layers.0, layers.1");
    const std::string expected =
        " is no part of a plan; expected buckets, bucket:MODULE, overlaps, overlap:COLLECTIVE, passes, pass:NAME or "
        "memory";
    for (const auto& [text, problem] : std::vector<std::pair<std::string, std::string>>{
             {"bucket:0", "the plan to start from has no bucket 0; it has 2"},
             {"bucket:3", "the plan to start from has no bucket 3; it has 2"},
             {"bucket:1x", "no bucket of the plan to start from has the module \"1x\""},
             {"bucket:99999999999999999999",
              "no bucket of the plan to start from has the module "
              "\"99999999999999999999\""},
             {"bucket:norm", "no bucket of the plan to start from has the module \"norm\""},
             {"overlap:x", "the plan to start from has no overlap by hand of \"x\""},
             {"overlaps", "the plan to start from has no overlaps"},
             {"pass:x", "the plan to start from does not run the pass \"x\""},
             {"card:x", "\"card:x\"" + expected},
             {"bucket:", "\"bucket:\"" + expected},
             {"bucket", "\"bucket\"" + expected},
             {"", "\"\"" + expected}}) {
        PlanLocks locks;
        EXPECT_EQ(problem_of([&, text = text] { add_lock(locks, text, plan); }), "--lock: " + problem) << text;
    }
    PlanLocks locks;
    EXPECT_EQ(problem_of([&] { add_lock(locks, "bucket:1", bucketed("")); }),
              "--lock: the plan to start from has no buckets of its own; those that a pass is given as its option are "
              "kept with the pass (pass:NAME)");
    EXPECT_EQ(problem_of([&] { add_lock(locks, "buckets", bucketed("")); }),
              "--lock: the plan to start from has no buckets");
}

TEST(PlanLockSentences, ABucketThatNoPassMergesCannotBeKept) {
    Plan plan = bucketed("layers.0, layers.1");
    PlanLocks locks;
    add_lock(locks, "bucket:1", plan);
    for (PassStep& step : plan.pipeline) step.enabled = false;
    EXPECT_EQ(problem_of([&] { LockedParts(plan, locks); }),
              "the bucket layers.0 cannot be kept: no pass of the plan to start from merges it");
}

TEST(PlanLockSentences, OverlapsByHandReplaceOthersOfTheirCollective) {
    Plan mine = bucketed("layers.0");
    mine.overlaps.list = {{.collective = "gather", .start_before = "mm"}};
    mine.overlaps.keep_group_order = false;
    PlanLocks locks;
    add_lock(locks, "overlaps", mine);
    const LockedParts locked(mine, locks);
    Plan other = bucketed("layers.1");
    other.overlaps.list = {{.collective = "gather", .start_before = "add"}, {.collective = "x", .start_before = "y"}};
    EXPECT_EQ(locked.missing_in(other), "gather is issued before mm");
    const Plan put = locked.put_into(other);
    ASSERT_EQ(put.overlaps.list.size(), 2u);
    EXPECT_EQ(put.overlaps.list[0].collective, "x");
    EXPECT_EQ(put.overlaps.list[1], mine.overlaps.list[0]);
    EXPECT_FALSE(put.overlaps.keep_group_order);
    EXPECT_EQ(put.buckets, other.buckets);
    EXPECT_TRUE(locked.kept_in(put));
    EXPECT_EQ(locked.put_into(put).overlaps.list, put.overlaps.list);
}

TEST(PlanLockSentences, MemoryIsKeptWithThePassesThatCarryItOut) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    Plan mine = plan_of(pipeline_presets(*graph).front(), *graph, "mine");
    mine.memory.emplace();
    mine.memory->policy = "full";
    PlanLocks locks;
    add_lock(locks, "memory", mine);
    const LockedParts locked(mine, locks);
    Plan other = mine;
    other.memory->policy = "save_all";
    EXPECT_EQ(locked.missing_in(other), "memory");
    EXPECT_EQ(locked.put_into(other).memory, mine.memory);
    EXPECT_TRUE(locked.kept_in(locked.put_into(other)));
    EXPECT_EQ(locked.missing_in(Plan()), "passes");
    EXPECT_TRUE(locked.kept_in(locked.put_into(Plan())));
    EXPECT_EQ(LockedParts().put_into(other), other);
    EXPECT_EQ(LockedParts().missing_in(other), "");
}

TEST(PlanLockSentences, AllPassesAreKeptInTheirOrder) {
    const Plan mine = bucketed("layers.0");
    PlanLocks locks;
    add_lock(locks, "passes", mine);
    EXPECT_EQ(describe(locks), std::vector<std::string>{"all passes"});
    const LockedParts locked(mine, locks);
    const Plan automatic = automatic_plan(mine, *debug_graph());
    EXPECT_EQ(locked.missing_in(automatic), "passes");
    EXPECT_EQ(locked.put_into(automatic).pipeline, mine.pipeline);
}

}  // namespace
}  // namespace overlap::test
