#include "core/graph/editing/graph_editor.h"
#include "core/passes/registry/registry.h"
#include "tests/passes/altered_graph.h"
#include "tests/passes/pass_fixture.h"

namespace overlap::test {
namespace {

using Change = std::vector<Difference>;
using GraphPointer = std::shared_ptr<const Graph>;

constexpr std::string_view pass = "concretize_ep_chunk_symbolic_shapes_pass";

/// A batch of 8, the symbol u0 that a pass halves, and a count of tokens, u5, that is 5 in the file. Two conditions on
/// the batch are asserted: that it is at least 8, and at most 8.
GraphPointer asserted(const Change& change = {}) {
    const std::string tensor =
        R"("stride": [4, 1], "dtype": "bfloat16", "device": "cuda", "storage_bytes": 64, "storage": )";
    const auto graph = graph_of({"x"},
                                {{"size", "aten.sym_size.int", R"(["%x", 0])"},
                                 {"first", "operator.ge", R"(["%size", 8])"},
                                 {"second", "operator.le", R"(["%size", 8])"},
                                 {"both", "operator.and_", R"(["%first", "%second"])"},
                                 {"assertion", "aten._assert_scalar.default", R"(["%both"])"},
                                 {"tokens", "aten.sym_size.int", R"(["%x", 1])"},
                                 {"relu", "aten.relu.default", R"(["%x"])"}},
                                R"("%relu")");
    const Change sizes = {{"x", "/outputs", R"([{"shape": [8, 4], )" + tensor + "0}]"},
                          {"x", "/symbolic_shapes", R"([["u0", 4]])"},
                          {"x", "/titan_meta", R"({"chunk_symbol_hints": {"u0": 8}})"},
                          {"size", "/symbolic_value", R"({"symbol": "u0", "hint": 8})"},
                          {"tokens", "/symbolic_value", R"({"symbol": "u5", "hint": 5})"},
                          {"relu", "/outputs", R"([{"shape": [8, 4], )" + tensor + "1}]"},
                          {"relu", "/symbolic_shapes", R"([["u0", 4]])"}};
    return altered(*altered(*graph, sizes), change);
}

GraphPointer concretized(const GraphPointer& graph) {
    return require_pass(pass).run(graph, {}, {}).graph;
}

/// Why the graph is refused; empty where it is not.
std::string refused(const Change& change) {
    try {
        concretized(asserted(change));
    } catch (const PassRefusal& refusal) {
        return refusal.what();
    }
    return {};
}

bool is_false(const Change& change) {
    const std::string reason = refused(change);
    EXPECT_TRUE(reason.empty() || reason.find("asserts what is false") != reason.npos) << reason;
    return !reason.empty();
}

TEST(ConcretizedConditions, ComparisonsOfNumbersAreThoseOfPython) {
    const auto compared = [](const std::string& name, const std::string& number) {
        return is_false({{"first", "/target", "\"operator." + name + '"'}, {"first", "/args/1", number}});
    };
    EXPECT_FALSE(compared("eq", "8"));
    EXPECT_TRUE(compared("eq", "9"));
    EXPECT_FALSE(compared("ne", "9"));
    EXPECT_TRUE(compared("ne", "8"));
    EXPECT_FALSE(compared("lt", "9"));
    EXPECT_TRUE(compared("lt", "8"));
    EXPECT_FALSE(compared("le", "8"));
    EXPECT_TRUE(compared("le", "7"));
    EXPECT_FALSE(compared("gt", "7"));
    EXPECT_TRUE(compared("gt", "8"));
    EXPECT_FALSE(compared("ge", "8"));
    EXPECT_TRUE(compared("ge", "9"));
}

TEST(ConcretizedConditions, ConditionsAreJoinedAsPythonJoinsThem) {
    const Difference first_fails = {"first", "/args/1", "9"}, second_fails = {"second", "/args/1", "7"};
    const Difference either = {"both", "/target", R"("operator.or_")"};
    EXPECT_FALSE(is_false({}));
    EXPECT_TRUE(is_false({first_fails}));
    EXPECT_TRUE(is_false({second_fails}));
    EXPECT_FALSE(is_false({either, first_fails}));
    EXPECT_FALSE(is_false({either, second_fails}));
    EXPECT_TRUE(is_false({either, first_fails, second_fails}));
    EXPECT_TRUE(is_false({{"both", "/args/0", "false"}}));
    EXPECT_FALSE(is_false({{"both", "/args/0", "true"}}));
}

/// What it does not know it takes for true.
TEST(ConcretizedConditions, OthersThanThoseOfComparisonsAreNotKnown) {
    const Difference fails = {"first", "/args/1", "9"};
    EXPECT_FALSE(is_false({fails, {"both", "/target", R"("operator.xor")"}, {"second", "/args/1", "7"}}));
    EXPECT_FALSE(is_false({fails, {"both", "/args/1", "2"}}));
    EXPECT_FALSE(is_false({fails, {"both", "/args/0", "2"}}));
    EXPECT_FALSE(is_false({{"both", "/args", "[]"}}));
    EXPECT_FALSE(is_false({{"both", "/args/0", R"("x")"}}));
    EXPECT_TRUE(is_false({{"assertion", "/args/0", "false"}}));
    EXPECT_FALSE(is_false({{"assertion", "/args/0", "true"}}));
    EXPECT_FALSE(is_false({{"assertion", "/args/0", "0"}}));  // torchtitan looks at booleans alone
    EXPECT_FALSE(is_false({{"assertion", "/args", "[]"}}));
}

/// What an argument of `relu` becomes: as a document has it.
std::string argument_after(const std::string& argument, const std::string& place = "/args/-") {
    const std::string where = place == "/args/-" ? "/args/1" : place;
    const auto graph = concretized(asserted({{"relu", place, argument}}));
    const nlohmann::json document = nlohmann::json::parse(write_graph_text(*graph));
    for (const nlohmann::json& node : document["nodes"])
        if (node["name"] == "relu") return node.at(nlohmann::json::json_pointer(where)).dump();
    return {};
}

TEST(ConcretizedArguments, SizesBecomeNumbersAsFarAsTheyAreKnown) {
    EXPECT_EQ(argument_after(R"({"symbol": "u0", "hint": 8})"), "8");
    EXPECT_EQ(argument_after(R"json({"symbol": "(u0//2)", "hint": 4})json"), "4");
    EXPECT_EQ(argument_after(R"({"symbol": "u5", "hint": 5})"), "5");  // as the file has it
    EXPECT_EQ(argument_after(R"({"symbol": "u0 + u5", "hint": 13})"), R"({"hint":13,"symbol":"u5 + 8"})");
    EXPECT_EQ(argument_after(R"([1, {"symbol": "u0", "hint": 8}, "%x"])"), R"([1,8,{"node":"x"}])");
    EXPECT_EQ(argument_after(R"({"symbol": "u0", "hint": 8})", "/kwargs/count"), "8");
    EXPECT_EQ(argument_after(R"("%size")", "/kwargs/count"), "8");
    EXPECT_EQ(argument_after("[1, 2]"), "[1,2]");
}

TEST(ConcretizedArguments, WhatTorchWouldWriteHasToBeKnown) {
    const auto reason = [](const std::string& symbol) {
        return refused({{"relu", "/args/-", R"({"symbol": ")" + symbol + R"(", "hint": 8})"}});
    };
    EXPECT_NE(reason("u0*u5").find("how torch writes \"u0*u5\""), std::string::npos) << reason("u0*u5");
    EXPECT_NE(reason("u0 >= 8").find("how torch writes \"u0 >= 8\""), std::string::npos) << reason("u0 >= 8");
    const std::string shape = refused({{"relu", "/symbolic_shapes", R"([["u0*u5", 4]])"}});
    EXPECT_NE(shape.find("\"relu\""), std::string::npos) << shape;
    EXPECT_NE(shape.find("how torch writes \"u0*u5\""), std::string::npos) << shape;
}

TEST(ConcretizedShapes, WhatIsLeftOfASizeKeepsItsPlace) {
    const auto graph = concretized(asserted({{"relu", "/symbolic_shapes", R"([["u0 + u5", 4]])"}}));
    const NodeId relu = graph->find("relu");
    EXPECT_EQ(graph->text(graph->metadata(relu).extra_json), R"({"symbolic_shapes":[["u5 + 8",4]]})");
    EXPECT_EQ(graph->shape(graph->outputs(relu).front()).front(), 13);
}

/// Files from before hints of symbols were written tell by the halves that a pass has made.
TEST(ConcretizedShapes, WithoutHintsOnlyHalvesThatAPassMadeTellOfThem) {
    const auto changes = [](const Change& more) {
        Change change = {{"x", "/titan_meta", ""}};
        change.insert(change.end(), more.begin(), more.end());
        const auto graph = asserted(change);
        return concretized(graph) != graph;
    };
    const std::string by_pass = R"({"chunked_region_producer": "graph"})",
                      by_model = R"({"chunked_region_producer": "model"})";
    EXPECT_TRUE(changes({{"relu", "/titan_meta", by_pass}}));
    EXPECT_FALSE(changes({}));
    EXPECT_FALSE(changes({{"relu", "/titan_meta", by_model}}));
    EXPECT_FALSE(changes({{"relu", "/note", R"("graph")"}}));
    EXPECT_FALSE(changes({{"relu", "/note", R"("graph")"}, {"relu", "/titan_meta", by_model}}));
    EXPECT_FALSE(changes({{"relu", "/note", R"("graph")"}, {"size", "/titan_meta", by_model}}));
}

TEST(ConcretizedShapes, FieldsThatAreNotAsTheFormatHasThemAreRefused) {
    const auto reason = [](const std::string& place, const std::string& holds) {
        return refused({{"relu", place, holds}});
    };
    EXPECT_NE(reason("/symbolic_shapes", R"([["u0"]])").find("have 1 sizes for an output of 2"), std::string::npos);
    for (const char* value : {R"({"symbol": 3, "hint": 8})", R"({"hint": 8})", R"({"symbol": "u0 >", "hint": 8})"})
        EXPECT_NE(reason("/symbolic_value", value).find("expected an expression of symbols"), std::string::npos)
            << value;
    EXPECT_EQ(reason("/symbolic_shapes", "[null]"), "");
    EXPECT_EQ(reason("/symbolic_shapes", R"([["8", 4]])"), "");
    EXPECT_EQ(reason("/symbolic_shapes", R"([["u0", 4], ["u0"]])"), "");
}

}  // namespace
}  // namespace overlap::test
