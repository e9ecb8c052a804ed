#include "core/predict/flex_attention.h"

#include <gtest/gtest.h>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/with_cost_model.h"
#include "core/io/graph_file.h"
#include "core/predict/compiled_times.h"

namespace overlap {
namespace {

std::shared_ptr<const Graph> graph(const std::string& name) {
    return read_graph_file(OVERLAP_TEST_DATA "/graphs/" + name + ".graph.json.gz");
}

TEST(FlexAttention, ItsLengthIsThatOfItsKeys) {
    EXPECT_EQ(flex_attention_length(*graph("llama3_8b_fsdp64.prebucket")), 8192);
    EXPECT_FALSE(flex_attention_length(*read_graph_file(OVERLAP_TEST_DATA "/graphs/everything.graph.json")));
}

TEST(FlexAttention, DocumentsLeaveTheirPartOfTheCausalHalf) {
    EXPECT_EQ(causal_density(8192, 8192), 0.5);
    EXPECT_EQ(causal_density(2048, 8192), 0.125);
    EXPECT_EQ(causal_density(16384, 8192), 0.5);  // no document is longer than its sequence
}

TEST(FlexAttention, TakesTimeByTheScoresThatAreLeft) {
    const auto modelled = with_cost_model(graph("llama3_8b_fsdp64.prebucket"), *built_in_cost_model("h100-sxm")).graph;
    const auto times = [&](double density) {
        return compiled_times(*modelled, {.scope = CompiledScope::blocks, .attention_density = density}).times_ms;
    };
    const std::vector<double> half = times(0.5), eighth = times(causal_density(2048, 8192));
    const double overhead_ms = modelled->header().cost->classes.at("attention").overhead_ms;
    std::size_t attentions = 0;
    for (NodeId node = 0; node < modelled->node_count(); ++node) {
        if (!is_flex_attention(*modelled, node)) {
            EXPECT_EQ(half[node], eighth[node]);
            continue;
        }
        ++attentions;
        EXPECT_NEAR(half[node] - overhead_ms, 4 * (eighth[node] - overhead_ms), 1e-4);
    }
    EXPECT_EQ(attentions, 64u);
}

}  // namespace
}  // namespace overlap
