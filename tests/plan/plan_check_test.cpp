#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/graph/graph_builder.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/plan/bucket_check.h"
#include "core/plan/plan.h"
#include "core/plan/plan_edits.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

class PlanCheck : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        graph_ = test_graph("llama3_debugmodel_fsdp8.prebucket");
        tree_ = std::make_unique<ModuleTree>(*graph_, ModuleSource::module_fqn);
    }
    static void TearDownTestSuite() {
        tree_.reset();
        graph_.reset();
    }

    static std::vector<Problem> check(std::string_view text) {
        return check_buckets(*graph_, *tree_, parse_bucket_entries(text));
    }

    static inline std::shared_ptr<const Graph> graph_;
    static inline std::unique_ptr<ModuleTree> tree_;
};

TEST_F(PlanCheck, FindsNothingWrongWithAGoodPlan) {
    EXPECT_TRUE(check("tok_embeddings\nlayers.[0-5]\nnorm+lm_head").empty());
}

TEST_F(PlanCheck, NamesTheNearestModule) {
    const std::vector<Problem> problems = check("layers.0\nlayers.6+norm");
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].kind, ProblemKind::unknown_module);
    EXPECT_EQ(problems[0].severity, Severity::caution);
    EXPECT_EQ(problems[0].plan_entry, 1);
    EXPECT_EQ(problems[0].module, "layers.6");
    EXPECT_EQ(problems[0].fix, "rename to layers.5");
    EXPECT_EQ(problems[0].replacement, "layers.5");
    EXPECT_EQ(
        problems[0].message,
        "\"layers.6\" matches no module; nearest: layers.5, layers.4, layers.3 (PyTorch would ignore it silently)");
}

TEST_F(PlanCheck, OffersNoNameThatThePlanHasAlready) {
    const std::vector<Problem> next = check("layers.5\nlayers.6+norm");
    ASSERT_EQ(next.size(), 1u);
    EXPECT_EQ(next[0].replacement, "layers.4");  // layers.5 twice would be refused
    const std::vector<Problem> none = check("layers.[0-5]\nlayers.6+norm");
    ASSERT_EQ(none.size(), 1u);
    EXPECT_FALSE(none[0].replacement);
    EXPECT_EQ(none[0].fix, "take out of the plan");
    EXPECT_NE(none[0].message.find("layers.5 is in the plan already"), std::string::npos) << none[0].message;
    Plan plan;
    plan.buckets = parse_bucket_entries("layers.[0-5]\nlayers.6+norm");
    const std::optional<Plan> fixed = edits::with_fix(plan, none[0]);
    ASSERT_TRUE(fixed);
    EXPECT_TRUE(check_buckets(*graph_, *tree_, fixed->buckets).empty());
}

TEST_F(PlanCheck, ANearModuleOfWhichOnlyPartsAreInThePlanIsNotSaidToBeInIt) {
    const std::vector<Problem> problems = check("layers.[0-5]\nlayer");
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].fix, "take out of the plan");
    EXPECT_NE(problems[0].message.find("; layers has nodes that are in the plan already"), std::string::npos)
        << problems[0].message;
}

TEST(PlanCheckOfSteps, TakingBucketsAsksForTheStepsThatChooseThemToBeSwitchedOff) {
    Plan plan;
    plan.buckets = parse_bucket_entries("layers.0");
    const auto way = [&] {
        const std::vector<Problem> problems = check_unevaluated(plan);
        const std::string told = problems.size() == 1 ? problems[0].message : std::string();
        const std::size_t colon = told.find(": ");
        return colon == std::string::npos ? std::to_string(problems.size()) + " problems" : told.substr(colon + 2);
    };
    EXPECT_EQ(way(), "add manual_overlap_bucketing");
    plan.pipeline = {{"eliminate_dead_code_pass"}, {"bucket_all_gather", {}, false}, {"schedule_overlap_bucketing"}};
    EXPECT_EQ(
        way(),
        "add manual_overlap_bucketing and switch schedule_overlap_bucketing off, since buckets can be chosen only "
        "once");
    plan.pipeline[1].enabled = true;
    plan.pipeline.push_back({"joint_transformer_block_bucketing_reordering_pass", {}, false});
    EXPECT_EQ(way(),
              "switch joint_transformer_block_bucketing_reordering_pass on and switch bucket_all_gather and "
              "schedule_overlap_bucketing off, since buckets can be chosen only once");
}

TEST_F(PlanCheck, SeesStraySpaces) {
    const std::vector<Problem> problems = check_buckets(*graph_, *tree_, {{{" layers.0"}}});
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].kind, ProblemKind::stray_spaces);
    EXPECT_EQ(problems[0].replacement, "layers.0");
}

TEST_F(PlanCheck, NamesTheOverlap) {
    const std::vector<Problem> problems = check("layers.0\nlayers.0.attention");
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].kind, ProblemKind::overlapping_entries);
    EXPECT_EQ(problems[0].severity, Severity::error);
    EXPECT_EQ(problems[0].plan_entry, 1);
    EXPECT_EQ(problems[0].fix, "remove layers.0.attention");
    EXPECT_EQ(problems[0].nodes.size(), 4u);
    EXPECT_TRUE(problems[0].message.starts_with("entries 1 (layers.0) and 2 (layers.0.attention) share 148 nodes ("))
        << problems[0].message;
}

TEST_F(PlanCheck, SaysWhichEntriesGatherNothing) {
    const std::vector<Problem> problems = check("layers.0.attention.rope\nlayers.1");
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].kind, ProblemKind::nothing_gathered);
    EXPECT_EQ(problems[0].plan_entry, 0);
    EXPECT_EQ(problems[0].message, "layers.0.attention.rope has no collective at all");
    EXPECT_EQ(problems[0].fix, "remove the bucket");
    Plan plan;
    plan.buckets = parse_bucket_entries("layers.0.attention.rope\nlayers.1");
    EXPECT_EQ(edits::with_fix(plan, problems[0])->buckets, parse_bucket_entries("layers.1"));
    const std::vector<Problem> empty = check("[[]]");
    ASSERT_EQ(empty.size(), 1u);
    EXPECT_EQ(empty[0].kind, ProblemKind::empty_entry);
    plan.buckets = {BucketEntry{}, {{"layers.1"}}};
    EXPECT_EQ(edits::with_fix(plan, empty[0])->buckets, parse_bucket_entries("layers.1"));
}

TEST_F(PlanCheck, WhatIsNamedTwiceIsNamedOnceAfterItsFix) {
    Plan plan;
    plan.buckets = {{{"norm", "layers.1", "norm"}}};
    const std::vector<Problem> problems = check_buckets(*graph_, *tree_, plan.buckets);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].fix, "remove norm");
    EXPECT_EQ(edits::with_fix(plan, problems[0])->buckets, (std::vector<BucketEntry>{{{"norm", "layers.1"}}}));
}

TEST_F(PlanCheck, WhatMatchesNothingCanBeTakenOut) {
    Plan plan;
    plan.buckets = {{{"nothing_of_the_kind", "layers.1"}}};
    const std::vector<Problem> problems = check_buckets(*graph_, *tree_, plan.buckets);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].kind, ProblemKind::unknown_module);
    EXPECT_EQ(problems[0].fix, "take out of the plan");
    EXPECT_EQ(edits::with_fix(plan, problems[0])->buckets, (std::vector<BucketEntry>{{{"layers.1"}}}));
}

TEST_F(PlanCheck, SaysThatAGraphHasNoModules) {
    const ModuleTree none(*graph_, ModuleSource::module_stack);
    const std::vector<Problem> problems = check_buckets(*graph_, none, {{{"layers.0"}}, {{"layers.1"}}});
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].kind, ProblemKind::no_modules);
    EXPECT_TRUE(check_buckets(*graph_, none, {}).empty());
}

/// The reference's AssertionErrors tell the number of duplicated nodes; ours must be the same, for the same plans.
TEST_F(PlanCheck, CountsDuplicatesAsTheReferenceDoes) {
    std::ifstream file(std::string(OVERLAP_TEST_DATA) + "/goldens/errors.json");
    const nlohmann::json cases = nlohmann::json::parse(file);
    const std::regex number("found ([0-9]+) duplicated");
    int compared = 0;
    for (const nlohmann::json& each : cases) {
        std::smatch found;
        const std::string message = each.value("message", "");
        if (each["pass"] != "manual_overlap_bucketing" || each["graph"] != "llama3_debugmodel_fsdp8.prebucket" ||
            !std::regex_search(message, found, number)) {
            continue;
        }
        const std::vector<Problem> problems = check(each["input"]["module_bucket_plans"].dump());
        ASSERT_FALSE(problems.empty()) << each["case"];
        const std::string expected = "its " + found[1].str() + " duplicated nodes";
        EXPECT_NE(problems[0].message.find(expected), std::string::npos) << each["case"] << problems[0].message;
        ++compared;
    }
    EXPECT_GE(compared, 5);
}

TEST_F(PlanCheck, EligibilityTellsReasons) {
    const BucketingEligibility eligibility(*graph_);
    std::size_t gathers = 0;
    for (const NodeId start : eligibility.collectives()) {
        const bool gather = graph_->target_info(start).starts == CollectiveKind::all_gather;
        gathers += gather ? 1 : 0;
        EXPECT_NE(eligibility.wait(start), no_node);
        EXPECT_EQ(gather, gather && eligibility.only_placeholder(start) != no_node);
    }
    EXPECT_GT(gathers, 0u);
    EXPECT_EQ(eligibility.obstacle(0), BucketingObstacle::no_collective);
    EXPECT_TRUE(describe(BucketingObstacle::none).empty());
    EXPECT_FALSE(describe(BucketingObstacle::several_placeholders).empty());
}

TEST_F(PlanCheck, SpacesAreNotedWhereTheyAreAllThatIsWrong) {
    const std::vector<Problem> problems = check_buckets(*graph_, *tree_, {{{"norm "}}, {{" nothing "}}});
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].title, "Stray spaces");
    EXPECT_TRUE(problems[0].message.starts_with("\"norm \" matches no module because of the spaces around it"))
        << problems[0].message;
    EXPECT_EQ(problems[1].kind, ProblemKind::unknown_module);
    EXPECT_EQ(problems[1].title, "Unknown module");
}

TEST_F(PlanCheck, NamesTheOverlapWithinAnEntry) {
    const std::vector<Problem> within = check("norm\nlayers.0+layers.0.attention");
    ASSERT_EQ(within.size(), 1u);
    EXPECT_TRUE(within[0].message.starts_with("layers.0 and layers.0.attention in entry 2 share 148 nodes ("))
        << within[0].message;
    EXPECT_EQ(within[0].fix, "remove layers.0.attention");
    const std::vector<Problem> twice = check("norm+norm");
    ASSERT_EQ(twice.size(), 1u);
    EXPECT_TRUE(twice[0].message.starts_with("entry 1 names norm twice, with ")) << twice[0].message;
    EXPECT_EQ(twice[0].fix, "remove norm");
}

TEST_F(PlanCheck, IsTheSameWithoutATree) {
    const auto problems = [](std::string_view text) {
        return check_buckets(*graph_, ModuleSource::module_fqn, parse_bucket_entries(text)).size();
    };
    EXPECT_EQ(problems("tok_embeddings\nlayers.[0-5]\nnorm+lm_head"), 0u);
    EXPECT_EQ(problems("layers.0.attention.rope\nlayers.1"), 1u);
    EXPECT_EQ(problems("layers.0\nlayers.0.attention"), 1u);
    EXPECT_EQ(problems("layers.0\nlayers.7"), 1u);
}

TEST_F(PlanCheck, TellsWhereTheModulesAre) {
    const Problem by_stack = no_modules(*graph_, ModuleTree(*graph_, ModuleSource::module_stack));
    EXPECT_EQ(by_stack.severity, Severity::caution);
    EXPECT_TRUE(by_stack.message.starts_with("no node of the graph has a module stack, ")) << by_stack.message;
    EXPECT_TRUE(by_stack.message.ends_with("set the option module_stack_fn to that")) << by_stack.message;
    EXPECT_EQ(by_stack.fix, "");
    const auto forward = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    const Problem by_name = no_modules(*forward, ModuleTree(*forward, ModuleSource::module_fqn));
    EXPECT_TRUE(by_name.message.starts_with("no node of the graph has a custom.module_fqn, ")) << by_name.message;
    EXPECT_TRUE(by_name.message.ends_with("leave the option module_stack_fn unset")) << by_name.message;
    GraphBuilder named;
    NodeMetadata metadata;
    metadata.module_fqn = named.intern("norm");
    named.call("first", "aten.full.default", {}, {}, metadata);
    named.output({});
    const Graph once = named.finish({});
    EXPECT_EQ(no_modules(once, ModuleTree(once, ModuleSource::module_stack)).message, by_stack.message);
    GraphBuilder builder;
    builder.output({});
    const Graph bare = builder.finish({});
    EXPECT_EQ(no_modules(bare, ModuleTree(bare, ModuleSource::module_fqn)).fix, "repair modules");
}

/// A gather of two inputs and an exchange: neither can be bucketed, for different reasons.
TEST_F(PlanCheck, SaysWhyWhatAModuleHasCannotBeBucketed) {
    GraphBuilder builder;
    const std::int64_t sizes[] = {4};
    const TensorMeta tensor = builder.contiguous_tensor(*dtype_by_name("float32"), sizes);
    NodeMetadata metadata;
    metadata.module_fqn = builder.intern("block");
    const auto call = [&](std::string_view name, std::string_view target, std::vector<Value> arguments) {
        return builder.call(name, target, arguments, {&tensor, 1}, metadata);
    };
    const NodeId x = builder.placeholder("x", {&tensor, 1}), y = builder.placeholder("y", {&tensor, 1});
    const NodeId sum = call("sum", "aten.add.Tensor", {Value::of_node(x), Value::of_node(y)});
    const NodeId gather = call("gather", "_c10d_functional.all_gather_into_tensor.default",
                               {Value::of_node(sum), Value::of_integer(4), builder.string("0")});
    call("gathered", "_c10d_functional.wait_tensor.default", {Value::of_node(gather)});
    call("unawaited", "_c10d_functional.all_reduce.default",
         {Value::of_node(x), builder.string("sum"), builder.string("0")});
    builder.output({});
    const Graph graph = builder.finish({});
    const std::vector<Problem> problems =
        check_buckets(graph, ModuleTree(graph, ModuleSource::module_fqn), {{{"block"}}});
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].title, "Nothing gathered");
    EXPECT_EQ(problems[0].message, "block has no collective that can be bucketed: 1 where " +
                                       std::string(describe(BucketingObstacle::not_awaited)) + "; 1 where " +
                                       std::string(describe(BucketingObstacle::several_placeholders)));
}

TEST_F(PlanCheck, BucketsThatNoStepTakesChangeNothing) {
    Plan plan;
    plan.buckets = {{{"norm"}}};
    ASSERT_EQ(check_unevaluated(plan).size(), 1u);
    const Problem untaken = check_unevaluated(plan)[0];
    EXPECT_EQ(untaken.severity, Severity::caution);
    EXPECT_EQ(untaken.kind, ProblemKind::buckets_not_taken) << "the plan is evaluated";
    EXPECT_EQ(untaken.message,
              "no step of the plan takes its bucket, so it changes nothing: add manual_overlap_bucketing");
    EXPECT_EQ(untaken.fix, "Add manual bucketing");
    plan.pipeline = {{"manual_overlap_bucketing"}};
    EXPECT_TRUE(check_unevaluated(plan).empty());
    plan.pipeline[0].enabled = false;
    plan.buckets.push_back({{"layers.0"}});
    ASSERT_EQ(check_unevaluated(plan).size(), 1u);
    EXPECT_EQ(check_unevaluated(plan)[0].message,
              "no step of the plan takes its 2 buckets, so they change nothing: switch manual_overlap_bucketing on");
    EXPECT_EQ(check_unevaluated(plan)[0].fix, "Switch manual bucketing on");
}

TEST_F(PlanCheck, AStepWithBucketsOfItsOwnIsNamedWhereThePlansChangeNothing) {
    const PassStep own{"manual_overlap_bucketing", {{"module_bucket_plans", ModuleLists{{{"layers.0"}}}}}};
    Plan plan;
    plan.buckets = {{{"norm"}}, {{"layers.1"}}};
    plan.pipeline = {{"eliminate_dead_code_pass", {}, false}, {"eliminate_dead_code_pass"}, own};
    ASSERT_EQ(check_unevaluated(plan).size(), 1u);
    const Problem untaken = check_unevaluated(plan)[0];
    EXPECT_EQ(untaken.kind, ProblemKind::buckets_not_taken);
    EXPECT_EQ(untaken.message,
              "step 2 (manual_overlap_bucketing) has a list of buckets of its own, so the plan's 2 buckets change "
              "nothing: without its option module_bucket_plans it would take the plan's");
    EXPECT_EQ(untaken.fix, "Drop the step's own buckets");
    plan.pipeline.push_back({"bucket_all_gather"});
    plan.buckets.pop_back();
    EXPECT_EQ(check_unevaluated(plan)[0].message,
              "step 2 (manual_overlap_bucketing) has a list of buckets of its own, so the plan's bucket changes "
              "nothing: without its option module_bucket_plans it would take the plan's; switch bucket_all_gather off, "
              "since buckets can be chosen only once");
    plan.pipeline = {own};
    plan.pipeline[0].enabled = false;
    EXPECT_EQ(check_unevaluated(plan)[0].message,
              "no step of the plan takes its bucket, so it changes nothing: switch manual_overlap_bucketing on "
              "without its option module_bucket_plans");
    EXPECT_EQ(check_unevaluated(plan)[0].fix, "Switch manual bucketing on");
    plan.buckets.clear();
    EXPECT_TRUE(check_unevaluated(plan).empty());
}

TEST_F(PlanCheck, FieldsThatAreNotKnownAreToldWithTheirPlace) {
    Plan plan;
    plan.extra = {{"top", "1"}};
    plan.overlaps.list.emplace_back();
    plan.overlaps.list.emplace_back().extra = {{"later", "1"}};
    plan.device_orders.emplace_back().extra = {{"later", "1"}};
    const std::vector<Problem> problems = check_unevaluated(plan);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].severity, Severity::note);
    EXPECT_TRUE(problems[0].message.ends_with(": top, overlaps[1].later, device_orders[0].later"))
        << problems[0].message;
}

}  // namespace
}  // namespace overlap
