// Stages given as graphs: what is evaluated, and how often.

#include "core/job/stages/graph_stages.h"

#include <filesystem>
#include <fstream>

namespace overlap::job {
namespace {

TEST(GraphStages, AStageIsEvaluatedAgainWhereItsPlanChangesAndNoOther) {
    const std::string graph = OVERLAP_TEST_DATA "/graphs/everything.graph.json";
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "overlap_graph_stages_test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "x.plan.json") << R"({"format": "overlap-plan", "version": 1, "name": "x", "pipeline": []})";
    GraphStages stages(folder.string());
    StageSpec stage;
    stage.kind = StageKind::graph;
    stage.graph = graph;
    const GraphStageTimes first = stages.times(stage), again = stages.times(stage);
    EXPECT_EQ(stages.evaluations(), 1u);
    EXPECT_EQ(first.forward.compute_ms, again.forward.compute_ms);
    StageSpec planned = stage;
    planned.plan = "x.plan.json";
    const GraphStageTimes with_plan = stages.times(planned);
    EXPECT_EQ(stages.evaluations(), 2u);
    EXPECT_EQ(with_plan.backward.compute_ms, first.backward.compute_ms);
    stages.times(stage);
    EXPECT_EQ(stages.evaluations(), 2u);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace overlap::job
