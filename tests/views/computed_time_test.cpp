// What the compute stream runs of a plan's result, sorted by nodes, modules and boxes of the input: all of it adds up.

#include "core/views/computed_time.h"

#include <gtest/gtest.h>

#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"
#include "core/views/box_figures.h"
#include "core/views/box_places.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

/// A result whose compute is looked at.
struct Planned {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const Evaluation> evaluation;
    ModuleTree tree;
    ComputedTime computed;
    ModuleSums sums;

    Planned(std::shared_ptr<const Graph> of, const Plan& plan)
        : graph(std::move(of)),
          evaluation(evaluate(graph, plan)),
          tree(*graph, preferred_module_source(*graph)),
          computed(computed_time(*evaluation, tree)),
          sums(module_computed_ms(computed, tree)) {}
};

Planned as_torchtitan(const std::string& name, const char* policy = nullptr) {
    const auto graph = test_graph(name);
    Plan plan = plan_of(pipeline_presets(*graph).front(), *graph, "plan");
    if (policy) {
        MemorySection section;
        section.policy = policy;
        plan = edits::with_memory(plan, section);
    }
    return Planned(graph, plan);
}

Planned with_fused_products() {
    Plan plan;
    plan.pipeline = {{"micro_pipeline_tp_pass", {}}};
    return Planned(test_graph("llama3_debugmodel_fsdp4_tp2.prebucket"), plan);
}

void expect_sums(const Planned& planned) {
    ASSERT_FALSE(planned.evaluation->refused);
    const double compute_ms = planned.evaluation->simulation.compute_ms;
    EXPECT_NEAR(planned.sums.modules_ms[ModuleTree::root] + planned.sums.without_module_ms, compute_ms, 1e-9);
    // What is drawn of a module is what the tree says of it.
    const BoxPlaces places = box_places(*planned.graph, planned.tree);
    const BoxTree boxes(*planned.graph, planned.tree, places);
    const std::vector<double> times_ms(planned.graph->node_count(), 1);
    const std::vector<BoxFigures> figures =
        box_figures(*planned.graph, boxes, places, times_ms, {}, planned.computed, planned.tree);
    int compared = 0;
    for (ModuleTree::ModuleId module = 1; module < planned.tree.module_count(); ++module) {
        const BoxId forward = boxes.box_of(module, Phase::forward), backward = boxes.box_of(module, Phase::backward);
        if (forward == no_box || backward == no_box) continue;
        ++compared;
        EXPECT_NEAR(figures[forward].compute_ms + figures[backward].compute_ms, planned.sums.modules_ms[module], 1e-9)
            << planned.tree.path(module);
    }
    EXPECT_GT(compared, 5);
}

TEST(ComputedTime, OfPlansWithBucketsAddsUp) {
    const Planned planned = as_torchtitan("llama3_debugmodel_fsdp8");
    expect_sums(planned);
    // Copies into buckets belong to modules, too.
    const ModuleTree::ModuleId layer[] = {planned.tree.find("layers.1")};
    EXPECT_GT(made_in(planned.computed, planned.tree, layer), 0);
}

TEST(ComputedTime, OfWhatIsDoneAgainIsWhereItIsDoneFirst) {
    const Planned some = as_torchtitan("llama3_debugmodel_fsdp8", "default");
    const Planned all = as_torchtitan("llama3_debugmodel_fsdp8", "full");
    expect_sums(some);
    expect_sums(all);
    const ModuleTree::ModuleId layer = some.tree.find("layers.1");
    EXPECT_GT(all.sums.modules_ms[layer], 1.05 * some.sums.modules_ms[layer]);
}

TEST(ComputedTime, OfHalvesOfTheBatchAddsUp) {
    const Planned planned = as_torchtitan("deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket");
    ASSERT_GT(planned.evaluation->graph->node_count(), planned.graph->node_count());
    expect_sums(planned);
}

TEST(ComputedTime, OfProductsThatAreFusedWithTheirCollectiveIsInTheirModules) {
    const Planned planned = with_fused_products();
    expect_sums(planned);
    double outside_ms = 0, inside_ms = 0;
    for (const ComputedTime::Made& made : planned.computed.made)
        (made.module == ModuleTree::no_module ? outside_ms : inside_ms) += made.ms;
    EXPECT_GT(inside_ms, 1);
    EXPECT_EQ(outside_ms, 0);
    const ModuleTree::ModuleId product[] = {planned.tree.find("layers.0.feed_forward")};
    EXPECT_GT(made_in(planned.computed, planned.tree, product), 0);
}

TEST(ComputedTime, OfAGraphAsItIsIsThatOfItsNodes) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto evaluation = evaluate_baseline(graph);
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    const ComputedTime computed = computed_time(*evaluation, tree);
    EXPECT_TRUE(computed.made.empty());
    for (NodeId node = 0; node < graph->node_count(); ++node)
        EXPECT_EQ(computed.nodes_ms[node], evaluation->simulation.on_compute(node) && !graph->target_info(node).is_wait
                                               ? evaluation->times_ms[node]
                                               : 0);
}

}  // namespace
}  // namespace overlap
