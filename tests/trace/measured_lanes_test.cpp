// Titles and places of a measured trace's lanes, and which of them are drawn.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/trace/measured_timeline.h"
#include "tests/trace/trace_sketch.h"

namespace overlap {
namespace {

/// `title (subtitle)` of each lane.
std::vector<std::string> lanes_of(const Timeline& timeline) {
    std::vector<std::string> lanes;
    for (const Lane& lane : timeline.lanes())
        lanes.push_back(lane.description.title + " (" + lane.description.subtitle + ")");
    return lanes;
}

TEST(MeasuredLanes, OfOneDeviceAreThoseOfItsStreams) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 0, 10);
    sketch.device = "1";
    sketch.kernel("gemm", "7", 0, 10, 5);
    const auto trace = sketch.finish();
    MeasuredTimelineOptions options;
    options.host_threads = false;
    EXPECT_EQ(lanes_of(*measured_timeline(*trace, options)),
              (std::vector<std::string>{"Compute (GPU 0, stream 7)", "Compute (GPU 1, stream 7)"}));
    options.device = "1";
    EXPECT_EQ(lanes_of(*measured_timeline(*trace, options)), std::vector<std::string>{"Compute (GPU 1, stream 7)"});
    options.gpu_streams = false;
    EXPECT_TRUE(lanes_of(*measured_timeline(*trace, options)).empty());
    options.host_threads = true;
    EXPECT_EQ(lanes_of(*measured_timeline(*trace, options)), std::vector<std::string>{"Thread 101 (Process 100)"});
}

TEST(MeasuredLanes, OfSeveralGroupsOnAStreamAreCommunication) {
    test::TraceSketch sketch;
    sketch.collective("allgather", "a", 0, 10);
    sketch.collective("allgather", "b", 20, 10);
    MeasuredTimelineOptions options;
    options.host_threads = false;
    EXPECT_EQ(lanes_of(*measured_timeline(*sketch.finish(), options)),
              std::vector<std::string>{"Communication (GPU 0, stream 20, 2 collectives)"});
    test::TraceSketch alone;
    alone.collective("allgather", "a", 0, 10);
    EXPECT_EQ(lanes_of(*measured_timeline(*alone.finish(), options)),
              std::vector<std::string>{"Group a (GPU 0, stream 20, 1 collective)"});
}

TEST(MeasuredLanes, WaitsAreOnTheRowOfTheirStream) {
    const auto waits = [](const std::string& row) {
        test::TraceSketch sketch;
        sketch.unlaunched("cuda_sync", "Stream Wait Event", row, 0, 10);
        return lanes_of(*measured_timeline(*sketch.finish())).at(0);
    };
    EXPECT_EQ(waits("1000007"), "Waits (GPU 0, stream 7)");
    EXPECT_EQ(waits("7"), "Waits (GPU 0, stream 7)");
    EXPECT_EQ(waits("seven"), "Waits (GPU 0, stream seven)");
}

TEST(MeasuredLanes, InstantsOfBothSpellingsAreEventsWithoutLength) {
    test::TraceSketch sketch;
    for (const char phase : {'i', 'I', 'C'}) {
        TraceEvent instant = test::TraceSketch::event("cpu_op", "here", 5, 0);
        instant.phase = phase;
        sketch.builder.add(instant);
    }
    const auto timeline = measured_timeline(*sketch.finish());
    EXPECT_EQ(timeline->event_count(), 2u);
}

TEST(MeasuredLanes, ProcessesHaveTheirNames) {
    test::TraceSketch sketch;
    sketch.builder.add(test::TraceSketch::event("cpu_op", "aten::mm", 0, 1));
    TraceEvent name = test::TraceSketch::event("", "process_name", 0, 0);
    name.phase = 'M';
    name.label = "python";
    sketch.builder.add(name);
    EXPECT_EQ(lanes_of(*measured_timeline(*sketch.finish())),
              std::vector<std::string>{"Thread 101 (python) (Process 100)"});
}

TEST(MeasuredLanes, ThreadsWithoutANameHaveTheNumberThatTheSystemHas) {
    const auto lane_of = [](const std::string& thread, const std::string& process_name, const std::string& name) {
        test::TraceSketch sketch;
        TraceEvent call = test::TraceSketch::event("cuda_runtime", "cudaEventQuery", 0, 1);
        call.thread = thread;
        sketch.builder.add(call);
        for (const auto& [kind, label] : {std::pair("process_name", process_name), std::pair("thread_name", name)}) {
            TraceEvent metadata = test::TraceSketch::event("", kind, 0, 0);
            metadata.phase = 'M';
            metadata.thread = thread;
            metadata.label = label;
            if (!label.empty()) sketch.builder.add(metadata);
        }
        return lanes_of(*measured_timeline(*sketch.finish())).at(0);
    };
    EXPECT_EQ(lane_of("-549452224", "", ""), "Thread 3745515072 (Process 100)");
    EXPECT_EQ(lane_of("-549452224", "python3", ""), "Thread 3745515072 (python3) (Process 100)");
    EXPECT_EQ(lane_of("-8589934593", "", ""), "Thread 18446744065119617023 (Process 100)");
    EXPECT_EQ(lane_of("", "", ""), "Thread without a number (Process 100)");
    EXPECT_EQ(lane_of("7", "python3", "thread 7 (autograd)"), "thread 7 (autograd) (python3, process 100)");
    EXPECT_EQ(lane_of("7", "python3", "thread 7 (python3)"), "thread 7 (python3) (Process 100)");
    EXPECT_EQ(lane_of("PyTorch Profiler", "", ""), "PyTorch Profiler (Process 100)");
}

}  // namespace
}  // namespace overlap
