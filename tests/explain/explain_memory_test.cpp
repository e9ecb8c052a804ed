#include "core/explain/explain_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/io/graph_file.h"
#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

/// A real joint graph as it is before the memory passes.
class ExplainMemoryTest : public testing::Test {
  protected:
    std::shared_ptr<const Evaluation> with(std::string policy, std::string_view rules = {}) const {
        MemorySection section;
        section.policy = std::move(policy);
        if (!rules.empty()) section.rules = read_memory_rules(rules);
        Plan plan = plan_of(pipeline_presets(*graph_).front(), *graph_, "Plan A");
        return evaluate(graph_, edits::with_memory(std::move(plan), std::move(section)));
    }
    /// The first forward node with this target whose module starts with `module`.
    std::string node(std::string_view target, std::string_view module) const {
        for (NodeId node = 0; node < graph_->node_count(); ++node) {
            if (graph_->op(node) == NodeOp::call_function && graph_->target(node) == target &&
                graph_->text(graph_->metadata(node).module_fqn).starts_with(module))
                return std::string(graph_->name(node));
        }
        ADD_FAILURE() << "no " << target << " in " << module;
        return "";
    }
    static bool says(const std::vector<std::string>& sentences, std::string_view words) {
        return std::ranges::any_of(
            sentences, [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
    }

    std::shared_ptr<const Graph> graph_ = test_graph("llama3_debugmodel_fsdp8");
};

TEST_F(ExplainMemoryTest, TellsThatAnOutputIsKeptAndForHowLong) {
    const std::string saved = node("aten.mm.default", "layers.1.feed_forward");
    const auto sentences = explain_memory(*with("default"), saved);
    EXPECT_TRUE(says(sentences, "MUST_SAVE, to be kept for the backward pass: by policy default"));
    EXPECT_TRUE(says(sentences, "(saved activations) are held from " + saved + " to "));
    EXPECT_FALSE(says(sentences, "again"));
}

TEST_F(ExplainMemoryTest, TellsWhatComputesItAgain) {
    const std::string again = node("aten.mm.default", "layers.1.feed_forward");
    const auto evaluation = with("full");
    ASSERT_NE(evaluation->graph->find(again + "_recomputed"), no_node);
    const auto sentences = explain_memory(*evaluation, again);
    EXPECT_TRUE(says(sentences, "MUST_RECOMPUTE"));
    EXPECT_TRUE(says(sentences, "The backward pass computes it again, as " + again + "_recomputed, in "));
}

TEST_F(ExplainMemoryTest, WhatIsComputedAgainSaysSo) {
    const std::string again = node("aten.mm.default", "layers.1.feed_forward");
    const auto sentences = explain_memory(*with("full"), again + "_recomputed");
    ASSERT_FALSE(sentences.empty());
    EXPECT_EQ(sentences.front(), "It is " + again + ", computed again for the backward pass");
    EXPECT_TRUE(says(sentences, " are held from " + again + "_recomputed to "));
    EXPECT_FALSE(says(sentences, "does not read it") || says(sentences, "is tagged"));
}

TEST_F(ExplainMemoryTest, NamesTheRuleThatCounts) {
    const auto sentences = explain_memory(*with("full", "save layers.1 | keep layers.1 | offload layers.0"),
                                          node("aten.mm.default", "layers.1.feed_forward"));
    EXPECT_TRUE(says(sentences,
                     "MUST_SAVE, to be kept for the backward pass: the last rule that names it is 1, save "
                     "layers.1"));
}

TEST_F(ExplainMemoryTest, TellsCopiesToTheHostAndBack) {
    const auto evaluation = with("sac_and_offload");
    NodeId offload = no_node;
    for (NodeId node = 0; node < evaluation->graph->node_count() && offload == no_node; ++node)
        if (evaluation->graph->target(node) == "ao.offload.default") offload = node;
    ASSERT_NE(offload, no_node);
    const std::string tensor(evaluation->graph->name(evaluation->graph->inputs(offload).front()));
    const auto sentences = explain_memory(*evaluation, tensor);
    EXPECT_TRUE(says(sentences, "MUST_CPU_OFFLOAD, to be kept on the host"));
    EXPECT_TRUE(says(sentences, std::string(evaluation->graph->name(offload)) + " copies it to the host"));
    EXPECT_TRUE(says(sentences, "brings it back"));
}

TEST_F(ExplainMemoryTest, TellsWhetherAParameterIsGatheredAgain) {
    const std::string gather = node("_c10d_functional.all_gather_into_tensor.default", "layers.1");
    const auto again = explain_memory(*with("full"), gather);
    EXPECT_TRUE(says(again, "The backward pass gathers it again, as " + gather + "_recomputed, merged into "));
    EXPECT_TRUE(says(explain_memory(*with("full", "keep *"), gather), "The backward pass does not gather it again"));
}

TEST_F(ExplainMemoryTest, EachTagSaysWhereItsTensorIsToBe) {
    const auto told = [](const std::string& tag) {
        const std::string tensor =
            R"("outputs": [{"dtype": "float32", "shape": [4], "stride": [1], "device": "cuda", "storage_bytes": 16, "storage": )";
        const auto graph = read_graph_text(
            R"({"format": "overlap-graph", "version": 1, "nodes": [
                {"name": "x", "op": "placeholder", "target": "x", )" +
                tensor + R"(0}]},
                {"name": "y", "op": "call_function", "target": "aten.exp.default", "args": [{"node": "x"}],
                 "titan_meta": {"recompute": "CheckpointPolicy.)" +
                tag + R"("}, )" + tensor + R"(1}]},
                {"name": "output", "op": "output", "target": "output", "args": [[{"node": "y"}]]}]})",
            "tagged");
        return explain_memory(*evaluate_baseline(graph), "y");
    };
    const std::string kept = "to be kept for the backward pass",
                      again = "to be computed again where the backward pass needs it", host = "to be kept on the host";
    for (const auto& [tag, meaning] : std::vector<std::pair<std::string, std::string>>{{"MUST_SAVE", kept},
                                                                                       {"PREFER_SAVE", kept},
                                                                                       {"MUST_RECOMPUTE", again},
                                                                                       {"PREFER_RECOMPUTE", again},
                                                                                       {"MUST_CPU_OFFLOAD", host},
                                                                                       {"PREFER_CPU_OFFLOAD", host}}) {
        // The graph came with its tags: no policy has decided.
        const auto sentences = told(tag);
        ASSERT_FALSE(sentences.empty());
        EXPECT_EQ(sentences.front(), "It is tagged " + tag + ", " + meaning);
    }
    EXPECT_FALSE(says(told("MAY_SAVE"), "tagged"));
}

TEST_F(ExplainMemoryTest, AViewLiesInTheMemoryOfAnother) {
    const auto sentences = explain_memory(*evaluate_baseline(graph_), node("aten.t.default", "layers.1"));
    EXPECT_TRUE(says(sentences, "It lies in the memory of "));
}

TEST_F(ExplainMemoryTest, WhatReturnsNoTensorHasNoMemory) {
    EXPECT_TRUE(explain_memory(*evaluate_baseline(graph_), "output").empty());
    EXPECT_TRUE(explain_memory(*evaluate_baseline(graph_), "no such node").empty());
}

}  // namespace
}  // namespace overlap
