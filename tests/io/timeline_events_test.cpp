#include "core/io/timeline_events.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/timeline/timeline_builder.h"

namespace overlap {
namespace {

std::shared_ptr<const Timeline> timeline() {
    TimelineBuilder builder;
    const std::uint32_t compute = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
    const std::uint32_t group =
        builder.add_lane({"FSDP, \"gathers\"", "", LaneKind::process_group, EventRole::bucket_0});
    builder.add(compute, {{0, 1'500'000}, builder.intern("mm"), EventRole::compute, 0, 0});
    builder.add(compute, {{1'500'000, 1'500'250}, builder.intern("gather"), EventRole::exposed, 1, 0});
    builder.add(group, {{1'000'000, 1'500'250}, builder.intern("gather"), EventRole::bucket_0, 1, 250});
    builder.set_memory({{0, 1'000'000, 1'400'000}, {10, 30, 20}});
    return builder.finish();
}

TEST(TimelineExport, WritesEventsAsCsv) {
    EXPECT_EQ(timeline_csv(*timeline(), {0, 2'000'000}),
              "lane,row,name,kind,start_ms,duration_ms,exposed_ms\r\n"
              "Compute,0,mm,compute,0,1.5,0\r\n"
              "Compute,0,gather,exposed,1.5,0.00025,0\r\n"
              "\"FSDP, \"\"gathers\"\"\",0,gather,bucket,1,0.50025,0.00025\r\n");
}

TEST(TimelineExport, LeavesOutWhatTheRangeDoesNotShow) {
    const std::string text = timeline_csv(*timeline(), {0, 900'000});
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
    EXPECT_NE(text.find("mm"), std::string::npos);
}

TEST(TimelineExport, WritesATraceThatKeepsTimesAndMemory) {
    const nlohmann::json trace =
        nlohmann::json::parse(timeline_chrome_trace(*timeline(), {1'200'000, 2'000'000}, true));
    std::vector<nlohmann::json> events;
    std::vector<nlohmann::json> counters;
    int named = 0;
    for (const nlohmann::json& event : trace.at("traceEvents")) {
        if (event.at("ph") == "X") events.push_back(event);
        if (event.at("ph") == "C") counters.push_back(event);
        named += event.at("name") == "thread_name" ? 1 : 0;
    }
    EXPECT_EQ(named, 2);
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[0].at("ts"), 0.0);
    EXPECT_EQ(events[0].at("dur"), 1500.0);
    EXPECT_EQ(events[1].at("cat"), "exposed");
    EXPECT_EQ(events[2].at("dur"), 500.25);
    EXPECT_EQ(events[2].at("args").at("exposed_ms"), 0.00025);
    // What is held when the range begins, and its change in it.
    ASSERT_EQ(counters.size(), 2u);
    EXPECT_EQ(counters[0].at("args").at("bytes"), 30);
    EXPECT_EQ(counters[1].at("args").at("bytes"), 20);
}

TEST(TimelineExport, TracesSayWhetherTheirTimesWereMeasured) {
    const auto times = [](bool simulated) {
        const std::string trace = timeline_chrome_trace(*timeline(), {0, 2'000'000}, simulated);
        return nlohmann::json::parse(trace).at("otherData").at("times");
    };
    EXPECT_EQ(times(true), "simulated");
    EXPECT_EQ(times(false), "measured");
}

}  // namespace
}  // namespace overlap
