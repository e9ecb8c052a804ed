#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/passes/bucketing/eligibility.h"
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
    const std::vector<Problem> empty = check("[[]]");
    ASSERT_EQ(empty.size(), 1u);
    EXPECT_EQ(empty[0].kind, ProblemKind::empty_entry);
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

}  // namespace
}  // namespace overlap
