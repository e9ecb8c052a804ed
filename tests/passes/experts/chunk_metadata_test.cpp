#include "core/passes/experts/chunk_metadata.h"

#include "core/passes/experts/node_fields.h"
#include "tests/passes/pass_fixture.h"

namespace overlap::experts {
namespace {

class ChunkMetadataTest : public test::PassTest {
  protected:
    /// A node with these unknown fields, and with this `custom`.
    NodeId with_fields(std::string_view name, std::string_view extra_json, std::string_view custom_json = "") {
        NodeMetadata metadata;
        metadata.extra_json = builder_.intern(extra_json);
        metadata.custom_json = builder_.intern(custom_json);
        return call(name, "aten.relu.default", {Value::of_node(placeholder(std::string(name) + "_in"))}, {8}, metadata);
    }
    std::string fields(std::string_view name) const {
        return std::string(result_.graph->text(result_.graph->metadata(result_.graph->find(name)).extra_json));
    }
};

constexpr std::string_view eager_pass = "populate_eager_chunk_metadata_pass";

TEST_F(ChunkMetadataTest, WhatIsWrittenIsRead) {
    ChunkMetadata metadata;
    metadata.role = ChunkRole::body;
    metadata.producer = ChunkProducer::graph;
    metadata.chunk = 1;
    metadata.is_backward = false;
    metadata.region = "layers.1.moe";
    metadata.original_name = "mm_3";
    const std::string text = with_chunk_metadata(R"({"a":[1],"titan_meta":{"recompute":"x","chunk_id":0}})", metadata);
    EXPECT_EQ(text,
              R"({"a":[1],"titan_meta":{"recompute":"x","chunked_region_fqn":"layers.1.moe",)"
              R"("chunked_region_is_backward":false,"chunked_region_producer":"graph","chunked_region_role":"body",)"
              R"("chunk_id":1,"chunked_original_name":"mm_3"}})");
    const NodeId node = with_fields("a", text);
    const Graph graph = builder_.finish({});
    EXPECT_EQ(chunk_metadata(graph, node, "test"), metadata);
}

TEST(ChunkMetadataText, NothingTakesAllFieldsAwayButThoseOfOthers) {
    EXPECT_EQ(with_chunk_metadata(R"({"titan_meta":{"chunk_id":0,"chunked_region_role":"body"}})", {}), "");
    EXPECT_EQ(with_chunk_metadata(R"({"titan_meta":{"chunk_id":0,"chunk_symbol_hints":{"u0":8}}})", {}),
              R"({"titan_meta":{"chunk_symbol_hints":{"u0":8}}})");
    EXPECT_EQ(with_chunk_metadata("", {}), "");
}

TEST_F(ChunkMetadataTest, HintsOfSymbolsAreReadAndReplaced) {
    const std::vector<ChunkSymbolHint> hints = {{"u0", 16}, {"u1", 8}};
    const std::string text = with_chunk_symbol_hints(R"({"titan_meta":{"recompute":"x"}})", hints);
    EXPECT_EQ(text, R"({"titan_meta":{"recompute":"x","chunk_symbol_hints":{"u0":16,"u1":8}}})");
    EXPECT_EQ(with_chunk_symbol_hints(text, {}), R"({"titan_meta":{"recompute":"x"}})");
    EXPECT_EQ(with_chunk_symbol_hints("", {}), "");
    const NodeId node = with_fields("a", text);
    const Graph graph = builder_.finish({});
    EXPECT_EQ(chunk_symbol_hints(graph, node, "test"), hints);
}

TEST_F(ChunkMetadataTest, OtherValuesAreRefusedWithNodeAndField) {
    const NodeId role = with_fields("a", R"({"titan_meta":{"chunked_region_role":"tail"}})");
    const NodeId chunk = with_fields("b", R"({"titan_meta":{"chunk_id":2}})");
    const NodeId hints = with_fields("c", R"({"titan_meta":{"chunk_symbol_hints":{"u0":"x"}}})");
    const Graph graph = builder_.finish({});
    const auto reason = [&](auto&& read) -> std::string {
        try {
            read();
        } catch (const PassRefusal& refused) {
            return refused.what();
        }
        return "";
    };
    const std::string of_role = reason([&] { chunk_metadata(graph, role, "test"); });
    EXPECT_NE(of_role.find("chunked_region_role"), std::string::npos) << of_role;
    EXPECT_NE(of_role.find("\"a\""), std::string::npos) << of_role;
    EXPECT_NE(reason([&] { chunk_metadata(graph, chunk, "test"); }).find("chunk_id is 2"), std::string::npos);
    EXPECT_NE(reason([&] { chunk_symbol_hints(graph, hints, "test"); }).find("whole number"), std::string::npos);
}

TEST_F(ChunkMetadataTest, AMemberIsTakenWhereItSaysSomethingOfChunks) {
    const NodeId node = placeholder("a");
    const Graph graph = builder_.finish({});
    ChunkMetadata metadata;
    const auto takes = [&](std::string_view key, std::string_view value) {
        return read_chunk_member(metadata, key, value, graph, node, "test");
    };
    EXPECT_TRUE(takes("chunked_region_role", "\"body\""));
    EXPECT_TRUE(takes("chunked_region_producer", "\"eager\""));
    EXPECT_TRUE(takes("chunked_region_fqn", "\"m\""));
    EXPECT_TRUE(takes("chunked_original_name", "\"mm\""));
    EXPECT_TRUE(takes("chunked_region_is_backward", "true"));
    EXPECT_TRUE(takes("chunk_id", "1"));
    EXPECT_FALSE(takes("chunk_symbol_hints", "{}"));
    EXPECT_EQ(metadata, (ChunkMetadata{ChunkRole::body, ChunkProducer::eager, 1, true, "m", "mm"}));
}

// Fields that stand as torchtitan writes them are read in a quicker way.
TEST_F(ChunkMetadataTest, AThirdHalfIsRefusedHoweverItIsRead) {
    const auto fields_with = [](std::string_view chunk) {
        return R"({"titan_meta":{"chunked_region_fqn":"m","chunked_region_producer":"graph",)"
               R"("chunked_region_role":"body","chunk_id":)" +
               std::string(chunk) + "}}";
    };
    const NodeId second = with_fields("a", fields_with("1")), tenth = with_fields("b", fields_with("10"));
    const Graph graph = builder_.finish({});
    EXPECT_EQ(chunk_place(graph, second, "test").chunk, 1);
    EXPECT_EQ(chunk_place(graph, second, "test").region, "m");
    EXPECT_THROW(chunk_place(graph, tenth, "test"), PassRefusal);
}

TEST_F(ChunkMetadataTest, APlaceIsReadInAnyOrderOfTheFields) {
    const NodeId node = with_fields(
        "a", R"({"titan_meta":{"chunk_id":1,"chunked_region_role":"body","chunked_region_fqn":"layers.1.moe"}})");
    const Graph graph = builder_.finish({});
    EXPECT_EQ(chunk_place(graph, node, "test").chunk, 1);
    EXPECT_EQ(chunk_place(graph, node, "test").region, "layers.1.moe");
}

TEST_F(ChunkMetadataTest, AValueIsReadInAnyOrderOfItsMembers) {
    for (const char* const value : {R"({"symbol":"u0","hint":8})", R"({"hint":8,"symbol":"u0"})"}) {
        builder_ = {};
        const NodeId node = with_fields("a", R"({"symbolic_value":)" + std::string(value) + "}");
        const Graph graph = builder_.finish({});
        const NodeFieldTable fields(graph, "test", true);
        EXPECT_EQ(fields.expressions().text(fields.of(node).value), "u0") << value;
        EXPECT_EQ(fields.hint(node, fields.of(node).value), 8) << value;
    }
}

TEST_F(ChunkMetadataTest, AModelsAnnotationsBecomeMetadata) {
    output(
        {with_fields("a", "", R"({"chunk_id":0,"chunked_region_fqn":"m","chunked_region_role":"body","x":1})"),
         with_fields("b", R"({"z":1})", R"({"chunk_id":1})"),
         with_fields("c", R"({"titan_meta":{"chunked_region_role":"body","chunked_region_producer":"graph"}})", "{}"),
         with_fields("d", R"({"titan_meta":{"chunked_region_role":"body"}})")});
    run(eager_pass);
    EXPECT_EQ(fields("a"), R"({"titan_meta":{"chunked_region_fqn":"m","chunked_region_producer":"eager",)"
                           R"("chunked_region_role":"body","chunk_id":0}})");
    EXPECT_EQ(fields("b"), R"({"z":1,"titan_meta":{"chunk_id":1}})");
    // The reference looks at the role of every node that has a custom, and only of those.
    EXPECT_EQ(fields("c"), R"({"titan_meta":{"chunked_region_role":"body","chunked_region_producer":"eager"}})");
    EXPECT_EQ(fields("d"), R"({"titan_meta":{"chunked_region_role":"body"}})");
}

TEST_F(ChunkMetadataTest, AGraphWithoutAnnotationsStaysTheSame) {
    output({with_fields("a", R"({"z":1})", R"({"module_fqn":"layers.0"})")});
    run(eager_pass);
    EXPECT_TRUE(is_input());
}

}  // namespace
}  // namespace overlap::experts
