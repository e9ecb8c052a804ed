// Stages given as graphs: what is evaluated, and how often.

#include "core/job/stages/graph_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "core/base/error.h"
#include "core/job/document/files_of_job.h"
#include "core/job/document/job_file.h"
#include "core/job/run_job.h"
#include "tests/cost/graph_sketch.h"

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

TEST(GraphStages, WhatAGraphsFiguresLeaveOutIsNotedWhateverItIs) {
    const auto notes = [](bool on_cpu, bool known) {
        test::GraphSketch sketch;
        const TensorMeta tensor = sketch.bytes(1 << 20, {}, on_cpu ? "cpu" : "cuda");
        const NodeId x = sketch.input("x", tensor);
        const std::vector<TensorMeta> made = known ? std::vector{tensor} : std::vector<TensorMeta>{};
        const NodeId mm = sketch.call("mm", "aten.mm.default", test::GraphSketch::values({x, x}), made, 1);
        const auto graph = std::make_shared<const Graph>(sketch.finish({mm}));
        GraphStages stages("", [&](const std::string&) { return graph; });
        StageSpec stage;
        stage.kind = StageKind::graph;
        stage.graph = "x.graph.json";
        return stages.times(stage).notes;
    };
    const auto tells = [](const std::vector<StageNote>& all, std::string_view part) {
        return std::ranges::count_if(all,
                                     [&](const StageNote& note) { return note.text.find(part) != std::string::npos; });
    };
    constexpr std::string_view unknown = "what a product or collective works on", cpu = "tensors are on the CPU";
    EXPECT_EQ(tells(notes(false, true), unknown) + tells(notes(false, true), cpu), 0);
    EXPECT_EQ(tells(notes(false, false), unknown), 1);
    EXPECT_EQ(tells(notes(true, true), cpu), 1);
}

TEST(GraphStages, AWholeGraphTellsWhatItsForwardLeaves) {
    GraphStages stages("");
    StageSpec whole;
    whole.kind = StageKind::graph;
    whole.graph = OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz";
    const std::shared_ptr<const Graph> graph = read_stage_graph(whole.graph);
    const std::shared_ptr<const Evaluation> evaluation = evaluate_baseline(graph);
    const std::optional<std::int64_t> held = stages.times(whole).held_bytes;
    ASSERT_TRUE(held);
    EXPECT_GT(*held, 0);
    const MemoryProfile& memory = evaluation->corrected_memory;
    EXPECT_LE(*held, memory.peak_bytes - memory.points.front());
    // Activations are most of what is there when the backward begins.
    EXPECT_GT(*held, (memory.peak_bytes - memory.points.front()) / 4);
    StageSpec parts;
    parts.kind = StageKind::graph;
    parts.forward = OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64_aot_fw.graph.json.gz";
    parts.backward = OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64_aot_bw.graph.json.gz";
    EXPECT_FALSE(stages.times(parts).held_bytes);
}

TEST(GraphStages, FurtherActionsHaveGraphsOfTheirOwn) {
    const std::string forward = OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64_aot_fw.graph.json.gz";
    const std::string backward = OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64_aot_bw.graph.json.gz";
    const std::string document = R"({"format": "overlap-job", "version": 1, "stages": [{"forward": ")" + forward +
                                 R"(", "backward": ")" + backward + R"(", "action_graphs": {"UNSHARD": ")" + forward +
                                 R"(", "I": ")" + backward + R"(", "W": ")" + forward +
                                 R"("}}], "schedule": {"actions": [["0UNSHARD", "0F0", "0I0", "0W0", "0RESHARD"]],
                                 "microbatches": 1}})";
    const JobDocument job = read_job_text(document, "x.job.json");
    EXPECT_EQ(write_job_text(read_job_text(write_job_text(job), "again")), write_job_text(job));
    EXPECT_EQ(files_of_job(job, ""), (std::vector<std::string>{forward, backward, forward, backward, forward}));
    GraphStages stages("");
    PipelineOptions options;
    options.evaluator = stages.evaluator();
    const auto whole = [](const ActionPiece& piece) { return piece.compute_ms + piece.fixed_ms; };
    const GraphStageTimes times = stages.times(job.stages[0]);
    const JobResult result = run_job(job, options);
    ASSERT_TRUE(result.step_ms);
    EXPECT_DOUBLE_EQ(*result.step_ms, 3 * whole(times.forward) + whole(times.backward));
    EXPECT_EQ(stages.evaluations(), 2u);
    for (const auto& [from, to, place] : {std::tuple("\"UNSHARD\"", "\"SHARD\"", "stages[0].action_graphs"),
                                          std::tuple("\"UNSHARD\"", "\"B\"", "stages[0].action_graphs.B"),
                                          std::tuple("\"forward\"", "\"graph\"", "stages[0]")}) {
        std::string wrong = document;
        wrong.replace(wrong.find(from), std::string(from).size(), to);
        try {
            run_job(read_job_text(wrong, "x.job.json"), options);
            ADD_FAILURE() << to;
        } catch (const InputError& error) {
            EXPECT_EQ(error.place(), place) << error.problem();
        }
    }
}

TEST(GraphStages, WhatAGraphExposesIsApartFromItsCompute) {
    const std::string file = OVERLAP_TEST_DATA "/graphs/everything.graph.json";
    const std::shared_ptr<const Evaluation> alone = evaluate_baseline(read_stage_graph(file), {});
    const double step_ms = alone->simulation.step_ms;
    const double exposed_ms = alone->simulation.exposed_ms + alone->simulation.transfer_exposed_ms;
    ASSERT_GT(exposed_ms, 0);
    GraphStages stages("");
    StageSpec stage;
    stage.kind = StageKind::graph;
    stage.forward = stage.backward = file;
    const GraphStageTimes of_two = stages.times(stage);
    for (const ActionPiece& piece : {of_two.forward, of_two.backward}) {
        EXPECT_EQ(piece.compute_ms + piece.fixed_ms, step_ms);
        EXPECT_NEAR(piece.fixed_ms, exposed_ms, 1e-9 * step_ms);
    }
    stage.forward.clear(), stage.backward.clear();
    stage.graph = file;
    const GraphStageTimes of_one = stages.times(stage);
    EXPECT_EQ(
        of_one.forward.compute_ms + of_one.forward.fixed_ms + of_one.backward.compute_ms + of_one.backward.fixed_ms,
        step_ms);
    EXPECT_NEAR(of_one.forward.fixed_ms + of_one.backward.fixed_ms, exposed_ms, 1e-9 * step_ms);
}

TEST(GraphStages, OfAStageThatWasStoppedNothingIsRemembered) {
    GraphStages stages("");
    StageSpec stage;
    stage.kind = StageKind::graph;
    stage.graph = OVERLAP_TEST_DATA "/graphs/everything.graph.json";
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(stages.evaluator(stop.get_token())(stage, 0), InputError);
    EXPECT_EQ(stages.evaluations(), 0u);
    EXPECT_NO_THROW(stages.evaluator()(stage, 0));
    EXPECT_EQ(stages.evaluations(), 1u);
}

}  // namespace
}  // namespace overlap::job
