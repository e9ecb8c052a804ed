#include "core/plan/plan_difference.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

Plan plan_with(std::vector<std::vector<std::string>> buckets, std::vector<PassStep> pipeline) {
    Plan plan;
    for (std::vector<std::string>& modules : buckets) plan.buckets.push_back({std::move(modules)});
    plan.pipeline = std::move(pipeline);
    return plan;
}

TEST(PlanDifference, IsNothingWherePlansDoTheSame) {
    Plan plan = plan_with({{"layers.0"}, {"layers.1", "norm"}}, {{"a"}, {"b", {{"x", true}}}});
    Plan other = plan;
    other.name = "another";
    other.notes = "a note";
    other.pipeline.push_back({"switched_off", {}, false});
    std::swap(other.buckets[0], other.buckets[1]);
    EXPECT_EQ(plan_difference(plan, other).count(), 0u);
    EXPECT_EQ(describe(plan_difference(plan, other)), "nothing");
}

TEST(PlanDifference, CountsAChangedPartOnce) {
    const Plan from = plan_with({{"layers.0"}, {"layers.1"}, {"norm"}}, {{"a", {{"x", true}, {"y", 1.5}}}, {"b"}});
    Plan to = plan_with({{"layers.0", "layers.1"}, {"norm"}}, {{"a", {{"x", false}, {"z", 2.0}}}});
    to.overlaps.list.push_back({.collective = "all_gather", .wait_after = "mm"});
    const PlanDifference difference = plan_difference(from, to);
    EXPECT_EQ(difference.buckets, 2u);  // of two made one: one is changed, one goes
    EXPECT_EQ(difference.passes, 1u);
    EXPECT_EQ(difference.options, 3u);
    EXPECT_EQ(difference.overlaps, 1u);
    EXPECT_TRUE(!difference.order && difference.others.empty());
    EXPECT_EQ(describe(difference), "2 buckets, 1 pass added or removed, 3 options and 1 overlap by hand");
    EXPECT_EQ(plan_difference(to, from).count(), difference.count());
}

TEST(PlanDifference, TellsAnotherOrderOfPasses) {
    const Plan from = plan_with({}, {{"a"}, {"b"}, {"a"}}), to = plan_with({}, {{"b"}, {"a"}, {"a"}});
    EXPECT_EQ(describe(plan_difference(from, to)), "the order of passes");
    EXPECT_EQ(plan_difference(from, from).count(), 0u);
    Plan other = from;
    other.overlaps.keep_group_order = !other.overlaps.keep_group_order;
    EXPECT_EQ(describe(plan_difference(from, other)), "settings of overlaps by hand");
}

TEST(PlanDifference, EachSettingIsAmongTheOthers) {
    const Plan from = plan_with({{"layers.0"}}, {{"a"}});
    std::vector<Plan> changed(5, from);
    changed[0].memory = MemorySection();
    changed[1].module_rules.emplace_back();
    changed[2].device_orders.emplace_back();
    changed[3].process_groups = {{"0", true, {}, {}, {}}};
    changed[4].overlaps.insert_overlap_deps = !from.overlaps.insert_overlap_deps;
    for (std::size_t index = 0; index < changed.size(); ++index) {
        const PlanDifference difference = plan_difference(from, changed[index]);
        EXPECT_EQ(difference.others.size(), 1u) << index;
        EXPECT_EQ(difference.count(), 1u) << index;
    }
    Plan all = changed[0];
    all.module_rules = changed[1].module_rules;
    all.device_orders = changed[2].device_orders;
    all.process_groups = changed[3].process_groups;
    EXPECT_EQ(plan_difference(from, all).count(), 1u);
    EXPECT_EQ(describe(plan_difference(from, all)),
              "the memory section, rules of modules, device orders and settings of process groups");
}

TEST(PlanDifference, StepsThatDoNotRunAreNotCompared) {
    const Plan from = plan_with({}, {{"off", {}, false}, {"a"}, {"also_off", {}, false}});
    const Plan to = plan_with({}, {{"a"}, {"off", {{"x", true}}, false}});
    EXPECT_EQ(describe(plan_difference(from, to)), "nothing");
    EXPECT_EQ(describe(plan_difference(from, plan_with({}, {{"a"}, {"off"}, {"b"}}))), "2 passes added or removed");
    EXPECT_EQ(describe(plan_difference(from, plan_with({{"norm"}}, {{"a", {{"x", true}}}}))), "1 bucket and 1 option");
}

TEST(PlanDifference, StepsOfOneNameAreComparedInTheirOrder) {
    const Plan from = plan_with({}, {{"a", {{"x", true}}}, {"a", {{"x", false}}}});
    EXPECT_EQ(plan_difference(from, from).count(), 0u);
    const Plan to = plan_with({}, {{"a", {{"x", false}}}, {"a", {{"x", true}}}});
    EXPECT_EQ(plan_difference(from, to).options, 2u);
    EXPECT_FALSE(plan_difference(from, to).order);
}

}  // namespace
}  // namespace overlap
