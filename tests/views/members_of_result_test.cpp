#include "core/views/members_of_result.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/plan_edits.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

class Counterparts : public testing::Test {
  protected:
    std::shared_ptr<const Evaluation> with_buckets(const std::vector<std::string>& modules) {
        Plan plan = make_plan(*graph_, "");
        for (const std::string& module : modules) plan.buckets.push_back({.modules = {module}});
        return evaluate(graph_, plan);
    }
    static std::vector<NodeId> between(const Evaluation& from, const Evaluation& to, std::vector<NodeId> starts) {
        return counterparts(from, MembersOfResult(from), to, MembersOfResult(to), starts);
    }

    std::shared_ptr<const Graph> graph_ = test_graph("llama3_debugmodel_fsdp8.prebucket");
};

TEST_F(Counterparts, AreWhatTheCollectivesWereMergedInto) {
    const auto from = evaluate_baseline(graph_);
    const auto to = with_buckets({"layers.0", "layers.3"});
    ASSERT_FALSE(to->refused);
    std::vector<NodeId> all;
    for (const CollectiveTiming& timing : from->simulation.collectives) all.push_back(timing.start);
    const std::vector<NodeId> found = between(*from, *to, all);
    // All of the input lead to all of the result, each once.
    ASSERT_LT(found.size(), all.size());
    EXPECT_EQ(found.size(), to->simulation.collectives.size());
    for (const NodeId start : all) {
        const std::vector<NodeId> one = between(*from, *to, {start});
        ASSERT_EQ(one.size(), 1u);
        const std::vector<NodeId> members = MembersOfResult(*to).of(one.front());
        EXPECT_TRUE(std::ranges::count(members, start)) << from->graph->name(start);
    }
}

/// Names of merged collectives are counted anew in each result.
TEST_F(Counterparts, AreFoundWhereTheNameIsAnotherOnes) {
    const auto from = with_buckets({"layers.3"});
    const auto to = with_buckets({"layers.0", "layers.3"});
    std::size_t renamed = 0;
    for (const CollectiveTiming& timing : from->simulation.collectives) {
        const std::vector<NodeId> found = between(*from, *to, {timing.start});
        ASSERT_EQ(found.size(), 1u);
        const std::vector<NodeId> members = MembersOfResult(*to).of(found.front());
        EXPECT_TRUE(std::ranges::count(members, MembersOfResult(*from).of(timing.start).front()));
        renamed += from->graph->name(timing.start) != to->graph->name(found.front());
    }
    EXPECT_GT(renamed, 0u);
}

}  // namespace
}  // namespace overlap
