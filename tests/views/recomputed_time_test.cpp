#include "core/views/recomputed_time.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/graph/direction.h"
#include "core/graph/module_tree.h"
#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"
#include "core/views/module_sums.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

std::shared_ptr<const Evaluation> evaluated_with(const std::shared_ptr<const Graph>& graph, const char* policy) {
    MemorySection section;
    section.policy = policy;
    const Plan plan = plan_of(pipeline_presets(*graph).front(), *graph, policy);
    return evaluate(graph, edits::with_memory(plan, section));
}

TEST(RecomputedTime, OfNodesAndModulesIsThatOfWhatThePlanAdds) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    const auto evaluation = evaluated_with(graph, "full");
    ASSERT_FALSE(evaluation->refused);
    double added_ms = 0;
    for (NodeId node = 0; node < evaluation->graph->node_count(); ++node) {
        const bool computes = evaluation->graph->target_info(node).starts == CollectiveKind::none;
        if (computes && is_recomputed(*evaluation->graph, node)) added_ms += evaluation->times_ms[node];
    }
    ASSERT_GT(added_ms, 0);
    const std::vector<double> again = recomputed_ms_of_input(*evaluation);
    ASSERT_EQ(again.size(), graph->node_count());
    EXPECT_NEAR(std::accumulate(again.begin(), again.end(), 0.0), added_ms, 1e-9);
    // What is computed again takes as long as the first time.
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        if (again[node] == 0) continue;
        const NodeId first = evaluation->graph->find(graph->name(node));
        ASSERT_NE(first, no_node) << graph->name(node);
        EXPECT_DOUBLE_EQ(again[node], evaluation->times_ms[first]) << graph->name(node);
    }
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    const ModuleSums sums = module_sums(tree, again);
    EXPECT_GT(sums.modules_ms[tree.find("layers.0")], 0);
    EXPECT_NEAR(sums.modules_ms[ModuleTree::root] + sums.without_module_ms, added_ms, 1e-9);
    for (ModuleTree::ModuleId module = 0; module < tree.module_count(); ++module)
        EXPECT_EQ(sum_of_module(tree, module, again), sums.modules_ms[module]);
}

TEST(RecomputedTime, IsNoneWherePlansAddNone) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    EXPECT_TRUE(recomputed_ms_of_input(*evaluate_baseline(graph)).empty());
    EXPECT_TRUE(recomputed_ms_of_input(*evaluated_with(graph, "save_all")).empty());
    // What a graph comes with is no work of the plan's.
    const auto traced_after = test_graph("llama3_debugmodel_fsdp8.prebucket");
    EXPECT_TRUE(recomputed_ms_of_input(*evaluate_baseline(traced_after)).empty());
}

}  // namespace
}  // namespace overlap
