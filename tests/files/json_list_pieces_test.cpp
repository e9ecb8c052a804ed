#include "core/files/json_list_pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/io/graph_file.h"

namespace overlap {
namespace {

using Pieces = std::vector<std::string_view>;

std::optional<JsonListPieces> taken(std::string_view document, std::size_t piece_bytes = 4) {
    return json_list_pieces(document, "nodes", piece_bytes);
}

TEST(JsonListPieces, TheListIsCutBetweenItsEntries) {
    const auto found = taken(R"({"a": {"nodes": [9]}, "nodes": [1, "],[", {"b": [2, 3]}, 4], "c": []})");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rest, R"({"a": {"nodes": [9]}, "nodes": [], "c": []})");
    EXPECT_EQ(found->pieces, (Pieces{"1", R"( "],[")", R"( {"b": [2, 3]})", " 4"}));
    const auto at_once = taken(R"({"nodes":[1,2,3]})", 1000);
    ASSERT_TRUE(at_once);
    EXPECT_EQ(at_once->pieces, Pieces{"1,2,3"});
}

TEST(JsonListPieces, EmptyListsAndByteOrderMarks) {
    const auto found = taken("\xef\xbb\xbf \n{\"nodes\" : [ ]}");
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->pieces.empty());
    EXPECT_EQ(found->rest, "\xef\xbb\xbf \n{\"nodes\" : []}");
}

TEST(JsonListPieces, TheFirstListOfThatNameIsMeant) {
    const auto found = taken(R"({"nodes":[1],"nodes":[2]})");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->pieces, Pieces{"1"});
    EXPECT_EQ(found->rest, R"({"nodes":[],"nodes":[2]})");
}

TEST(JsonListPieces, WhatCannotBeTakenApart) {
    for (const char* document :
         {"", "[1]", "{", R"({"a":1})", R"({"nodes":{}})", R"({"nodes":7})", R"({"nodes":[1,2)", R"({"nodes":[1,2,]})",
          R"({"nodes":[1,2}})", R"({"nodes")", R"({"nodes":)", R"({"a":"b)", R"({"n\u006fdes":[1]})",
          R"({"a" 1,"nodes":[1]})", R"({"a":1 "nodes":[1]})"})
        EXPECT_FALSE(taken(document)) << document;
}

TEST(JsonListPieces, CommasWithNothingBetweenNeverGetLost) {
    for (const char* document : {R"({"nodes":[1,,2]})", R"({"nodes":[,1]})", R"({"nodes":[1 , , 2]})"})
        for (std::size_t piece_bytes = 1; piece_bytes < 20; ++piece_bytes) {
            const auto found = taken(document, piece_bytes);
            if (!found) continue;
            const bool is_seen = std::ranges::any_of(
                found->pieces, [](std::string_view piece) { return piece.find(',') != std::string_view::npos; });
            EXPECT_TRUE(is_seen) << document << " in pieces of " << piece_bytes;
        }
}

TEST(JsonListPieces, StopsWhenAsked) {
    std::stop_source source;
    source.request_stop();
    EXPECT_FALSE(json_list_pieces(R"({"nodes":[1]})", "nodes", 4, source.get_token()));
}

/// A document of more than one piece. @param last the last node; @param key how the list's name is spelled.
std::string large_document(const std::string& last, const std::string& key = "nodes") {
    std::string text = R"({"format":"overlap-graph","version":1,")" + key + R"(":[)";
    for (int node = 0; node < 20'000; ++node) {
        text.append(R"({"name":"n)").append(std::to_string(node));
        text.append(R"(","op":"placeholder","target":"p","note":"some more for each of the nodes"},)").append("\n");
    }
    return text + last + "]}";
}

std::string message_of(const std::string& text) {
    try {
        read_graph_text(text, "file");
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(JsonListPieces, LargeGraphsAreReadAsSmallOnesAre) {
    const std::string last =
        R"({"name":"z","op":"call_function","target":"aten.neg.default","args":[{"node":"n3"}],"users_order":[]})";
    const auto in_pieces = read_graph_text(large_document(last), "file");
    const auto whole = read_graph_text(large_document(last, "n\\u006fdes"), "file");
    ASSERT_EQ(in_pieces->node_count(), 20'001u);
    EXPECT_EQ(write_graph_text(*in_pieces), write_graph_text(*whole));
}

TEST(JsonListPieces, MistakesOfLargeGraphsHaveTheirPlaces) {
    EXPECT_EQ(message_of(large_document(R"({"name":"n7"})")),
              "file: nodes[20000] \"n7\": nodes[7] has this name already, and names must be unique");
    EXPECT_EQ(message_of(large_document(R"({"name":"z","op":"call_function","target":"t","args":[{"node":"n_"}]})")),
              "file: nodes[20000] \"z\", args[0].node: no node is called \"n_\"");
    EXPECT_EQ(message_of(large_document(R"({"name":"z","op":"placeholder","target":"t","users_order":["y"]})")),
              "file: nodes[20000].users_order[0]: no node is called \"y\"");
    // Of a mistake in a node and one of syntax behind it the latter is told, as of small documents.
    const std::string late = message_of(large_document(R"({"name":"n7"},{"name":truth})"));
    EXPECT_TRUE(late.starts_with("file: line 20001, column 26: invalid JSON")) << late;
    EXPECT_NE(message_of(large_document(R"({"name":"z"},)")).find("invalid JSON"), std::string::npos);
}

}  // namespace
}  // namespace overlap
