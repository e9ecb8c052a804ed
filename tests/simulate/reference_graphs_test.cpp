// Memory against the reference's estimator, and what must hold of any simulation, over the reference graphs.
#include "tests/cost/reference_graphs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/cost/cost_model.h"
#include "core/io/graph_file.h"
#include "core/memory/memory_profile.h"
#include "core/simulate/simulation.h"

namespace overlap::test {
namespace {

nlohmann::json reference_memory() {
    for (const char* path : {OVERLAP_SHARED_DATA "/goldens/memory.json", OVERLAP_TEST_DATA "/goldens/memory.json"}) {
        if (std::filesystem::exists(path)) return nlohmann::json::parse(std::ifstream(path)).at("graphs");
    }
    return {};
}

TEST(ReferenceGraphs, MemoryIsThatOfTheReferencesEstimator) {
    const nlohmann::json memory = reference_memory();
    ASSERT_FALSE(memory.empty());
    int compared = 0;
    for (const auto& file : reference_graph_files()) {
        std::string name = file.filename().string();
        name.resize(name.size() - std::string_view(".graph.json.gz").size());
        if (!memory.contains(name)) continue;
        ++compared;
        const nlohmann::json& expected = memory.at(name);
        const MemoryProfile profile = memory_profile(*read_graph_file(file.string()), StorageRule::reference);
        EXPECT_EQ(profile.peak_bytes, expected.at("peak_memory_bytes").get<std::int64_t>()) << name;
        if (expected.at("points").is_array()) {
            EXPECT_EQ(profile.points, expected.at("points").get<std::vector<std::int64_t>>()) << name;
        } else {
            EXPECT_EQ(profile.points.size(), expected.at("points").get<std::size_t>()) << name;
        }
        if (expected.contains("profile")) {
            EXPECT_EQ(profile.points, expected.at("profile").get<std::vector<std::int64_t>>()) << name;
        }
    }
    RecordProperty("graphs", compared);
    EXPECT_GT(compared, 0);
}

/// The figures of pass results are in the full set of goldens only.
TEST(ReferenceGraphs, MemoryOfPassResultsIsThatOfTheReferencesEstimator) {
    const std::string folder = OVERLAP_SHARED_DATA "/goldens/";
    if (!std::filesystem::exists(folder + "manifest.json")) return;
    int compared = 0;
    const nlohmann::json manifest = nlohmann::json::parse(std::ifstream(folder + "manifest.json"));
    for (const nlohmann::json& golden : manifest.at("goldens")) {
        if (!golden.contains("after") || !golden.contains("result_file")) continue;
        const std::string file = folder + golden.at("result_file").get<std::string>();
        ++compared;
        EXPECT_EQ(memory_profile(*read_graph_file(file), StorageRule::reference).peak_bytes,
                  golden.at("after").at("peak_memory_bytes").get<std::int64_t>())
            << file;
    }
    EXPECT_GT(compared, 0);
}

TEST(ReferenceGraphs, StreamsAddUp) {
    for (const auto& file : reference_graph_files()) {
        const auto graph = read_graph_file(file.string());
        const std::vector<double> times = node_times_ms(*graph);
        const Simulation simulation = simulate(*graph, times);
        double exposed_ms = 0;
        double latest_ms = 0;
        for (const NodeTiming& timing : simulation.nodes) latest_ms = std::max(latest_ms, timing.end_ms);
        std::vector<double> free_ms(simulation.groups.size());
        for (std::size_t index = 0; index < simulation.collectives.size(); ++index) {
            const CollectiveTiming& collective = simulation.collectives[index];
            exposed_ms += collective.exposed_ms;
            ASSERT_GE(collective.start_ms, free_ms[collective.group]) << file;
            ASSERT_GE(collective.start_ms, collective.ready_ms) << file;
            free_ms[collective.group] = collective.end_ms;
            ASSERT_EQ(collective.cause == ExposureCause::none, simulation.explain(*graph, index).empty()) << file;
            ASSERT_EQ(collective.cause == ExposureCause::none, collective.exposed_ms < 1e-6) << file;
            ASSERT_LE(collective.hidden_if_earlier_ms, collective.exposed_ms) << file;
        }
        EXPECT_EQ(simulation.step_ms, latest_ms) << file;
        EXPECT_DOUBLE_EQ(simulation.exposed_ms, exposed_ms) << file;
        // With no host time the compute stream is busy, waiting, or done.
        const double compute_end_ms = simulation.compute_ms + simulation.exposed_ms;
        EXPECT_GE(simulation.step_ms, compute_end_ms * (1 - 1e-12)) << file;
        const double last_collective_ms = free_ms.empty() ? 0 : *std::max_element(free_ms.begin(), free_ms.end());
        EXPECT_NEAR(simulation.step_ms, std::max(compute_end_ms, last_collective_ms), 1e-9 * simulation.step_ms)
            << file;
    }
}

}  // namespace
}  // namespace overlap::test
