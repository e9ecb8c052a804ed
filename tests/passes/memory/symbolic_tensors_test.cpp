#include "core/passes/memory/symbolic_tensors.h"

#include "core/base/error.h"
#include "tests/passes/altered_graph.h"
#include "tests/passes/pass_fixture.h"

namespace overlap::memory {
namespace {

using test::Difference;

/// A batch of u0 rows, and what is computed of it; @param change of `made`.
std::shared_ptr<const Graph> batch(const std::vector<Difference>& change) {
    const std::string tensor =
        R"("dtype": "bfloat16", "device": "cuda", "storage_bytes": 1024, "storage": 0, "shape": )";
    const auto graph = test::graph_of({"x", "y"}, {{"made", "aten.relu.default", R"(["%x"])"}}, R"("%made")");
    const std::vector<Difference> sizes = {
        {"x", "/outputs", "[{" + tensor + R"([8, 4], "stride": [4, 1]}])"},
        {"x", "/symbolic_shapes", R"([["u0", 4]])"},
        {"y", "/outputs", "[{" + tensor + R"([8, 4], "stride": [4, 1]}])"},
        {"y", "/symbolic_shapes", R"([["2*u3", 4]])"},
        {"made", "/outputs", "[{" + tensor + R"([2, 8, 4], "stride": [32, 4, 1]}])"},
    };
    return test::altered(*test::altered(*graph, sizes), change);
}

/// A list of sizes: numbers, and symbols with what they were taken for.
std::string text(const GraphEditor& editor, const Value& list) {
    std::string text;
    for (const Value& item : editor.children(list)) {
        if (!text.empty()) text += ", ";
        if (item.is(ValueKind::symbol)) {
            text += std::string(editor.text(editor.children(item)[0].string)) + " = ";
            text += std::to_string(editor.children(item)[1].integer);
        } else {
            text += std::to_string(item.integer);
        }
    }
    return text;
}

std::string sizes(const std::vector<Difference>& change) {
    const auto graph = batch(change);
    const NodeId made = graph->find("made");
    GraphEditor editor(graph);
    return text(editor, SymbolicTensors(*graph).size_argument(editor, made, graph->outputs(made).front()));
}

std::string strides(const std::vector<Difference>& change) {
    const auto graph = batch(change);
    const NodeId made = graph->find("made");
    GraphEditor editor(graph);
    try {
        const TensorMeta& tensor = graph->outputs(made).front();
        return text(editor, SymbolicTensors(*graph).stride_argument(editor, made, tensor, "test"));
    } catch (const PassRefusal& refused) {
        EXPECT_NE(std::string_view(refused.what()).find("sums of symbols only"), std::string_view::npos);
        return "refused";
    }
}

TEST(SymbolicTensors, SizesAreNumbersAndSymbols) {
    EXPECT_EQ(sizes({}), "2, 8, 4");
    EXPECT_EQ(sizes({{"made", "/symbolic_shapes", R"([[2, "u0", 4]])"}}), "2, u0 = 8, 4");
    EXPECT_EQ(sizes({{"made", "/symbolic_shapes", R"([["2*u1"]])"}}), "2*u1 = 2, 8, 4");
}

TEST(SymbolicTensors, StridesOutsideTheFirstSymbolAreMultiplesOfIt) {
    const auto of = [](const std::string& shapes) { return strides({{"made", "/symbolic_shapes", shapes}}); };
    EXPECT_EQ(of(R"([[2, "u0", 4]])"), "4*u0 = 32, 4, 1");
    EXPECT_EQ(of(R"([[2, "u0 + 2*s1", 4]])"), "4*u0 + 8*s1 = 32, 4, 1");
    EXPECT_EQ(of(R"([["u0", 8, 4]])"), "32, 4, 1");
    EXPECT_EQ(of("[[2, 8, 4]]"), "32, 4, 1");
    EXPECT_EQ(of("[]"), "32, 4, 1");
    EXPECT_EQ(of(R"([[2, 8, 4, "u0"]])"), "32, 4, 1");  // a size that the tensor has not
    // Without elements nothing is a multiple of their number.
    EXPECT_EQ(strides({{"made", "/symbolic_shapes", R"([[2, "u0", 4]])"},
                       {"made", "/outputs/0/shape", "[2, 0, 4]"},
                       {"made", "/outputs/0/stride", "[4, 4, 1]"}}),
              "4, 4, 1");
    for (const std::string size : {"u0*u1", "0*u0", "-2*u0", "x*u0", "2 *u0", "u0 - 1", "u", "4611686018427387904*u0",
                                   "99999999999999999999*u0", "Max(u0, 1)"})
        EXPECT_EQ(of(R"([[2, ")" + size + R"(", 4]])"), "refused") << size;
}

TEST(SymbolicTensors, AScalarIsAWholeNumber) {
    const auto is_scalar = [](const std::vector<Difference>& change) {
        const auto graph = batch(change);
        return SymbolicTensors(*graph).is_scalar(graph->find("made"), "test");
    };
    EXPECT_TRUE(is_scalar({{"made", "/symbolic_value", R"({"symbol": "u4", "hint": -12})"}}));
    EXPECT_FALSE(is_scalar({}));
    EXPECT_FALSE(is_scalar({{"made", "/note", R"("symbolic_value")"}}));
    for (const char* value : {R"({"symbol": "u4"})", R"({"symbol": "u4", "hint": 1.5})"})
        EXPECT_THROW(is_scalar({{"made", "/symbolic_value", value}}), PassRefusal) << value;
}

TEST(SymbolicTensors, ATensorHasASymbolAmongTheSizesOfItsFirstOutput) {
    const auto is_tensor = [](const std::vector<Difference>& change) {
        const auto graph = batch(change);
        return SymbolicTensors(*graph).is_tensor(graph->find("made"));
    };
    EXPECT_TRUE(is_tensor({{"made", "/symbolic_shapes", R"([[2, "u0", 4]])"}}));
    EXPECT_FALSE(is_tensor({}));
    EXPECT_FALSE(is_tensor({{"made", "/symbolic_shapes", "[]"}}));
    EXPECT_FALSE(is_tensor({{"made", "/symbolic_shapes", R"([[2, 8, 4], ["u0"]])"}}));
}

/// Only of a layout under sizes that are near what the file has can it be said that it is not contiguous.
TEST(SymbolicTensors, ALayoutOfWhichNothingCanBeSaidIsContiguous) {
    const auto turned = [](const std::string& size, const std::string& rows = "8") {
        const auto graph = batch({{"made", "/symbolic_shapes", R"([[")" + size + R"(", 4]])"},
                                  {"made", "/outputs/0/shape", "[" + rows + ", 4]"},
                                  {"made", "/outputs/0/stride", "[1, " + rows + "]"}});
        const NodeId made = graph->find("made");
        return SymbolicTensors(*graph).is_contiguous(made, graph->outputs(made).front());
    };
    EXPECT_FALSE(turned("u0"));
    EXPECT_FALSE(turned("2*u0"));
    EXPECT_FALSE(turned(""));  // a number
    EXPECT_TRUE(turned("u0", "3"));
    EXPECT_TRUE(turned("u0 - 1"));
    EXPECT_TRUE(turned("u7"));
    EXPECT_TRUE(turned("u3"));  // no size of an input alone
    EXPECT_TRUE(turned("Max(u0, 1)"));
    EXPECT_TRUE(turned("_u0"));
}

TEST(SymbolicTensors, SumsOfMultiplesAreMultiplied) {
    EXPECT_EQ(multiplied("u0", 1), "u0");
    EXPECT_EQ(multiplied("s0 + 2*u10", 3), "3*s0 + 6*u10");
    for (const char* text : {"", "u", "u0 + ", "U0", "u0x", "u:", "2*", "*u0", "4", "{u0", "3**u0"})
        EXPECT_EQ(multiplied(text, 2), std::nullopt) << text;
}

}  // namespace
}  // namespace overlap::memory
