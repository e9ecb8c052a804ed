#include "core/views/several_modules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/cost/cost_model.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

using Names = std::vector<std::string>;

class SeveralModulesTest : public testing::Test {
  protected:
    std::vector<ModuleTree::ModuleId> found(const Names& paths) const {
        std::vector<ModuleTree::ModuleId> modules;
        for (const std::string& path : paths) modules.push_back(tree_.find(path));
        return modules;
    }

    std::shared_ptr<const Graph> graph_ = test_graph("llama3_8b_fsdp64.prebucket");
    ModuleTree tree_{*graph_, preferred_module_source(*graph_)};
    std::vector<double> times_ms_ = node_times_ms(*graph_);
    ModuleFiguresTable table_ = module_figures(*graph_, tree_, times_ms_);
};

TEST_F(SeveralModulesTest, FiguresAddUp) {
    const auto modules = found({"layers.3", "norm", "layers.4"});
    const std::vector<NodeId> nodes = nodes_together(*graph_, tree_, modules);
    EXPECT_TRUE(std::ranges::is_sorted(nodes));
    const ModuleFigures sum = figures_together(*graph_, table_, modules, nodes, times_ms_);
    ModuleFigures expected;
    for (const ModuleTree::ModuleId module : modules) {
        const ModuleFigures& one = table_.modules[module];
        expected.nodes += one.nodes;
        expected.forward_ms += one.forward_ms;
        expected.backward_ms += one.backward_ms;
        expected.communication_ms += one.communication_ms;
        expected.gather_bytes += one.gather_bytes;
        expected.scatter_bytes += one.scatter_bytes;
        expected.collectives += one.collectives;
        expected.parameters += one.parameters;
        expected.parameter_bytes += one.parameter_bytes;
    }
    EXPECT_EQ(sum.nodes, expected.nodes);
    EXPECT_NEAR(sum.forward_ms, expected.forward_ms, 1e-9);
    EXPECT_NEAR(sum.backward_ms, expected.backward_ms, 1e-9);
    EXPECT_NEAR(sum.communication_ms, expected.communication_ms, 1e-9);
    EXPECT_EQ(sum.gather_bytes, expected.gather_bytes);
    EXPECT_EQ(sum.scatter_bytes, expected.scatter_bytes);
    EXPECT_EQ(sum.collectives, expected.collectives);
    EXPECT_GT(sum.collectives, table_.modules[modules.front()].collectives);
    EXPECT_EQ(sum.parameters, expected.parameters);
    EXPECT_EQ(sum.parameter_bytes, expected.parameter_bytes);
    EXPECT_NEAR(sum_of_nodes(nodes, times_ms_), expected.forward_ms + expected.backward_ms + expected.communication_ms,
                1e-9);
}

TEST_F(SeveralModulesTest, NodesCountOnce) {
    const auto twice = found({"layers.3", "layers.3.attention"});
    EXPECT_EQ(nodes_together(*graph_, tree_, twice), tree_.module(twice.front()).nodes);
    const std::vector<ModuleTree::ModuleId> all = {twice.front(), ModuleTree::root};
    EXPECT_EQ(nodes_together(*graph_, tree_, all).size(), graph_->node_count() - tree_.nodes_without_module().size());
}

}  // namespace
}  // namespace overlap
