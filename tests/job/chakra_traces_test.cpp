// Execution traces of Chakra, message by message: what each node is, what it comes after, when, and its attributes.

#include "core/job/chakra/chakra_traces.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/job/document/job_file.h"
#include "tests/support/problem_of.h"

namespace overlap::job {
namespace {

using test::problem_of;

std::uint64_t take_number(std::string_view& bytes) {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        number |= std::uint64_t{byte & 127u} << shift;
        if (byte < 128) return number;
    }
}

std::string_view take_bytes(std::string_view& bytes) {
    const std::uint64_t length = take_number(bytes);
    const std::string_view taken = bytes.substr(0, length);
    bytes.remove_prefix(length);
    return taken;
}

/// Name and value of an attribute: `comm_size=8`.
std::string attribute_of(std::string_view message) {
    std::string text;
    while (!message.empty()) {
        const std::uint64_t key = take_number(message);
        text += key >> 3 == 1 ? "" : "=";
        text += (key & 7) == 0 ? std::to_string(take_number(message)) : std::string(take_bytes(message));
    }
    return text;
}

/// What stands before a field of a node, by its number in Chakra's schema.
std::string_view before_field(std::uint64_t field) {
    switch (field) {
        case 2:
            return " ";
        case 3:
            return ", type ";
        case 4:
            return ", after ";
        case 6:
            return ", at ";
        case 7:
            return " for ";
        case 10:
            return ", ";
        default:
            return "";
    }
}

/// `7 name, type 5, after 3, at 4000 for 10, comm_size=8`.
std::string node_of(std::string_view message) {
    std::string text;
    while (!message.empty()) {
        const std::uint64_t key = take_number(message);
        text += before_field(key >> 3);
        if ((key & 7) == 0) {
            text += std::to_string(take_number(message));
        } else {
            const std::string_view content = take_bytes(message);
            text += key >> 3 == 10 ? attribute_of(content) : std::string(content);
        }
    }
    return text;
}

using Lines = std::vector<std::string>;

/// Header and nodes of a trace, without what every node says: that it is no operation of the host.
Lines lines_of(std::string_view trace) {
    const std::string always = ", is_cpu_op=0";
    Lines lines;
    while (!trace.empty()) {
        std::string line = node_of(take_bytes(trace));
        const std::size_t place = line.find(always);
        EXPECT_EQ(place == std::string::npos, lines.empty()) << line;
        if (place != std::string::npos) line.erase(place, always.size());
        lines.push_back(std::move(line));
    }
    return lines;
}

NamedFiles files_of(const std::string& document) {
    return chakra_traces(read_job_text(document, "x"), {}, "out");
}

TEST(ChakraTraces, OperationsOfProgramsAreNodesWithTheirStreamMessagesAndGroups) {
    const NamedFiles files = files_of(
        R"({"format": "overlap-job", "version": 1, "p2p": "buffered", "groups": {"one": [5], "all": [3, 5]}, "programs": [
        {"rank": 3, "ops": [{"id": "k", "kind": "compute", "ms": 4}, {"id": "s", "kind": "send", "peer": 5, "bytes": 8},
                            {"id": "t", "kind": "send", "peer": 5, "bytes": 300},
                            {"id": "x", "kind": "collective", "group": "all", "op": "all_to_all", "ms": 2}]},
        {"rank": 5, "ops": [{"id": "r", "kind": "recv", "peer": 3, "bytes": 8, "ms": 1},
                            {"id": "q", "kind": "recv", "peer": 3},
                            {"id": "x", "kind": "collective", "group": "all", "op": "all_to_all", "ms": 2},
                            {"id": "y", "kind": "collective", "group": "one", "op": "barrier"}]}]})");
    ASSERT_EQ(files.size(), 3u);
    EXPECT_EQ(files[0].first, "out.3.et");
    EXPECT_EQ(files[1].first, "out.5.et");
    EXPECT_EQ(files[2], (std::pair<std::string, std::string>("out.groups.json", R"({"1":[5],"2":[3,5]})")));
    EXPECT_EQ(lines_of(files[0].second),
              (Lines{"1.0.0", "0 k, type 4, at 0 for 4000", "1 s, type 4, after 0, at 4000 for 0",
                     "2 s, type 5, after 1, at 4000 for 0, comm_size=8, comm_src=3, comm_dst=5, comm_tag=0",
                     "3 t, type 4, after 2, at 4000 for 0",
                     "4 t, type 5, after 3, at 4000 for 0, comm_size=300, comm_src=3, comm_dst=5, comm_tag=1",
                     "5 x, type 7, after 4, at 5000 for 2000, comm_size=0, comm_type=6, pg_name=2, pg_desc=all"}));
    EXPECT_EQ(lines_of(files[1].second),
              (Lines{"1.0.0", "6 r, type 6, at 4000 for 1000, comm_size=8, comm_src=3, comm_dst=5, comm_tag=0",
                     "7 q, type 6, after 6, at 5000 for 0, comm_size=0, comm_src=3, comm_dst=5, comm_tag=1",
                     "8 x, type 7, after 7, at 5000 for 2000, comm_size=0, comm_type=6, pg_name=2, pg_desc=all",
                     "9 y, type 7, after 8, at 7000 for 0, comm_size=0, comm_type=9, pg_name=1, pg_desc=one"}));
}

TEST(ChakraTraces, MessagesOfAPipelineAreSentAndReceivedWithTheSameTag) {
    const NamedFiles files = files_of(
        R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2},
            "gradient_sync_ms": 3}], "schedule": {"name": "GPipe", "microbatches": 2}, "replicas": 2,
            "transfer": {"activations_ms": 0.5, "gradients_ms": 0.25}})");
    ASSERT_EQ(files.size(), 3u);
    EXPECT_EQ(files[0].first, "out.0.et");
    EXPECT_EQ(files[1].first, "out.1.et");
    EXPECT_EQ(files[2].second, R"({"1":[1,3]})");
    EXPECT_EQ(
        lines_of(files[0].second),
        (Lines{
            "1.0.0", "0 0F0, type 4, at 0 for 1000",
            "281474976710656 0SEND_F0, type 5, after 0, at 1000 for 0, comm_size=0, comm_src=0, comm_dst=1, comm_tag=0",
            "128 0F1, type 4, after 0, at 1000 for 1000",
            "281474976710657 0SEND_F1, type 5, after 128, after 281474976710656, at 2000 for 0, comm_size=0, "
            "comm_src=0, comm_dst=1, comm_tag=1",
            "257 1SEND_B0, type 6, at 5500 for 250, comm_size=0, comm_src=1, comm_dst=0, comm_tag=0",
            "256 0B0, type 4, after 128, after 257, at 5750 for 2000",
            "385 1SEND_B1, type 6, at 7500 for 250, comm_size=0, comm_src=1, comm_dst=0, comm_tag=1",
            "384 0B1, type 4, after 256, after 385, at 7750 for 2000"}));
    EXPECT_EQ(lines_of(files[1].second),
              (Lines{"1.0.0", "513 0SEND_F0, type 6, at 1000 for 500, comm_size=0, comm_src=0, comm_dst=1, comm_tag=0",
                     "512 1F0, type 4, after 513, at 1500 for 1000",
                     "641 0SEND_F1, type 6, at 2000 for 500, comm_size=0, comm_src=0, comm_dst=1, comm_tag=1",
                     "640 1F1, type 4, after 512, after 641, at 2500 for 1000",
                     "768 1B0, type 4, after 640, at 3500 for 2000",
                     "281474976710658 1SEND_B0, type 5, after 768, at 5500 for 0, comm_size=0, comm_src=1, comm_dst=0, "
                     "comm_tag=0",
                     "896 1B1, type 4, after 768, at 5500 for 2000",
                     "281474976710659 1SEND_B1, type 5, after 896, after 281474976710658, at 7500 for 0, comm_size=0, "
                     "comm_src=1, comm_dst=0, comm_tag=1",
                     "1024 1WAIT_REDUCE_GRAD, type 4, after 896, after 1152, at 10500 for 0",
                     "1152 1REDUCE_GRAD, type 7, after 896, at 7500 for 3000, comm_size=0, comm_type=0, pg_name=1, "
                     "pg_desc=ranks 1, 3"}));
}

TEST(ChakraTraces, AJobThatCannotRunHasNone) {
    for (const char* const programs :
         {R"([{"rank": 0, "ops": [{"id": "r", "kind": "recv", "peer": 1}]}, {"rank": 1, "ops": []}])",
          R"([{"rank": 0, "ops": [{"id": "r", "kind": "recv", "peer": 1, "bytes": 4}]},
              {"rank": 1, "ops": [{"id": "s", "kind": "send", "peer": 0, "bytes": 8}]}])"}) {
        const std::string job = R"({"format": "overlap-job", "version": 1, "programs": )" + std::string(programs) + "}";
        EXPECT_EQ(problem_of([&] { files_of(job); }),
                  "the job cannot run, so nothing has a time; overlap job check says why")
            << programs;
    }
}

}  // namespace
}  // namespace overlap::job
