// Figures of real traces against those of HolisticTraceAnalysis.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/io/trace_file.h"
#include "core/trace/measured_timeline.h"
#include "core/trace/trace_statistics.h"

namespace overlap {
namespace {

struct Golden {
    std::string trace;
    nlohmann::json figures;
};

/// What the tool says of the traces in tests/data and, where it is there, in the shared folder.
std::vector<Golden> goldens() {
    std::vector<Golden> found;
    const std::pair<std::string, std::string> places[] = {
        {OVERLAP_TEST_DATA "/traces/holistic_trace_analysis.json", OVERLAP_TEST_DATA "/traces/"},
        {OVERLAP_SHARED_DATA "/goldens/traces.json", OVERLAP_SHARED_DATA "/traces/"}};
    for (const auto& [file, folder] : places) {
        std::ifstream stream(file);
        if (!stream) continue;
        const nlohmann::json document = nlohmann::json::parse(stream);
        for (const auto& [name, figures] : document.at("traces").items()) found.push_back({folder + name, figures});
    }
    return found;
}

double hundredths(double number) {
    return std::round(100 * number) / 100;
}

class TraceGoldens : public testing::TestWithParam<Golden> {};

TEST_P(TraceGoldens, AreReproducedEntryByEntry) {
    const auto trace = read_trace_file(GetParam().trace);
    const auto times = holistic_times(*trace);
    ASSERT_TRUE(times);
    ASSERT_EQ(GetParam().figures.at("temporal").size(), 1u);
    std::map<std::string, double> expected = GetParam().figures["temporal"][0];
    expected.erase("rank");  // the tool numbers the traces that it is given
    const auto kernel_us = static_cast<double>(times->kernel_us);
    const std::map<std::string, double> actual = {
        {"idle_time(us)", static_cast<double>(times->idle_us)},
        {"compute_time(us)", static_cast<double>(times->compute_us)},
        {"non_compute_time(us)", static_cast<double>(times->non_compute_us)},
        {"kernel_time(us)", kernel_us},
        {"idle_time_pctg", hundredths(100 * static_cast<double>(times->idle_us) / kernel_us)},
        {"compute_time_pctg", hundredths(100 * static_cast<double>(times->compute_us) / kernel_us)},
        {"non_compute_time_pctg", hundredths(100 * static_cast<double>(times->non_compute_us) / kernel_us)}};
    EXPECT_EQ(actual, expected);

    const nlohmann::json& overlap = GetParam().figures.at("overlap").at(0).at("comp_comm_overlap_pctg");
    ASSERT_EQ(times->overlap_percent.has_value(), !overlap.is_null());
    if (times->overlap_percent) {
        EXPECT_EQ(hundredths(*times->overlap_percent), overlap.get<double>());
    }
    EXPECT_TRUE(times->missed_collectives.empty()) << "its name filter knows all communication of these traces";
}

TEST_P(TraceGoldens, OurTimesDifferByTheRoundingOfEventsAlone) {
    const auto trace = read_trace_file(GetParam().trace);
    const std::vector<DeviceTimes> devices = device_times(*trace);
    ASSERT_EQ(devices.size(), 1u);
    const GpuTimes& total = devices[0].total;
    const nlohmann::json& expected = GetParam().figures["temporal"][0];
    const bool is_whole = std::all_of(trace->events().start_ns.begin(), trace->events().start_ns.end(),
                                      [](std::int64_t start_ns) { return start_ns % 1000 == 0; });
    // Either end of an event is moved by less than a microsecond, and by a quarter more in a double.
    const double tolerance_us = is_whole ? 0 : 2.5 * static_cast<double>(total.activities);
    EXPECT_NEAR(static_cast<double>(total.compute_ns) / 1e3, expected.at("compute_time(us)").get<double>(),
                tolerance_us);
    EXPECT_NEAR(static_cast<double>(total.idle_ns) / 1e3, expected.at("idle_time(us)").get<double>(), tolerance_us);
    EXPECT_NEAR(static_cast<double>(total.span_ns) / 1e3, expected.at("kernel_time(us)").get<double>(),
                is_whole ? 0 : 2.5);
    const nlohmann::json& overlap = GetParam().figures["overlap"][0]["comp_comm_overlap_pctg"];
    ASSERT_EQ(total.overlap_percent().has_value(), !overlap.is_null());
    if (is_whole && total.overlap_percent()) {
        EXPECT_EQ(hundredths(*total.overlap_percent()), overlap.get<double>());
    }
}

TEST_P(TraceGoldens, TimelinesHaveEveryEventThatLasts) {
    const auto trace = read_trace_file(GetParam().trace);
    std::size_t lasting = 0;
    for (const char phase : trace->events().phase) lasting += phase == 'X' || phase == 'i' ? 1 : 0;
    EXPECT_EQ(measured_timeline(*trace)->event_count(), lasting);
}

INSTANTIATE_TEST_SUITE_P(Holistic, TraceGoldens, testing::ValuesIn(goldens()), [](const auto& golden) {
    std::string name =
        std::filesystem::path(golden.param.trace).stem().stem().string() + "_" + std::to_string(golden.index);
    return name;
});

TEST(RealTrace, OfTwoRanksSaysItsCollectives) {
    const auto trace = read_trace_file(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz");
    EXPECT_EQ(trace->events().size(), 40573u);
    EXPECT_EQ(trace->header().rank, 0);
    EXPECT_EQ(trace->header().world_size, 2);
    EXPECT_EQ(trace->header().devices.size(), 8u);
    ASSERT_EQ(trace->groups().size(), 1u);
    EXPECT_EQ(trace->groups()[0].description, "default_pg");
    EXPECT_EQ(trace->groups()[0].ranks, (std::vector<std::int64_t>{0, 1}));
    ASSERT_EQ(trace->collectives().size(), 21u);
    std::size_t reductions = 0;
    for (const MeasuredCollective& collective : trace->collectives()) {
        EXPECT_EQ(collective.source, CollectiveSource::kernel);
        EXPECT_EQ(collective.group, 0u);
        reductions += collective.kind == CollectiveKind::all_reduce ? 1 : 0;
        EXPECT_NE(trace->activities()[collective.activity].launch, no_index);
        EXPECT_EQ(trace->name(trace->activities()[collective.activity].operation), "record_param_comms");
    }
    EXPECT_EQ(reductions, 15u);
    const std::vector<DeviceTimes> devices = device_times(*trace);
    ASSERT_EQ(devices.at(0).steps.size(), 3u);
    EXPECT_EQ(devices[0].steps[2].name, "ProfilerStep#6");
}

TEST(RealTrace, WithoutDistributedInfoAndGpuIsReadToo) {
    const auto trace = read_trace_file(OVERLAP_TEST_DATA "/traces/hta_no_distributed_info.json.gz");
    EXPECT_EQ(trace->events().size(), 2467u);
    EXPECT_FALSE(trace->header().rank);
    EXPECT_TRUE(device_times(*trace).empty());
    EXPECT_EQ(trace->steps().size(), 1u);
}

}  // namespace
}  // namespace overlap
