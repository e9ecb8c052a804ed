// What is told of a plan's entries and of the steps that they are given to.

#include "core/pipeline/step_problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/plan/presets.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

class StepProblems : public testing::Test {
  protected:
    const std::shared_ptr<const Graph> graph_ = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan_ = make_plan(*graph_, "Plan A");
};

/// Why it made none, where the pass itself says nothing; what it made is told by its report.
TEST_F(StepProblems, APassThatMadeNoGroupSaysWhyOnce) {
    const std::string pass = "isolate_ep_process_group_pass";
    plan_.pipeline = {{pass}};
    const auto resolved = resolve(graph_, plan_);
    const auto told = [&](const std::string& of, bool has_group, bool says_so) {
        PassReport report;
        report.pass = of;
        if (has_group) report.groups.emplace_back();
        if (says_so) report.problems.emplace_back();
        add_step_problems(*resolved, resolved->steps.at(0), graph_, report);
        return report.problems.size() - (says_so ? 1 : 0);
    };
    EXPECT_EQ(told(pass, false, false), 1u);
    EXPECT_EQ(told("reassign_collective_pgs_pass", false, false), 1u);
    EXPECT_EQ(told(pass, true, false), 0u);
    EXPECT_EQ(told(pass, false, true), 0u);
    EXPECT_EQ(told(pass, true, true), 0u);
    EXPECT_EQ(told("eliminate_dead_code_pass", false, false), 0u);
}

TEST_F(StepProblems, EachEntryHasItsOwn) {
    plan_.buckets = {{{"layers.99"}}, {{"layers.1"}}, {{"layers.99"}}};
    const auto evaluation = evaluate(graph_, plan_);
    std::vector<int> entries;
    for (const Problem& problem : evaluation->reports.at(0).problems)
        if (problem.kind == ProblemKind::unknown_module) entries.push_back(problem.plan_entry);
    EXPECT_EQ(entries, (std::vector<int>{0, 2}));
}

TEST_F(StepProblems, AModuleIsOfTheFirstEntryThatNamesIt) {
    plan_.buckets = {{{"layers.0"}}, {{"layers.0.attention", "layers.1"}}};
    const auto resolved = resolve(graph_, plan_);
    const auto entries_of = [&](const char* module) {
        std::vector<std::int32_t> entries;
        for (const NodeId node : resolved->modules->nodes(module)) entries.push_back(resolved->entry_of_node[node]);
        std::ranges::sort(entries);
        entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
        return entries;
    };
    EXPECT_EQ(entries_of("layers.0.attention"), std::vector<std::int32_t>{0});
    EXPECT_EQ(entries_of("layers.1"), std::vector<std::int32_t>{1});
    EXPECT_EQ(entries_of("layers.2"), std::vector<std::int32_t>{-1});
}

/// One plan after the other is resolved for a graph; what is kept for that goes when the graph has gone.
TEST_F(StepProblems, ModulesAreKeptAsLongAsTheirGraph) {
    const auto other = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    std::weak_ptr<const ModuleTree> modules;
    {
        const auto copy = std::make_shared<const Graph>(*graph_);
        modules = resolve(copy, plan_)->modules;
        EXPECT_EQ(resolve(copy, plan_)->modules, modules.lock());
        EXPECT_FALSE(modules.expired());
    }
    resolve(std::make_shared<const Graph>(*other), make_plan(*other, "Plan B"));
    EXPECT_TRUE(modules.expired());
}

}  // namespace
}  // namespace overlap
