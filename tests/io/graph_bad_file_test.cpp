// Files that are damaged: every one is refused with a sentence, or read; none brings the program down.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "core/base/error.h"
#include "core/files/json_output.h"
#include "core/io/graph_file.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

const std::string small = OVERLAP_TEST_DATA "/graphs/everything.graph.json";
const std::string compressed = OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8_aot_fw.graph.json.gz";

/// What reading `bytes` says; empty when it gives a graph, which must then be writable.
std::string refusal(const std::string& bytes) {
    try {
        const auto graph = read_graph_text(bytes, "file");
        EXPECT_FALSE(write_graph_text(*graph).empty());
        return {};
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST(BadFile, EveryFixtureIsRefusedWithItsNameAndOneLine) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(OVERLAP_TEST_DATA "/bad")) {
        ++count;
        try {
            read_graph_file(entry.path());
            ADD_FAILURE() << entry.path() << " was read";
        } catch (const InputError& error) {
            const std::string message = error.what();
            EXPECT_TRUE(message.starts_with(entry.path().string() + ": ")) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        }
    }
    EXPECT_GE(count, 10u);
}

TEST(BadFile, CannotBeOpened) {
    try {
        read_graph_file("/absent/graph.json");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "/absent/graph.json: it cannot be opened: No such file or directory");
    }
}

TEST(BadFile, WhatIsNoFileIsRefusedWithoutWaitingForIt) {
    const test::TemporaryFolder folder;
    const std::string pipe = (folder.path() / "pipe.graph.json").string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& [path, what] : {std::pair<std::string, std::string>{OVERLAP_TEST_DATA, "a folder"},
                                     {pipe, "a pipe"},
                                     {"/dev/zero", "a device"}}) {
        try {
            read_graph_file(path);
            ADD_FAILURE() << path << " was read";
        } catch (const InputError& error) {
            EXPECT_EQ(error.what(), path + ": it is " + what + ", and a file was expected");
        }
    }
}

TEST(BadFile, EmptyAndNotJson) {
    EXPECT_EQ(refusal(""), "file: it is empty");
    EXPECT_EQ(refusal("{\n  \"format\": overlap\n}").find("file: line 2, column 13: invalid JSON"), 0u)
        << refusal("{\n  \"format\": overlap\n}");
    EXPECT_NE(refusal("{} {}").find("line 1, column 4: invalid JSON"), std::string::npos) << refusal("{} {}");
    EXPECT_NE(refusal("[1, 2").find("line 1, column 6: invalid JSON"), std::string::npos) << refusal("[1, 2");
    EXPECT_NE(refusal(std::string("\x00\x01\x02", 3)).find("invalid JSON"), std::string::npos);
    EXPECT_NE(refusal("   \n ").find("invalid JSON"), std::string::npos) << refusal("   \n ");
}

TEST(BadFile, InvalidUtf8) {
    EXPECT_EQ(refusal("{\"a\": \"\xff\"}"), "file: byte 7: this is not UTF-8, and JSON must be");
    EXPECT_EQ(refusal("\"\xed\xa0\x80\""), "file: byte 1: this is not UTF-8, and JSON must be");
    EXPECT_EQ(refusal("\"\xc3\xa9\xf0\x9f\x98\""), "file: byte 3: this is not UTF-8, and JSON must be");
}

TEST(BadFile, ByteOrderMarkIsPassedOver) {
    EXPECT_EQ(refusal("\xef\xbb\xbf" + test::read_bytes(small)), "");
}

TEST(BadFile, DeepNestingIsRefusedWithoutRecursion) {
    for (const std::size_t depth : {2000u, 10000u, 1000000u}) {
        EXPECT_NE(refusal(std::string(depth, '[') + std::string(depth, ']'))
                      .find("nested " + std::to_string(depth) + " deep"),
                  std::string::npos);
        EXPECT_NE(refusal(std::string(depth, '[')).find("invalid JSON"), std::string::npos);
    }
}

TEST(BadFile, PlainFileCutAnywhere) {
    const std::string whole = test::read_bytes(small);
    ASSERT_EQ(refusal(whole), "");
    const std::size_t end = whole.find_last_of('}');
    for (std::size_t percent = 0; percent < 100; ++percent) {
        EXPECT_NE(refusal(whole.substr(0, end * percent / 100)), "") << percent;
    }
}

TEST(BadFile, CompressedFileCutAnywhereSaysTruncated) {
    const std::string whole = test::read_bytes(compressed);
    ASSERT_EQ(refusal(whole), "");
    for (std::size_t percent = 1; percent < 100; ++percent) {
        const std::string message = refusal(whole.substr(0, whole.size() * percent / 100));
        EXPECT_NE(message.find("truncated"), std::string::npos) << percent << " " << message;
    }
    EXPECT_NE(refusal(whole.substr(0, whole.size() - 1)).find("truncated"), std::string::npos);
}

TEST(BadFile, FlippedBytesOfAPlainFile) {
    const std::string whole = test::read_bytes(small);
    std::mt19937 random(20151);
    for (int round = 0; round < 3000; ++round) {
        std::string bytes = whole;
        for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
            bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
        }
        refusal(bytes);
    }
}

TEST(BadFile, FlippedBytesOfACompressedFile) {
    const std::string whole = test::read_bytes(compressed);
    std::mt19937 random(20152);
    for (int round = 0; round < 200; ++round) {
        std::string bytes = whole;
        bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
        refusal(bytes);
    }
}

TEST(BadFile, GzipOfSeveralMembersIsRead) {
    const std::string whole = test::read_bytes(small);
    const std::string two = gzip_compressed(whole.substr(0, 1000)) + gzip_compressed(whole.substr(1000));
    EXPECT_EQ(refusal(two), "");
    EXPECT_EQ(refusal(two + std::string(512, '\0')), "");
    EXPECT_NE(refusal(two + "tail").find("followed by something else"), std::string::npos) << refusal(two + "tail");
    EXPECT_EQ(refusal(gzip_compressed("")), "file: the gzip stream holds nothing");
}

TEST(BadFile, GzipThatHoldsAThousandTimesItsSizeIsRead) {
    const std::string blanks(std::size_t{5} << 20, ' ');
    const std::string dense = gzip_compressed(blanks + test::read_bytes(small));
    EXPECT_EQ(refusal(dense), "");
    EXPECT_EQ(refusal(gzip_compressed(blanks) + dense), "") << "the size that the end announces is that of one member";
}

TEST(BadFile, GzipThatAnnouncesMoreThanItHoldsIsRefused) {
    std::string bytes = gzip_compressed(test::read_bytes(small));
    bytes.replace(bytes.size() - 4, 4, 4, '\xff');
    EXPECT_NE(refusal(bytes).find("the gzip stream is damaged"), std::string::npos) << refusal(bytes);
}

}  // namespace
}  // namespace overlap
