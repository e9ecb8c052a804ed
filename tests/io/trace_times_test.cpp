// Times, clocks, phases and threads of traces.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/trace_event_reader.h"
#include "tests/io/trace_text.h"

namespace overlap {
namespace {

using test::event_text;
using test::trace_of;

TEST(NanosecondsOf, TakesTheDigitsAsTheyAre) {
    EXPECT_EQ(nanoseconds_of("4458677009853.422"), 4458677009853422);
    // A double of microseconds since 1970 has steps of 0.25.
    EXPECT_EQ(nanoseconds_of("1712195495502094.433"), 1712195495502094433);
    EXPECT_EQ(nanoseconds_of("7"), 7000);
    EXPECT_EQ(nanoseconds_of("0.5"), 500);
    EXPECT_EQ(nanoseconds_of("-12.001"), -12001);
    EXPECT_EQ(nanoseconds_of("1.0005"), 1001) << "rounded";
    EXPECT_EQ(nanoseconds_of("1.00049"), 1000);
    EXPECT_EQ(nanoseconds_of("1.5e3"), 1500000);
    EXPECT_EQ(nanoseconds_of("3000000000000000"), 3000000000000000000);
    EXPECT_EQ(nanoseconds_of("3e15"), 3000000000000000000);
}

TEST(NanosecondsOf, TakesNothingElse) {
    for (const char* text : {"", "-", ".", ".5", "1.", "abc", "1x", "1 2", "1e", "1e99", "nan", "3000000000000001",
                             "99999999999999999999999", "3e18", "--1"}) {
        EXPECT_FALSE(nanoseconds_of(text)) << text;
    }
}

TEST(TraceTimes, AreRelativeToTheBaseWhereverItStands) {
    const std::string event = event_text("cpu_op", "a", "12.345", "1.5");
    for (const bool first : {false, true}) {
        const std::string base = R"("baseTimeNanoseconds": 1711964646000000000)";
        const auto trace = read_trace_bytes(first ? "{" + base + R"(, "traceEvents": [)" + event + "]}"
                                                  : R"({"traceEvents": [)" + event + "], " + base + "}",
                                            "trace");
        EXPECT_EQ(trace->events().start_ns[0], 1711964646000012345);
        EXPECT_EQ(trace->events().duration_ns[0], 1500);
        EXPECT_EQ(trace->header().base_ns, 1711964646000000000);
    }
    EXPECT_EQ(trace_of(event_text("cpu_op", "a", "1661203462598772", "7"))->events().start_ns[0], 1661203462598772000);
}

TEST(TraceTimes, OfOtherCenturiesAreRefused) {
    const auto refuses = [](const char* start, const char* duration, const char* base) {
        try {
            trace_of(event_text("cpu_op", "a", start, duration), std::string(R"(, "baseTimeNanoseconds": )") + base);
        } catch (const InputError& error) {
            return error.place().starts_with("traceEvents[0]");
        }
        return false;
    };
    EXPECT_FALSE(refuses("-100", "5", "0")) << "relative to an older base";
    EXPECT_FALSE(refuses("2800000000000000", "5", "0"));
    EXPECT_TRUE(refuses("-200000000000000", "5", "0"));
    EXPECT_TRUE(refuses("2800000000000000", "5", "2800000000000000000"));
    EXPECT_TRUE(refuses("5", "200000000000000", "0"));
}

TEST(TraceTimes, MayStandInQuotes) {
    const auto trace = trace_of(event_text("cpu_op", "a", R"("12.345")", R"("2")"));
    EXPECT_EQ(trace->events().start_ns[0], 12345);
    EXPECT_EQ(trace->events().duration_ns[0], 2000);
}

TEST(TraceTimes, OfCompleteEventsWithoutDurationAreToldOf) {
    const auto trace = trace_of(R"({"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 5},
                                   {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": 6, "dur": null},
                                   {"ph": "X", "name": "c", "pid": 1, "tid": 1, "ts": 7, "dur": -3})");
    ASSERT_EQ(trace->events().size(), 3u);
    EXPECT_EQ(trace->events().duration_ns, (std::vector<std::int64_t>{0, 0, 0}));
    EXPECT_EQ(trace->remarks().missing_durations, 2u);
    EXPECT_EQ(trace->remarks().negative_durations, 1u);
}

TEST(TracePhases, BeginAndEndAreOneSpan) {
    const auto at = [](const char* phase, const char* name, const char* time, const char* thread) {
        return std::string(R"({"ph": ")") + phase + R"(", "name": ")" + name + R"(", "pid": 1, "tid": )" + thread +
               R"(, "ts": )" + time + "}";
    };
    // Nested, on two threads, not in the order of time; one without an end, one without a beginning.
    const auto trace =
        trace_of(at("B", "outer", "10", "1") + "," + at("E", "", "40", "1") + "," + at("B", "inner", "20", "1") + "," +
                 at("E", "", "30", "1") + "," + at("B", "other", "15", "2") + "," + at("E", "", "16", "3") + "," +
                 at("i", "last", "100", "1"));
    const MeasuredEvents& events = trace->events();
    ASSERT_EQ(events.size(), 7u);
    EXPECT_EQ(events.range(0), (TimeRange{10'000, 40'000}));
    EXPECT_EQ(events.range(2), (TimeRange{20'000, 30'000}));
    EXPECT_EQ(events.range(4), (TimeRange{15'000, 100'000})) << "until the trace ends";
    EXPECT_EQ(trace->remarks().unclosed_begins, 1u);
    EXPECT_EQ(trace->remarks().unopened_ends, 1u);
}

TEST(TracePhases, UnknownOnesAreKeptAndToldOf) {
    const auto trace = trace_of(R"({"ph": "C", "name": "memory", "pid": 1, "ts": 5, "args": {"bytes": 7}}, {},
                                   {"ph": "b", "name": "span", "id": "x", "pid": 1, "tid": 2, "ts": 6})");
    EXPECT_EQ(trace->events().size(), 3u);
    EXPECT_EQ(trace->remarks().not_understood, 2u);
    EXPECT_EQ(trace->events().phase, (std::vector<char>{'C', 0, 'b'}));
}

TEST(TraceThreads, OfTheHostAndStreamsAreApartThoughTheirNumbersAreEqual) {
    const auto trace =
        trace_of(event_text("python_function", "f", "0", "10") + "," +
                 R"({"ph": "X", "cat": "python_function", "name": "g", "pid": 0, "tid": 7, "ts": 1, "dur": 2},)" +
                 test::gpu_text("kernel", "gemm", "7", "5", "1", "1") + "," +
                 R"({"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "python3"}},)" +
                 R"({"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7 "}})");
    const MeasuredEvents& events = trace->events();
    EXPECT_NE(events.track[1], events.track[2]);
    EXPECT_FALSE(trace->tracks()[events.track[1]].is_gpu);
    EXPECT_TRUE(trace->tracks()[events.track[2]].is_gpu);
    EXPECT_EQ(trace->tracks()[events.track[2]].process, "0");
    EXPECT_EQ(trace->tracks()[events.track[1]].process_name, "python3");
    EXPECT_EQ(trace->tracks()[events.track[1]].thread_name, "stream 7 ");
}

TEST(TraceThreads, OfAGpuAreStreamsFromZeroOn) {
    const auto has_stream = [](const char* number) {
        return trace_of(test::gpu_text("kernel", "gemm", number, "5", "1", "1"))->activities()[0].has_stream;
    };
    EXPECT_TRUE(has_stream("0"));
    EXPECT_TRUE(has_stream("7"));
    EXPECT_FALSE(has_stream("-1"));
}

TEST(TraceFlows, HaveDecimalAndHexadecimalNumbersAndTexts) {
    const auto ids = [](const std::string& first, const std::string& second) {
        const auto flow = [](const std::string& id) {
            return R"({"ph": "s", "cat": "ac2g", "name": "ac2g", "pid": 1, "tid": 1, "ts": 5, "id": )" + id + "}";
        };
        return trace_of(flow(first) + "," + flow(second))->events().id;
    };
    EXPECT_EQ(ids("12", R"("34")"), (std::vector<std::int64_t>{12, 34}));
    EXPECT_EQ(ids(R"("0x1f")", R"("0xA0")"), (std::vector<std::int64_t>{31, 160}));
    const auto texts = ids(R"("12x")", R"("0x")");
    EXPECT_NE(texts[0], texts[1]);
    EXPECT_LT(std::max(texts[0], texts[1]), no_id);
}

TEST(TraceThreads, MayHaveNames) {
    const auto trace = trace_of(
        R"({"ph": "X", "cat": "Trace", "name": "a", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 1, "dur": 2},
        {"ph": "i", "name": "b", "pid": "Traces", "ts": 1}, {"ph": "X", "name": "c", "pid": "100", "tid": 1, "ts": 1, "dur": 2},
        {"ph": "X", "name": "c", "pid": 100, "tid": "1", "ts": 1, "dur": 2})");
    const MeasuredEvents& events = trace->events();
    EXPECT_EQ(trace->tracks()[events.track[0]].thread, "PyTorch Profiler");
    EXPECT_EQ(trace->tracks()[events.track[1]].thread, "");
    EXPECT_EQ(events.track[2], events.track[3]);
}

TEST(TraceNames, AreDecoded) {
    const auto trace = trace_of(event_text("cpu_op", R"(C:/a\/b \"q\" \u00e9\n)", "0", "1"));
    EXPECT_EQ(trace->name(0), "C:/a/b \"q\" \xc3\xa9\n");
}

TEST(TraceFields, MayComeInAnyOrderAndTwice) {
    const auto trace = trace_of(R"({"args": {"correlation": 9, "stream": 7}, "dur": 3, "ts": 2, "tid": 7, "pid": 0,
                                    "name": "gemm", "cat": "kernel", "ph": "X", "unknown": [{"ph": "B"}, "]}"]})");
    ASSERT_EQ(trace->activities().size(), 1u);
    EXPECT_EQ(trace->events().id[0], 9);
    EXPECT_EQ(trace->events().range(0), (TimeRange{2000, 5000}));
}

}  // namespace
}  // namespace overlap
