#include "core/views/module_figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/cost/cost_model.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

struct Loaded {
    explicit Loaded(const std::string& name)
        : graph(test_graph(name)),
          tree(*graph, preferred_module_source(*graph)),
          times_ms(node_times_ms(*graph)),
          figures(module_figures(*graph, tree, times_ms)) {}

    const ModuleFigures& at(std::string_view path) const { return figures.modules[tree.find(path)]; }

    std::shared_ptr<const Graph> graph;
    ModuleTree tree;
    std::vector<double> times_ms;
    ModuleFiguresTable figures;
};

TEST(ModuleFigures, AddUpToTheGraph) {
    for (const char* name : {"llama3_8b_fsdp64.prebucket", "llama3_8b_fsdp64_aot_fw"}) {
        const Loaded loaded(name);
        double all_ms = 0;
        for (const double time_ms : loaded.times_ms) all_ms += time_ms;
        const ModuleFigures& root = loaded.figures.modules[ModuleTree::root];
        const ModuleFigures& rest = loaded.figures.without_module;
        EXPECT_NEAR(root.compute_ms() + root.communication_ms + rest.compute_ms() + rest.communication_ms, all_ms,
                    1e-6);
        EXPECT_EQ(root.nodes + rest.nodes, loaded.graph->node_count());
    }
}

TEST(ModuleFigures, TellDirectionsApart) {
    const Loaded joint("llama3_8b_fsdp64.prebucket");
    EXPECT_GT(joint.at("layers.0").forward_ms, 0);
    EXPECT_GT(joint.at("layers.0").backward_ms, joint.at("layers.0").forward_ms);
    const Loaded forward("llama3_8b_fsdp64_aot_fw");
    EXPECT_EQ(forward.at("layers.0").backward_ms, 0);
    EXPECT_NEAR(joint.at("layers.0").compute_ms(), joint.at("layers.1").compute_ms(), 0.5);
}

TEST(ModuleFigures, CountParametersOnce) {
    const Loaded joint("llama3_8b_fsdp64.prebucket");
    const ModuleFigures& layer = joint.at("layers.0");
    // Of 218,112,000 parameters in a block of llama3-8B each rank of 64 holds a 64th, in float32.
    EXPECT_EQ(layer.parameter_bytes, 218'112'000LL / 64 * 4);
    EXPECT_EQ(joint.at("layers.0.feed_forward").parameters, 3u);
    const Loaded forward("llama3_8b_fsdp64_aot_fw");
    EXPECT_EQ(forward.at("layers.0").parameter_bytes, layer.parameter_bytes);
}

}  // namespace
}  // namespace overlap
