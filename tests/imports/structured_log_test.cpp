#include "core/imports/structured_log.h"

#include <gtest/gtest.h>

#include "core/base/md5.h"
#include "core/imports/log_rank.h"

namespace overlap {
namespace {

constexpr std::string_view prefix = "V0728 16:17:36.735000 60448 torch/x.py:1] ";

std::string record(std::string_view json, std::string_view payload_lines = {}) {
    std::string text(prefix);
    text += json;
    text += '\n';
    text += payload_lines;
    return text;
}

TEST(StructuredLog, Md5OfTheRfc) {
    EXPECT_EQ(md5_hexadecimal(""), "d41d8cd98f00b204e9800998ecf8427e");
    EXPECT_EQ(md5_hexadecimal("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
    EXPECT_EQ(md5_hexadecimal("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
              "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(StructuredLog, RecordsWithTheirPayloads) {
    const std::string text =
        record(R"({"str": ["/a/b.py", 4]})") +
        record(
            R"({"artifact": {"name": "x", "encoding": "string"}, "rank": 2, "frame_id": 1, "frame_compile_id": 3, "attempt": 1, "has_payload": ")" +
                md5_hexadecimal("one\n\ttwo") + "\"}",
            "\tone\n\t\ttwo\n");
    std::vector<std::string> seen;
    const LogSummary summary = read_structured_log_text(text, [&](const LogRecord& entry) {
        seen.push_back(std::string(entry.key) + "/" + std::string(entry.name) + "/" + entry.compile_id.text() + "/" +
                       std::to_string(entry.rank.value_or(-1)) + "/" + std::string(entry.payload));
        EXPECT_FALSE(entry.is_damaged);
        return true;
    });
    EXPECT_EQ(seen, std::vector<std::string>{"artifact/x/1/3_1/2/one\n\ttwo"});
    EXPECT_EQ(summary.strings.at(4), "/a/b.py");
    EXPECT_TRUE(summary.damage.empty());
}

TEST(StructuredLog, DamageIsCountedWithItsFirstLine) {
    const std::string text = record(R"({"dynamo_start": {}})") + "rubbish\n\tpayload of nothing\n" +
                             record(R"({"dynamo_start": {)", "\tlost\n") +
                             record(R"({"a_graph": {}, "has_payload": "00"})", "\tchanged\n");
    std::size_t damaged = 0;
    const LogSummary summary = read_structured_log_text(text, [&](const LogRecord& entry) {
        damaged += entry.is_damaged ? 1 : 0;
        return true;
    });
    EXPECT_EQ(summary.records, 2u);
    EXPECT_EQ(damaged, 1u);
    EXPECT_EQ(summary.damage.sentence(),
              "1 record skipped, 2 lines outside of records skipped, 1 payload read with a wrong checksum, "
              "from line 2 on");
}

TEST(StructuredLog, BeginsInsideOfAPayloadOrBehindOtherOutput) {
    std::string text;
    for (int line = 0; line < 400; ++line) text += line % 2 == 0 ? "\tthe rest of a payload\n" : "rubbish\n";
    EXPECT_FALSE(is_structured_log(text));
    text += record(R"({"dynamo_start": {}})");
    EXPECT_TRUE(is_structured_log(text));
    const LogSummary summary = read_structured_log_text(text, [](const LogRecord&) { return true; });
    EXPECT_EQ(summary.records, 1u);
    EXPECT_EQ(summary.damage.sentence(), "400 lines outside of records skipped, from line 1 on");
}

TEST(StructuredLog, FieldsOfOtherKindsAreLeftOut) {
    const std::string text =
        record(R"({"artifact": {"encoding": "string"}, "rank": "two", "frame_id": 5, "compiled_autograd_id": 7, )"
               R"("has_payload": 3, "process": {}, "stack": []})") +
        record(R"({"str": ["/a/b.py"]})") + record(R"({"str": ["/a/b.py", "four"]})") + record(R"({"str": [1, 4]})") +
        record(R"({"str": 3})") + record(R"({"artifact": {"name": 3}})") + "\n";
    std::vector<std::string> seen;
    const LogSummary summary = read_structured_log_text(text, [&](const LogRecord& entry) {
        seen.push_back(std::string(entry.key) + "/" + std::string(entry.name) + "/" + entry.compile_id.text());
        EXPECT_EQ(entry.rank, std::nullopt);
        EXPECT_FALSE(entry.is_damaged);
        return true;
    });
    EXPECT_EQ(seen, (std::vector<std::string>{"artifact//!7/5/0", "artifact//"}));
    EXPECT_TRUE(summary.strings.empty());
    EXPECT_TRUE(summary.damage.empty());
}

TEST(StructuredLog, AVisitorThatHasEnoughEndsIt) {
    const std::string text = record(R"({"a": {}})") + record(R"({"b": {}})") + record(R"({"c": {}})");
    int seen = 0;
    read_structured_log_text(text, [&](const LogRecord&) { return ++seen < 2; });
    EXPECT_EQ(seen, 2);
    seen = 0;
    read_structured_log_text(record(R"({"a": {}})"), [&](const LogRecord&) { return ++seen < 1; });
    EXPECT_EQ(seen, 1);
}

TEST(StructuredLog, LinesThatAreNearlyOfRecords) {
    for (const char* line : {"V07", "X0728 16:17:36 x.py:1] {}", "V07x8 16:17:36 x.py:1] {}", "V07/8 16:17 x] {}",
                             "V0728 16:17:36 x.py:1 {}", "V0728 16:17:36 x.py:1] []"})
        EXPECT_FALSE(is_structured_log(line)) << line;
    EXPECT_TRUE(is_structured_log("E0728 16:17:36 x.py:1] {}"));
}

TEST(StructuredLog, DamageIsOneSentence) {
    LogDamage damage;
    EXPECT_EQ(damage.sentence(), "");
    damage.end = "the data is damaged";
    EXPECT_EQ(damage.sentence(), "read as far as it goes: the data is damaged");
    damage.skipped_records = 2;
    damage.first_line = 7;
    EXPECT_EQ(damage.sentence(), "2 records skipped, from line 7 on; read as far as it goes: the data is damaged");
}

TEST(StructuredLog, RankOfAFileName) {
    EXPECT_EQ(rank_of_file_name("/tmp/rank_7/dedicated_log_torch_trace_rank_3_x8_a1.log"), 3);
    EXPECT_EQ(rank_of_file_name("tlparse_schedule_rank_12.log.gz"), 12);
    EXPECT_EQ(rank_of_file_name("rank_0"), 0);
    EXPECT_EQ(rank_of_file_name("rank_1_of_rank_2.log"), 2);
    for (const char* name : {"a-rank_4.log", "a rank_4.log", "a.rank_4.log"})
        EXPECT_EQ(rank_of_file_name(name), 4) << name;
    for (const char* name : {"frank_3.log", "rank_3x.log", "rank_.log", "rank_-1.log", "rank_99999999999999999999.log",
                             "dedicated_log_torch_trace_x.log", "/tmp/rank_3/trace.log"}) {
        EXPECT_EQ(rank_of_file_name(name), std::nullopt) << name;
    }
}

TEST(StructuredLog, RankOfALog) {
    EXPECT_EQ(rank_of_log("trace_rank_3.log", {}).rank, 3);
    EXPECT_EQ(rank_of_log("trace.log", {5}).rank, 5);
    EXPECT_EQ(rank_of_log("trace_rank_3.log", {3}).note, "");
    const LogRank other = rank_of_log("trace_rank_3.log", {0});
    EXPECT_EQ(other.of_record(0), 3);
    EXPECT_EQ(other.note, "its records say rank 0 and its name says rank 3; the name's is taken");
    const LogRank several = rank_of_log("trace_rank_3.log", {0, 1});
    EXPECT_EQ(several.of_record(1), 1);
    EXPECT_EQ(several.of_record(std::nullopt), 3);
}

}  // namespace
}  // namespace overlap
