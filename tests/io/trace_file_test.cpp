// Files of traces: their forms, windows, what cannot be read.

#include "core/io/trace_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "core/base/error.h"
#include "core/files/json_output.h"
#include "core/files/json_scan.h"
#include "tests/io/trace_text.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

using test::event_text;

std::string refusal(const std::string& text) {
    try {
        read_trace_bytes(text, "trace.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was wrong";
}

const std::string two_events = event_text("cpu_op", "a", "1", "2") + ",\n" + event_text("cpu_op", "b", "3", "4");

TEST(TraceFile, IsAnObjectOrTheBareList) {
    for (const std::string& text : {
             "{\"traceEvents\": [" + two_events + "]}",
             "\xef\xbb\xbf  {\"a\": [1, {\"traceEvents\": 3}], \"traceEvents\":[" + two_events +
                 " ] , \"b\": \"]\" }\n",
             "[" + two_events + "]",
             "[" + two_events,          // writers that were killed leave the bracket out, which the format allows
             "[" + two_events + ",\n",  // also behind a comma
         }) {
        const auto trace = read_trace_bytes(text, "trace.json");
        ASSERT_EQ(trace->events().size(), 2u) << text;
        EXPECT_EQ(trace->name(1), "b");
        const auto packed = read_trace_bytes(gzip_compressed(text), "trace.json.gz");
        EXPECT_EQ(packed->events().offset, trace->events().offset);
    }
    EXPECT_EQ(read_trace_bytes("[]", "trace")->events().size(), 0u);
    EXPECT_EQ(read_trace_bytes("[", "trace")->events().size(), 0u);
    EXPECT_EQ(read_trace_bytes("{\"traceEvents\": [ ]}", "trace")->events().size(), 0u);
}

TEST(TraceFile, KeepsWhatStandsBesideTheEvents) {
    const auto trace = test::trace_of(two_events, R"(, "deviceProperties": [{"id": 0, "name": "H100"}], "x\"y": [1, 2],
        "traceName": "t.json", "distributedInfo": null)");
    EXPECT_EQ(trace->header().devices, std::vector<std::string>{"H100"});
    EXPECT_EQ(
        trace->header().members_json,
        R"({"schemaVersion":1,"deviceProperties":[{"id": 0, "name": "H100"}],"x\"y":[1, 2],"traceName":"t.json","distributedInfo":null})");
}

TEST(TraceFile, KnowsASimulatedStepAndLeavesOthersTheirData) {
    for (const auto& [other_data, is_simulated] : {std::pair(R"({"graph": "g", "times": "simulated"})", true),
                                                   {R"({"graph": "g", "times": "measured"})", false},
                                                   {R"({"times": 1})", false},
                                                   {R"({})", false},
                                                   {R"(["times", "simulated"])", false},
                                                   {R"("simulated")", false},
                                                   {"null", false}}) {
        const auto trace = test::trace_of(two_events, std::string(R"(, "otherData": )") + other_data);
        EXPECT_EQ(trace->header().is_simulated, is_simulated) << other_data;
        EXPECT_NE(trace->header().members_json.find(other_data), std::string::npos);
    }
}

TEST(TraceFile, EventsMayBeReadAgainWithAllTheirArgs) {
    const test::TemporaryFolder folder;
    const std::string args = R"(, "args": {"grid": [24, 1, 1], "text": "}{]["})";
    std::string text = "{\"traceEvents\": [";
    for (int number = 0; number < 20000; ++number) {
        text += std::string(number ? ",\n " : "") +
                event_text("cpu_op", std::string("event ") + std::to_string(number), "1", "2", args);
    }
    text += "]}";
    write_json_file(folder / "t.json", text);
    write_json_file(folder / "t.json.gz", text);
    for (const std::string name : {"t.json", "t.json.gz"}) {
        const auto trace = read_trace_file(folder / name);
        for (const std::uint32_t event : {0u, 1u, 9999u, 19999u}) {
            EXPECT_EQ(read_trace_event(folder / name, *trace, event),
                      event_text("cpu_op", std::string("event ") + std::to_string(event), "1", "2", args));
        }
        write_json_file(folder / name, "[]");
        EXPECT_THROW(read_trace_event(folder / name, *trace, 19999), InputError);
    }
}

TEST(TraceFile, EventsOfGzipAreReadFromTheNearestCheckpoint) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "t.json.gz";
    std::mt19937 random(11);
    std::vector<std::string> events;
    std::string text = "[";
    for (int number = 0; number < 60000; ++number) {
        std::string name = std::to_string(number);
        for (int letter = 0; letter < 200; ++letter) name += static_cast<char>('a' + random() % 26);
        events.push_back(event_text("cpu_op", name, std::to_string(number), "1"));
        text += (number ? "," : "") + events.back();
    }
    text += "]";
    // Two members: a checkpoint in the first one must lead over to the second.
    const std::size_t middle = text.size() / 2;
    const std::string bytes = gzip_compressed(text.substr(0, middle)) + gzip_compressed(text.substr(middle));
    std::ofstream(path, std::ios::binary) << bytes;
    const auto trace = read_trace_file(path);
    GzipCheckpoints checkpoints;
    EXPECT_EQ(read_trace_event(path, *trace, 59999, checkpoints), events[59999]);
    ASSERT_GE(checkpoints.places.size(), 3u);
    EXPECT_TRUE(std::ranges::is_sorted(checkpoints.places, {}, &GzipCheckpoint::position));
    const std::size_t kept = checkpoints.places.size();
    for (int read = 0; read < 60; ++read) {
        const auto event = static_cast<std::uint32_t>(random() % events.size());
        EXPECT_EQ(read_trace_event(path, *trace, event, checkpoints), events[event]) << event;
    }
    EXPECT_EQ(checkpoints.places.size(), kept) << "nothing is kept twice";

    std::ofstream(path, std::ios::binary) << gzip_compressed("[" + events[0] + "]");
    EXPECT_THROW(read_trace_event(path, *trace, 59999, checkpoints), InputError);
    EXPECT_EQ(read_trace_event(path, *trace, 0, checkpoints), events[0]);
    EXPECT_TRUE(checkpoints.places.empty());
}

TEST(TraceFile, IsReadThroughAWindow) {
    // Events of all lengths, so that windows end at every place within them; some longer than a window.
    std::mt19937 random(3);
    std::vector<std::string> names;
    std::string text = "{\"long\": \"" + std::string(3'000'000, 'x') + "\", \"traceEvents\": [";
    for (int number = 0; number < 12000; ++number) {
        const std::size_t length = number % 4000 == 2000 ? 2'500'000 : random() % 600;
        std::string name = std::to_string(number) + std::string(length, number % 2 ? ',' : '}');
        text += std::string(number ? "," : "") + event_text("cpu_op", name, std::to_string(number), "1");
        names.push_back(std::move(name));
    }
    text += "], \"baseTimeNanoseconds\": 5}";
    for (const std::string& bytes : {text, gzip_compressed(text)}) {
        const auto trace = read_trace_bytes(bytes, "trace");
        ASSERT_EQ(trace->events().size(), names.size());
        for (std::uint32_t event = 0; event < names.size(); ++event) {
            ASSERT_EQ(trace->name(event), names[event]) << event;
            ASSERT_EQ(trace->events().start_ns[event], 1000 * event + 5);
            ASSERT_EQ(text.substr(trace->events().offset[event], 10), "{\"ph\": \"X\"");
        }
    }
}

TEST(TraceFile, MayBeStoppedAndTellsHowFarItIs) {
    std::string text = "[";
    for (int number = 0; number < 40000; ++number) text += event_text("cpu_op", "a", "1", "2") + ",";
    std::stop_source source;
    std::vector<std::uint64_t> told;
    TraceReading reading;
    reading.stop = source.get_token();
    reading.progress = [&](std::uint64_t done, std::uint64_t of) {
        EXPECT_EQ(of, text.size());
        told.push_back(done);
        if (told.size() == 2) source.request_stop();
    };
    EXPECT_EQ(read_trace_bytes(text, "trace", reading), nullptr);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_LT(told[0], told[1]);
}

TEST(TraceFile, KeepsFewBytesAnEvent) {
    std::string text = "[";
    for (int number = 0; number < 10000; ++number) {
        const std::string id = std::to_string(number);
        text += test::launch_text(id, id) + "," + test::gpu_text("kernel", "gemm", "7", id, "1", id) + ",";
    }
    const auto trace = read_trace_bytes(text, "trace");
    EXPECT_LE(trace->bytes_kept(), 60 * trace->events().size());
}

/// How a message about the second event begins. @param before the text in front of it.
std::string place_of_second(const std::string& before) {
    return std::string("trace.json: traceEvents[1], byte ") + std::to_string(before.size()) + ": ";
}

TEST(BadTrace, SaysWhereItIsTruncated) {
    const std::string problem = "the text ends in the middle of this: the trace is truncated";
    const std::string open = "{\"traceEvents\": [" + two_events;
    EXPECT_EQ(refusal(open), place_of_second(open.substr(0, open.find(',', open.find('}')) + 1)) + problem);
    EXPECT_EQ(refusal(open + "]"), std::string("trace.json: byte ") + std::to_string(open.size() + 1) + ": " + problem);
    EXPECT_EQ(refusal("{\"schemaVersion"), "trace.json: byte 1: " + problem);
    EXPECT_EQ(refusal("{\"name\": [1, 2"), "trace.json: name, byte 9: " + problem);
    const std::string packed = gzip_compressed("[" + two_events + "]");
    EXPECT_NE(refusal(packed.substr(0, packed.size() / 2)).find("trace.json: the gzip stream is truncated"),
              std::string::npos);
    EXPECT_NE(refusal(packed + "text").find("followed by something else"), std::string::npos);
}

TEST(BadTrace, EveryCutIsOneSentence) {
    const std::string text = "{\"a\": [1, \"b\\\"\"], \"traceEvents\": [" + two_events +
                             R"(], "distributedInfo": {"rank": 0}, "baseTimeNanoseconds": 12})";
    ASSERT_TRUE(read_trace_bytes(text, "trace"));
    for (std::size_t length = 0; length < text.size(); ++length) {
        const std::string problem = refusal(text.substr(0, length));
        EXPECT_TRUE(problem.starts_with("trace.json: ")) << length << ": " << problem;
        EXPECT_EQ(problem.find('\n'), std::string::npos);
    }
    const std::string packed = gzip_compressed(text);
    for (std::size_t length = 0; length < packed.size(); ++length) {
        EXPECT_TRUE(refusal(packed.substr(0, length)).starts_with("trace.json: ")) << length;
    }
}

TEST(BadTrace, AnyDamageIsAnErrorOrATrace) {
    const std::string text =
        "{\"traceEvents\": [" + two_events + "," +
        test::gpu_text("kernel", "ncclKernel", "7", "1.5", "2", "3", R"(, "Process Group Ranks": "[0, 1]")") +
        R"(], "distributedInfo": {"rank": 0, "pg_config": [{"ranks": [0]}]}})";
    std::mt19937 random(11);
    const std::string letters = "{}[]\",:0-e.\\\n\x01\xff";
    for (int round = 0; round < 20000; ++round) {
        std::string damaged = text;
        for (std::size_t count = 1 + random() % 3; count > 0; --count) {
            damaged[random() % damaged.size()] = letters[random() % letters.size()];
        }
        EXPECT_NO_FATAL_FAILURE(refusal(damaged));
    }
}

TEST(BadTrace, SaysWhichEventIsWrong) {
    const auto with = [](const std::string& event) {
        return refusal("{\"traceEvents\": [" + event_text("cpu_op", "a", "1", "2") + ", " + event + "]}");
    };
    const std::string place =
        place_of_second(std::string("{\"traceEvents\": [") + event_text("cpu_op", "a", "1", "2") + ", ");
    EXPECT_EQ(with("7"), place + "expected an object, found \"7\"");
    EXPECT_EQ(with(R"({"name": "a"})"), place + "\"ph\" is missing");
    EXPECT_EQ(with(R"({"ph": "XX"})"), place + "\"ph\": expected one letter, found \"XX\"");
    EXPECT_EQ(with(R"({"ph": "X", "dur": 3})"), place + "\"ts\" is missing");
    EXPECT_EQ(with(R"({"ph": "X", "ts": "soon", "dur": 3})"),
              place + "\"ts\": expected a number of microseconds within 95 years, found \"soon\"");
    EXPECT_EQ(with(R"({"ph": "X", "ts": 1e300, "dur": 3})"),
              place + "\"ts\": expected a number of microseconds within 95 years, found \"1e300\"");
    EXPECT_NE(with(R"({"ph": "X", "ts": 1, "name": "\q"})").find(place + "invalid JSON"), std::string::npos);
    EXPECT_NE(with("{\"ph\": \"X\", \"ts\": 1, \"name\": \"\xff\"}").find("UTF-8"), std::string::npos);
    EXPECT_NE(with(R"({"ph": "X" "ts": 1})").find("invalid JSON"), std::string::npos);
    EXPECT_NE(with(R"({"ph": "X", "ts": 1]})").find("traceEvents[1]"), std::string::npos);
    EXPECT_EQ(with(""), place + "expected an event");
}

TEST(TraceFile, MayNestArgsDeeply) {
    const auto nested = [](std::size_t depth) {
        return R"(, "args": {"x": )" + std::string(depth, '[') + std::string(depth, ']') + "}";
    };
    EXPECT_EQ(test::trace_of(event_text("cpu_op", "a", "1", "2", nested(100'000)))->events().size(), 1u);
}

TEST(BadTrace, SaysWhatElseIsWrong) {
    EXPECT_EQ(refusal(""), "trace.json: it is empty");
    EXPECT_EQ(refusal("hello"), "trace.json: byte 0: expected { or [, with which a trace begins");
    EXPECT_EQ(refusal("{}"), "trace.json: it has no traceEvents, so it is no profiler's trace");
    EXPECT_EQ(refusal("{\"traceEvents\": 3}"), "trace.json: it has no traceEvents, so it is no profiler's trace");
    EXPECT_EQ(refusal("[] []"), "trace.json: byte 3: text follows behind the end of the trace");
    EXPECT_EQ(refusal("{\"traceEvents\": [], \"traceEvents\": []}"),
              "trace.json: byte 35: there is a second list of traceEvents");
    EXPECT_EQ(refusal("{\"traceEvents\": [], 3: 4}"), "trace.json: byte 20: expected the name of a member in quotes");
    const auto with = [](const std::string& members) { return refusal("{\"traceEvents\": [], " + members + "}"); };
    EXPECT_EQ(with(R"("distributedInfo": [])"), "trace.json: distributedInfo: expected an object, found a list");
    EXPECT_NE(with(R"("distributedInfo": {"rank": "zero"})").find("distributedInfo.rank"), std::string::npos);
    EXPECT_NE(with(R"("baseTimeNanoseconds": 9000000000000000000)").find("95 years"), std::string::npos);
    EXPECT_NE(with(R"("baseTimeNanoseconds": tru)").find("baseTimeNanoseconds"), std::string::npos);
    const test::TemporaryFolder folder;
    EXPECT_THROW(read_trace_file(folder / "absent.json"), InputError);
    EXPECT_THROW(read_trace_file(folder.path()), InputError);
    EXPECT_THROW(read_trace_file("/dev/zero"), InputError);
}

TEST(JsonValueEnd, IsFoundBehindStringsAndBrackets) {
    EXPECT_EQ(json_value_end(R"({"a": "}\"", "b": [1]}, 3)"), 22u);
    EXPECT_EQ(json_value_end(R"("a\\" ,)"), 5u);
    EXPECT_EQ(json_value_end("12, 3"), 2u);
    EXPECT_EQ(json_value_end("12"), std::string_view::npos);
    EXPECT_EQ(json_value_end("\"12"), std::string_view::npos);
    EXPECT_EQ(json_value_end("[[1]"), std::string_view::npos);
    EXPECT_EQ(json_value_end("]"), 0u);
}

TEST(JsonListCut, IsTheLastCommaBetweenEntriesOrTheEnd) {
    EXPECT_EQ(json_list_cut(R"({"a": 1}, {"b": [1, 2]}, {"c)").place, 23u);
    EXPECT_EQ(json_list_cut(R"([1, "]"], 3] ,)").place, 11u);
    EXPECT_TRUE(json_list_cut(R"([1, "]"], 3] ,)").is_closed);
    EXPECT_EQ(json_list_cut(R"({"a": 1)").place, std::string_view::npos);
    EXPECT_FALSE(json_list_cut(R"({"a": 1)").is_whole);
    EXPECT_TRUE(json_list_cut(R"({"a": 1})").is_whole);
    EXPECT_FALSE(json_list_cut(R"("a)").is_whole);
}

/// The same letter by letter.
JsonListCut cut_letter_by_letter(const std::string& text) {
    JsonListCut cut;
    int depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (in_string) {
            if (letter == '\\') ++at;
            if (letter == '"') in_string = false;
        } else if (letter == '"') {
            in_string = true;
        } else if (letter == '{' || letter == '[') {
            ++depth;
        } else if (letter == '}' || letter == ']') {
            if (depth-- == 0) return {at, true, false};
        } else if (letter == ',' && depth == 0) {
            cut.place = at;
        }
    }
    cut.is_whole = depth == 0 && !in_string;
    return cut;
}

TEST(JsonListCut, IsThatOfReadingLetterByLetter) {
    std::mt19937 random(5);
    for (int round = 0; round < 20000; ++round) {
        // Values within values, with strings of all that matters; at the end cut anywhere.
        std::string text;
        int depth = 0;
        const std::size_t length = random() % 400;
        while (text.size() < length) {
            switch (random() % 6) {
                case 0:
                    text += random() % 2 ? "{" : "[";
                    ++depth;
                    break;
                case 1:
                    if (depth == 0 && random() % 8 != 0) break;
                    text += random() % 2 ? "}" : "]";
                    depth -= depth > 0 ? 1 : 0;
                    break;
                case 2:
                    text += ",";
                    break;
                case 3:
                    text += '"';
                    for (std::size_t count = random() % 9; count > 0; --count) {
                        text += std::vector<std::string>{"a", "\\\\", "\\\"", ",", "]", "{", "\\n"}[random() % 7];
                    }
                    text += '"';
                    break;
                default:
                    text += std::string(random() % 20, 'x');
                    break;
            }
        }
        const JsonListCut expected = cut_letter_by_letter(text);
        const JsonListCut cut = json_list_cut(text);
        ASSERT_EQ(cut.place, expected.place) << text;
        ASSERT_EQ(cut.is_closed, expected.is_closed) << text;
        ASSERT_EQ(cut.is_whole, expected.is_whole) << text;
    }
}

}  // namespace
}  // namespace overlap
