#include "core/passes/experts/node_fields.h"

#include "tests/passes/pass_fixture.h"

namespace overlap::experts {
namespace {

class NodeFieldsTest : public test::PassTest {
  protected:
    /// A graph of one node of 8 x 4 with these unknown fields.
    std::shared_ptr<const Graph> graph_with(std::string_view fields) {
        builder_ = {};
        NodeMetadata metadata;
        metadata.extra_json = builder_.intern(fields);
        call("a", "aten.relu.default", {}, {8, 4}, metadata);
        return std::make_shared<const Graph>(builder_.finish(header_));
    }

    /// What is read of a node's fields, or why it is refused: sizes of outputs in brackets, `-` for a number, the value
    /// with its hint, hints of symbols, and the half that it belongs to.
    std::string read(std::string_view fields, bool reads_chunks = false) try {
        const auto graph = graph_with(fields);
        const NodeFieldTable table(*graph, "pass", reads_chunks);
        const NodeFields& found = table.of(0);
        std::string text;
        for (const std::vector<ExpressionId>& shape : found.shapes) {
            text += '[';
            for (const ExpressionId size : shape)
                text.append(size == no_expression ? "-" : table.expressions().text(size)).append(" ");
            text += ']';
        }
        if (found.value != no_expression)
            text.append(table.expressions().text(found.value)) += " is " + std::to_string(table.hint(0, found.value));
        for (const ChunkSymbolHint& hint : found.hints) text.append(hint.symbol + " of " + std::to_string(hint.extent));
        if (found.chunk.chunk) text += "half " + std::to_string(*found.chunk.chunk);
        if (!found.trainer_members.empty()) text.append(" trainer ").append(found.trainer_members);
        if (!found.members.empty()) text.append(" others ").append(found.members);
        return text;
    } catch (const PassRefusal& refusal) {
        return refusal.what();
    }
};

std::string unreadable(const std::string& found) {
    return "pass: node \"a\": found " + found +
           " as a size or value that is known only when the job runs, expected an expression of symbols such as u4 or "
           "3*u0";
}

TEST_F(NodeFieldsTest, AreTakenApart) {
    struct Reading {
        const char* fields;
        std::string read;
    };
    const Reading readings[] = {
        {R"({"z":1})", ""},
        {R"({"symbolic_value":{"symbol":"u0","hint":8},"z":1})", R"(u0 is 8 others "z":1)"},
        {R"({"symbolic_value":{"symbol":"u0","hint":8,"x":1}})", "u0 is 8"},
        {R"({"symbolic_value":{"symbol":"u0","hint":"x"}})", "u0 is 1"},
        {R"({"symbolic_value":{"symbol":"u0"}})", "u0 is 1"},
        {R"({"symbolic_value":{"symbol":"3*u0","hint":24}})", "3*u0 is 3"},
        {R"({"symbolic_value":{"symbol":"8","hint":8}})", ""},
        {R"({"symbolic_shapes":[["u0",4]]})", "[u0 - ]"},
        {R"({"symbolic_shapes":[["u0",4],["u1"]]})", "[u0 - ][]"},
        {R"({"symbolic_shapes":[null]})", ""},
        {R"({"symbolic_shapes":[["8",4]]})", ""},
        {R"({"symbolic_shapes":[["u0",4]],"symbolic_value":{"symbol":"u0","hint":9}})", "[u0 - ]u0 is 8"},
        {R"({"symbolic_shapes":[["u0",4]],"titan_meta":{"recompute":"x"}})", R"([u0 - ] trainer "recompute":"x")"},
        {R"({"titan_meta":{"chunk_symbol_hints":{"u0":16},"recompute":"x"}})", R"(u0 of 16 trainer "recompute":"x")"},
        {R"({"symbolic_shapes":[["u0",4]],"titan_meta":{"chunk_id":1}})", R"([u0 - ] trainer "chunk_id":1)"},
    };
    for (const Reading& reading : readings) EXPECT_EQ(read(reading.fields), reading.read) << reading.fields;
    EXPECT_EQ(read(R"({"titan_meta":{"chunk_id":1,"recompute":"x"},"z":1})", true),
              R"(half 1 trainer "recompute":"x" others "z":1)");
    EXPECT_EQ(read(R"({"titan_meta":{"recompute":"x"}})", true), R"( trainer "recompute":"x")");
    header_.extra_json = R"({"unbacked_symbol_hint":64})";
    EXPECT_EQ(read(R"({"symbolic_value":{"symbol":"u0"}})"), "u0 is 64");
}

TEST_F(NodeFieldsTest, AreRefusedWhereTheyAreNotAsTheFormatHasThem) {
    struct Refusal {
        const char* fields;
        std::string reason;
    };
    const Refusal refusals[] = {
        {R"({"symbolic_value":7})", unreadable("nothing")},
        {R"({"symbolic_value":{"hint":8}})", unreadable("nothing")},
        {R"({"symbolic_value":{"symbol":"","hint":8}})", unreadable("\"\"")},
        {R"({"symbolic_value":{"symbol":"u\"0","hint":8}})", unreadable(R"("u\"0")")},
        {R"({"symbolic_value":{"symbol":u0,"hint":8}})", unreadable("u0")},
        {R"({"symbolic_shapes":[["u0 >",4]]})", unreadable("\"u0 >\"")},
        {R"({"symbolic_shapes":[["u0"]]})", "pass: node \"a\": its symbolic_shapes have 1 sizes for an output of 2"},
        {R"({"symbolic_value":{"symbol":"9223372036854775807*u0"},"symbolic_shapes":[["u0",4]]})",
         "pass: node \"a\": its size \"9223372036854775807*u0\" has no value under the hints of its symbols"},
    };
    for (const Refusal& refusal : refusals) EXPECT_EQ(read(refusal.fields), refusal.reason) << refusal.fields;
}

TEST_F(NodeFieldsTest, TellHowFarSymbolsAreKnown) {
    struct Knowledge {
        const char* fields;
        std::int64_t next_symbol;
        bool is_complete;
    };
    const Knowledge cases[] = {
        {R"({"z":1})", 0, true},
        {R"({"symbolic_shapes":[["u0",4]]})", 1, true},
        {R"({"symbolic_shapes":[["u7",4]]})", 8, true},
        {R"({"symbolic_shapes":[["2*u7",4]]})", 8, false},
        {R"({"symbolic_shapes":[["u9223372036854775807",4]]})", 9223372036854775807, true},
        {R"({"symbolic_shapes":[["u0",4]],"titan_meta":{"chunk_symbol_hints":{"u0":8}}})", 1, false},
    };
    for (const Knowledge& known : cases) {
        const auto graph = graph_with(known.fields);
        const NodeFieldTable table(*graph, "pass", false);
        EXPECT_EQ(table.next_symbol(), known.next_symbol) << known.fields;
        EXPECT_EQ(table.is_complete(), known.is_complete) << known.fields;
    }
}

TEST_F(NodeFieldsTest, AreWrittenAsTheyWereRead) {
    for (const std::string fields :
         {R"({"z":1})", R"({"symbolic_value":{"symbol":"u0","hint":8}})", R"({"z":1,"symbolic_shapes":[["u0",4]]})",
          R"({"symbolic_shapes":[["u0",4]],"titan_meta":{"recompute":"x"}})",
          R"({"titan_meta":{"chunk_symbol_hints":{"u0":16}}})", R"({"titan_meta":{"chunk_id":1}})", ""}) {
        const auto graph = graph_with(fields);
        const NodeFieldTable table(*graph, "pass", true);
        const GraphEditor editor(graph);
        EXPECT_EQ(fields_text(table.of(0), table.expressions(), table.hints(), editor, graph->outputs(0)), fields);
    }
}

/// Sizes of an output that the fields say nothing of are numbers.
TEST_F(NodeFieldsTest, EachOutputHasItsPlace) {
    const auto graph = graph_with(R"({"symbolic_shapes":[["u0",4]]})");
    const NodeFieldTable table(*graph, "pass", true);
    const GraphEditor editor(graph);
    const TensorMeta tensor = graph->outputs(0)[0];
    const std::vector<TensorMeta> outputs{tensor, TensorMeta(), tensor};
    EXPECT_EQ(sizes_piece_text(table.of(0), table.expressions(), table.hints(), editor, outputs),
              R"({"symbolic_shapes":[["u0",4],null,[8,4]],)");
    EXPECT_EQ(sizes_piece_text({}, table.expressions(), table.hints(), editor, outputs), "{");
}

}  // namespace
}  // namespace overlap::experts
