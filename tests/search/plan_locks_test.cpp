#include "core/search/plan_locks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/cost/shared_links.h"
#include "core/modules/module_rules.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/group_passes.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"
#include "core/plan/process_groups_field.h"
#include "core/search/plan_search.h"
#include "core/search/search_report.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {
namespace {

std::shared_ptr<const Graph> small_graph() {
    return with_shared_links(test_graph("llama3_debugmodel_fsdp8.prebucket"), LinkSharing::by_host);
}

Plan plan_with(const Graph& graph, std::string_view buckets) {
    Plan plan = make_plan(graph, "mine");
    plan.buckets = parse_bucket_entries(buckets);
    return plan;
}

SearchResult found_with(const std::shared_ptr<const Graph>& graph, const Plan& plan, const PlanLocks& locks) {
    SearchOptions options;
    options.effort = 200;
    options.threads = 2;
    options.from = plan;
    options.locks = locks;
    return search_plans(graph, options);
}

bool has_bucket(const Plan& plan, const BucketEntry& entry) {
    return std::ranges::find(plan.buckets, entry.modules, &BucketEntry::modules) != plan.buckets.end();
}

TEST(PlanLocks, AreNamed) {
    Plan plan = plan_with(*small_graph(), "layers.0+layers.1, layers.2");
    plan.overlaps.list = {{.collective = "gather", .start_before = "mm"}};
    PlanLocks locks;
    for (const char* text :
         {"bucket:layers.1", "bucket:2", "overlap:gather", "pass:manual_overlap_bucketing", "memory"})
        add_lock(locks, text, plan);
    EXPECT_EQ(describe(locks),
              (std::vector<std::string>{"bucket layers.0 + layers.1", "bucket layers.2", "gather is issued before mm",
                                        "pass manual_overlap_bucketing", "memory"}));
    for (const char* text : {"bucket:layers.7", "bucket:3", "overlap:x", "pass:x", "card", "bucket:", "bucket"})
        EXPECT_THROW(add_lock(locks, text, plan), InputError) << text;
    PlanLocks all;
    for (const char* text : {"buckets", "overlaps", "passes"}) add_lock(all, text, plan);
    EXPECT_EQ(all.buckets.size(), 2u);
    EXPECT_EQ(all.overlaps.size(), 1u);
    EXPECT_TRUE(all.pipeline);
    EXPECT_THROW(add_lock(all, "overlaps", plan_with(*small_graph(), "layers.0")), InputError);
}

TEST(PlanLocks, ALockedBucketTakesItsModulesFromOthers) {
    const Plan mine = plan_with(*small_graph(), "layers.0+layers.1, layers.2");
    PlanLocks locks;
    add_lock(locks, "bucket:1", mine);
    const LockedParts locked(mine, locks);
    const Plan put = locked.put_into(plan_with(*small_graph(), "layers.1.attention, layers.0+layers.2, layers.3"));
    ASSERT_EQ(put.buckets.size(), 3u);
    EXPECT_EQ(put.buckets[0].modules, (std::vector<std::string>{"layers.0", "layers.1"}));
    EXPECT_EQ(put.buckets[1].modules, std::vector<std::string>{"layers.2"});
    EXPECT_TRUE(locked.kept_in(put));
    EXPECT_FALSE(locked.kept_in(plan_with(*small_graph(), "layers.0, layers.1")));
    // Where a pass chooses buckets itself, a card says nothing.
    EXPECT_FALSE(locked.kept_in(automatic_plan(mine, *small_graph())));
    EXPECT_TRUE(locked.kept_in(locked.put_into(automatic_plan(mine, *small_graph()))));
}

TEST(PlanLocks, LockedPassesComeWhereTheyWere) {
    const auto graph = small_graph();
    const Plan other = plan_of(pipeline_presets(*graph).front(), *graph, "other");
    for (const std::ptrdiff_t place : {0, 1}) {
        Plan mine = plan_of(pipeline_presets(*graph).front(), *graph, "mine");
        mine.pipeline.insert(mine.pipeline.begin() + place, PassStep{"stable_topological_sort_pass"});
        PlanLocks locks;
        add_lock(locks, "pass:stable_topological_sort_pass", mine);
        const LockedParts locked(mine, locks);
        EXPECT_EQ(locked.put_into(other).pipeline, mine.pipeline) << place;
        EXPECT_FALSE(locked.kept_in(Plan())) << place;
        EXPECT_TRUE(locked.kept_in(locked.put_into(Plan()))) << place;
    }
}

/// Also where another bucket holds a module within one of the locked bucket.
TEST(PlanLocks, APlanThatHasAllThatIsLockedStaysAsItIs) {
    Plan mine = plan_with(*small_graph(), "layers.0.attention, layers.0+layers.1");
    mine.overlaps.list = {{.collective = "gather", .start_before = "mm"}, {.collective = "other", .wait_after = "mm"}};
    for (const char* part : {"bucket:2", "buckets", "overlap:gather", "overlaps", "passes", "memory"}) {
        PlanLocks locks;
        add_lock(locks, part, mine);
        EXPECT_EQ(LockedParts(mine, locks).put_into(mine), mine) << part;
    }
}

/// Whether overlaps may leave the order of their group, and whether later passes see them, is said of all together.
TEST(PlanLocks, LockedOverlapsAreKeptWithWhatIsSaidOfAll) {
    Plan mine = plan_with(*small_graph(), "layers.0");
    mine.overlaps.list = {{.collective = "gather", .start_before = "mm"}};
    mine.overlaps.keep_group_order = false;
    mine.overlaps.insert_overlap_deps = true;
    Plan other = plan_with(*small_graph(), "layers.0, layers.1");
    other.overlaps.list = {{.collective = "other", .start_before = "mm"}};
    const auto put = [&](const char* part) {
        PlanLocks locks;
        add_lock(locks, part, mine);
        return LockedParts(mine, locks).put_into(other).overlaps;
    };
    OverlapDirectives both = mine.overlaps;
    both.list.insert(both.list.begin(), other.overlaps.list.front());
    EXPECT_EQ(put("overlaps"), both);
    EXPECT_EQ(put("bucket:1"), other.overlaps);
}

/// A bucket of the same name holds other nodes where rules give modules other nodes.
TEST(PlanLocks, ABucketIsKeptOnlyWithTheRulesForItsModules) {
    const auto graph = small_graph();
    const Plan mine = plan_with(*graph, "layers.0, layers.1");
    PlanLocks buckets, passes;
    add_lock(buckets, "buckets", mine);
    add_lock(passes, "passes", mine);
    Plan other = mine;
    ModuleRule rule;
    rule.kind = ModuleRule::Kind::nodes;
    rule.module = "layers.0";
    rule.nodes.emplace_back(graph->name(0));
    other.module_rules.push_back(rule);
    const LockedParts locked(mine, buckets);
    EXPECT_EQ(locked.missing_in(other), "module rules");
    EXPECT_TRUE(locked.kept_in(locked.put_into(other)));
    EXPECT_TRUE(LockedParts(mine, passes).kept_in(other));
}

TEST(PlanLocks, EveryPlanThatIsFoundHasWhatIsLocked) {
    const auto graph = small_graph();
    const Plan mine = plan_with(*graph, "layers.0+layers.3, layers.1");
    PlanLocks locks;
    add_lock(locks, "bucket:1", mine);
    const SearchResult found = found_with(graph, mine, locks);
    EXPECT_TRUE(has_bucket(found.best.plan, mine.buckets[0]));
    EXPECT_LT(found.best.step_ms, found.baselines.front().step_ms);
    for (const FrontPoint& point : found.front) EXPECT_TRUE(has_bucket(point.plan, mine.buckets[0])) << point.origin;
    EXPECT_EQ(found.locked, std::vector<std::string>{"bucket layers.0 + layers.3"});
    ASSERT_TRUE(found.from_start);
    EXPECT_GT(found.from_start->count(), 0u);
    // Without the lock nobody keeps it.
    EXPECT_FALSE(has_bucket(found_with(graph, mine, {}).best.plan, mine.buckets[0]));
}

TEST(PlanLocks, LockedPassesStay) {
    const auto graph = small_graph();
    Plan mine = plan_with(*graph, "layers.0, layers.1");
    mine.process_groups.push_back({graph->header().process_groups.front().name, {}, {}, 4, {}});
    PlanLocks locks;
    add_lock(locks, "passes", mine);
    const SearchResult found = found_with(graph, mine, locks);
    for (const FrontPoint& point : found.front) EXPECT_EQ(point.plan.pipeline, mine.pipeline) << point.origin;
    EXPECT_EQ(found.best.plan.pipeline, mine.pipeline);
    EXPECT_EQ(found.best.plan.process_groups, mine.process_groups);
    const auto start = std::ranges::find(found.baselines, "the plan to start from", &Candidate::origin);
    ASSERT_NE(start, found.baselines.end());
    EXPECT_LT(found.best.step_ms, start->step_ms);
}

/// It is for the job, so the search has no better one.
TEST(PlanLocks, WhatNoPassReadsStaysWithoutALock) {
    const auto graph = small_graph();
    Plan mine = plan_with(*graph, "layers.0, layers.1");
    mine.device_orders = {{"layers.*", {graph->header().process_groups.front().name}, "S(0)[0]", 1, 0, {}}};
    mine.process_groups = {{graph->header().process_groups.front().name, {}, {}, 4, {}}};
    mine.unread_process_groups = UnreadField{"[1]", "process_groups", "expected objects"};
    SearchOptions options;
    options.effort = 10;
    options.threads = 2;
    options.from = mine;
    std::shared_ptr<const Plan> last;
    options.progress = [&](const SearchProgress& progress) { last = progress.best; };
    const SearchResult found = search_plans(graph, options);
    ASSERT_TRUE(last);
    std::vector<Plan> plans{found.best.plan, *last};
    for (const FrontPoint& point : found.front) plans.push_back(point.plan);
    for (const Plan& plan : plans) {
        EXPECT_EQ(plan.device_orders, mine.device_orders);
        EXPECT_EQ(plan.process_groups, mine.process_groups);
        EXPECT_EQ(plan.unread_process_groups, mine.unread_process_groups);
    }
}

/// A run would refuse settings of a group that the plan's passes do not make.
TEST(PlanLocks, SettingsOfGroupsThatAPlanDoesNotMakeAreLeftOutAndTold) {
    const auto graph = small_graph();
    const std::string given = graph->header().process_groups.front().name, made = given + "#fsdp_extra";
    Plan mine = plan_with(*graph, "layers.0, layers.1");
    mine.pipeline.insert(mine.pipeline.begin(), PassStep{std::string(reassign_groups_pass)});
    mine.process_groups = {{given, {}, {}, 4, {}}, {made, true, {}, {}, {}}};
    ASSERT_NO_THROW(check_group_settings(mine.process_groups, *evaluate(graph, mine)->graph));
    const SearchResult found = found_with(graph, mine, {});
    std::size_t lacking = 0;
    std::vector<Plan> plans{found.best.plan};
    for (const FrontPoint& point : found.front) plans.push_back(point.plan);
    for (const Plan& plan : plans) {
        const auto evaluation = evaluate(graph, plan);
        EXPECT_NO_THROW(check_group_settings(plan.process_groups, *evaluation->graph));
        const bool makes = evaluation->graph->header().process_group(made) != nullptr;
        EXPECT_EQ(plan.process_groups.size(), makes ? 2u : 1u);
        EXPECT_EQ(plan.process_groups.front(), mine.process_groups.front());
        if (!makes) ++lacking;
    }
    EXPECT_GT(lacking, 0u);
    const bool best_makes = found.best.plan.process_groups.size() == 2;
    EXPECT_EQ(found.groups_left_out, best_makes ? std::vector<std::string>{} : std::vector<std::string>{made});
    EXPECT_EQ(found_plan(found, found.best.step_ms).notes.find(made) == std::string::npos, best_makes);
    const std::string told = "\"groups_left_out\":[" + (best_makes ? std::string() : '"' + made + '"') + ']';
    EXPECT_NE(search_report_json(found, 0).find(told), std::string::npos) << search_report_json(found, 0);
}

TEST(PlanLocks, WhatHasNoEffectCannotBeKept) {
    const auto graph = small_graph();
    Plan mine = plan_with(*graph, "layers.0, layers.1");
    mine.overlaps.list = {{.collective = "no_such_collective", .start_before = "mm"}};
    PlanLocks locks;
    add_lock(locks, "overlaps", mine);
    EXPECT_THROW(found_with(graph, mine, locks), InputError);
    Plan automatic = automatic_plan(mine, *graph);
    automatic.buckets = mine.buckets;
    PlanLocks bucket;
    add_lock(bucket, "bucket:1", automatic);
    EXPECT_THROW(found_with(graph, automatic, bucket), InputError);
    SearchOptions without_plan;
    without_plan.locks = bucket;
    EXPECT_THROW(search_plans(graph, without_plan), InputError);
}

}  // namespace
}  // namespace overlap::test
