// The analytic model against every estimate of the reference graphs.
#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "core/io/graph_file.h"
#include "tests/cost/reference_graphs.h"

namespace overlap::test {
namespace {

/// Their estimates are an artefact of the writer: the time of reading the input (docs/formats.md).
bool reads_a_size(std::string_view target) {
    return target.starts_with("aten.sym_size.") || target.starts_with("aten.sym_numel.");
}

TEST(AnalyticTimes, EveryEstimateFollowsFromTheRestOfTheFile) {
    const auto files = reference_graph_files();
    ASSERT_FALSE(files.empty());
    std::size_t compared = 0;
    for (const auto& file : files) {
        const auto graph = read_graph_file(file.string());
        const std::vector<double> times = analytic_times_ms(*graph);
        for (NodeId node = 0; node < graph->node_count(); ++node) {
            const double estimate = graph->metadata(node).estimate_ms.value_or(0);
            if (reads_a_size(graph->target(node))) {
                EXPECT_EQ(times[node], 0);
                continue;
            }
            ++compared;
            // Equal, not near: the model follows the writer's order of operations and its rounding.
            ASSERT_EQ(times[node], estimate) << file << " " << graph->name(node) << " " << graph->target(node);
        }
    }
    RecordProperty("nodes", static_cast<int>(compared));
    EXPECT_GT(compared, 1000u);
}

TEST(AnalyticTimes, OneNodeHasTheTimeThatAllNodesGiveIt) {
    const auto graph = read_graph_file(reference_graph_files().front().string());
    const std::vector<double> times = analytic_times_ms(*graph);
    for (NodeId node = 0; node < graph->node_count(); node += 7) EXPECT_EQ(analytic_time_ms(*graph, node), times[node]);
}

}  // namespace
}  // namespace overlap::test
