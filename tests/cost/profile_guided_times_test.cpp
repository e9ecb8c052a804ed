// Times from profiles against torch's own estimator: tests/conformance/make_profile_cases.py made the goldens.

#include "core/cost/profile_guided_times.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/files/json_bytes.h"
#include "core/io/graph_file.h"
#include "core/io/profile_file.h"

namespace overlap {
namespace {

using Json = nlohmann::json;

const std::string goldens = OVERLAP_TEST_DATA "/profile_goldens/";

Json read_cases() {
    return Json::parse(read_json_file(goldens + "cases.json.gz")->view()).at("cases");
}

std::optional<double> number_or_nothing(const Json& json) {
    return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

/// Checks what the tables say to the questions of a case. @return number of questions.
std::size_t check_tables(const Json& golden, const ProfileTables& tables) {
    EXPECT_EQ(tables.operator_count(), golden.at("known_operators").get<std::size_t>());
    for (const Json& question : golden.at("collectives")) {
        const auto ranks = question.at("ranks").get<std::vector<std::int64_t>>();
        const auto time = tables.collective(question.at("name").get<std::string>(), ranks, question.at("elements"),
                                            question.at("dtype"));
        const Json& answer = question.at("answer");
        EXPECT_EQ(time.has_value(), !answer.is_null()) << question;
        if (!time || answer.is_null()) continue;
        EXPECT_EQ(time->time_ms, answer[0].get<double>()) << question;
        EXPECT_EQ(time->source == ProfileTables::Source::bandwidth, answer[1] == "pg_bandwidth") << question;
    }
    for (const Json& question : golden.at("operators")) {
        const Json& dtype = question.at("dtype");
        EXPECT_EQ(
            tables.operator_ms(question.at("name"), question.at("shapes").get<TensorSizes>(),
                               question.at("strides").get<TensorSizes>(),
                               dtype.is_null() ? std::nullopt : dtype_by_name(dtype.get_ref<const std::string&>())),
            number_or_nothing(question.at("answer")))
            << question;
    }
    return golden.at("collectives").size() + golden.at("operators").size();
}

TEST(ProfileGuidedTimes, EqualTorchOnRandomProfilesOfRealGraphs) {
    std::size_t nodes = 0, questions = 0;
    for (const Json& golden : read_cases()) {
        if (!golden.contains("graph")) continue;
        SCOPED_TRACE(golden.at("profile"));
        const ProfileTables tables(read_profile_file(goldens + golden.at("profile").get<std::string>()));
        questions += check_tables(golden, tables);
        const auto graph =
            read_graph_file(OVERLAP_TEST_DATA "/graphs/" + golden.at("graph").get<std::string>() + ".graph.json.gz");
        const ProfileGuidedEstimator estimator(*graph, tables);
        const Json& known = golden.at("nodes");
        for (NodeId node = 0; node < graph->node_count(); ++node) {
            const auto found = known.find(std::string(graph->name(node)));
            const std::optional<double> expected =
                found == known.end() ? std::nullopt : std::optional(found->get<double>());
            EXPECT_EQ(estimator.time_ms(node), expected) << graph->name(node) << " " << graph->target(node);
            ++nodes;
        }
        for (const Json& size : golden.at("sizes")) {
            const NodeId node = graph->find(size.at("node").get<std::string>());
            EXPECT_EQ(estimator.time_ms(node, size.at("bytes").get<std::int64_t>()),
                      number_or_nothing(size.at("answer")))
                << size;
            ++questions;
        }
    }
    RecordProperty("nodes", static_cast<int>(nodes));
    RecordProperty("questions", static_cast<int>(questions));
    EXPECT_GT(nodes, 20'000u);
    EXPECT_GT(questions, 2'000u);
}

TEST(ProfileGuidedTimes, EqualTorchOnTracesOfRealJobs) {
    std::size_t questions = 0;
    for (const Json& golden : read_cases()) {
        if (!golden.contains("trace")) continue;
        // The repository has some of the shared traces itself.
        const auto name = golden.at("trace").get<std::string>();
        const std::string shared = OVERLAP_SHARED_DATA "/traces/" + name, own = OVERLAP_TEST_DATA "/traces/" + name;
        const std::string& file = std::filesystem::exists(shared) ? shared : own;
        if (!std::filesystem::exists(OVERLAP_SHARED_DATA "/traces") && !std::filesystem::exists(own)) continue;
        SCOPED_TRACE(file);
        questions += check_tables(golden, ProfileTables(read_profile_file(file)));
    }
    EXPECT_GT(questions, std::filesystem::exists(OVERLAP_SHARED_DATA "/traces") ? 50u : 0u);
}

TEST(ProfileGuidedTimes, NodesThatTheProfileDoesNotKnowKeepTheirTimes) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const ProfileTables tables(read_profile_text(
        R"({"traceEvents": [{"ph": "X", "cat": "kernel", "dur": 40, "args": {"Collective name": "_allgather_base",
            "Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7]", "Out msg nelems": 524288, "dtype": "BFloat16"}}]})",
        "one.json"));
    const std::vector<double> otherwise_ms(graph->node_count(), 7.0);
    const ProfileGuidedTimes times = profile_guided_times(*graph, tables, otherwise_ms);
    const NodeId gather = graph->find("all_gather_into_tensor");
    EXPECT_EQ(times.times_ms[gather], 0.04);
    EXPECT_TRUE(times.from_profile[gather]);
    EXPECT_GT(times.collectives, 10u);
    EXPECT_EQ(times.operators, 0u);
    const NodeId scatter = graph->find("reduce_scatter_tensor");
    ASSERT_NE(scatter, no_node);
    EXPECT_EQ(times.times_ms[scatter], 7.0);
    EXPECT_FALSE(times.from_profile[scatter]);

    const std::shared_ptr<const Graph> timed = with_times(graph, times.times_ms);
    EXPECT_EQ(timed->metadata(gather).estimate_ms, 0.04);
    EXPECT_EQ(timed->node_count(), graph->node_count());
}

TEST(ProfileGuidedTimes, OfSeveralRanksTheOneThatWaitedForNobodyCounts) {
    ProfileRecords early, late;
    early.collectives.push_back({"allreduce", {0, 1}, 2, 100, "Float", 90, "0", 5});
    late.collectives.push_back({"allreduce", {0, 1}, 2, 100, "Float", 40, "0", 5});
    late.collectives.push_back({"allreduce", {0, 1}, 2, 100, "Float", 60, "0", std::nullopt});
    const ProfileRecords all = combine_profiles({early, late});
    ASSERT_EQ(all.collectives.size(), 2u);
    EXPECT_EQ(all.collectives[0].time_us, 40);
    EXPECT_EQ(all.collectives[1].time_us, 60);
}

TEST(ProfileFile, SaysWhereAProfileIsWrong) {
    const auto message = [](std::string_view text) -> std::string {
        try {
            read_profile_text(text, "bad.json");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(message("[]"), "bad.json: found a list, expected an object with traceEvents");
    EXPECT_NE(message(R"({"traceEvents": [{"cat": "kernel", "dur": "long", "args": {}}]})").find("traceEvents[0]"),
              std::string::npos);
    EXPECT_NE(message(R"({"distributedInfo": {"pg_config": [{"pg_name": "0", "ranks": "[0, 1]"}]},
                          "traceEvents": [{"cat": "kernel", "dur": 1, "args": {"Collective name": "allreduce",
                                           "Process Group Name": "0", "Process Group Ranks": "[0, ...]"}}]})")
                  .find("PyTorch raises"),
              std::string::npos);
}

}  // namespace
}  // namespace overlap
