#include <gtest/gtest.h>

#include <algorithm>

#include "core/exports/export_format.h"
#include "core/io/graph_file.h"

namespace overlap {
namespace {

ExportOutput exported(const Plan& plan, const std::shared_ptr<const Graph>& graph) {
    const ExportInput input{plan, evaluate(graph, plan), evaluate_baseline(graph), "test", ""};
    return write_export(require_export_format("fsdp2"), input);
}

std::shared_ptr<const Graph> small_graph() {
    return read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
}

/// Whether a note holds `words`.
bool told(const ExportOutput& output, std::string_view words) {
    return std::ranges::any_of(output.notes,
                               [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

TEST(Fsdp2Prefetch, WithoutReorderingNothingIsPrefetched) {
    const auto graph = small_graph();
    Plan plan = make_plan(*graph, "as it is");
    plan.pipeline.clear();
    plan.buckets = parse_bucket_entries("layers.[0-5]");
    const ExportOutput output = exported(plan, graph);
    EXPECT_NE(output.bytes.find("FORWARD_PREFETCH = {}"), std::string::npos) << output.bytes;
    EXPECT_TRUE(told(output, "gathers of parameters are in no bucket"));
}

TEST(Fsdp2Prefetch, TheOrderOfThePassIsRead) {
    const auto graph = small_graph();
    Plan plan = make_plan(*graph, "blocks");
    plan.buckets = parse_bucket_entries("tok_embeddings, layers.[0-5], norm+lm_head");
    const ExportOutput output = exported(plan, graph);
    EXPECT_NE(output.bytes.find("FORWARD_PREFETCH = {\n    0: [1],\n    1: [2],"), std::string::npos) << output.bytes;
    EXPECT_TRUE(told(output, "1 bucket of several modules, norm + lm_head"));
    EXPECT_FALSE(told(output, "in no bucket"));
    plan.buckets = parse_bucket_entries("tok_embeddings, layers.[0-5], norm");
    EXPECT_TRUE(told(exported(plan, graph), "1 gather of parameters is in no bucket of the plan; FSDP2 gathers it "));
}

}  // namespace
}  // namespace overlap
