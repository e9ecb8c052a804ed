// What is said of arguments whose floating-point operations cannot be counted.

#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "core/cost/flop_formulas.h"
#include "core/io/graph_file.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/problem_of.h"

namespace overlap::test {
namespace {

using SizesList = std::vector<std::vector<std::int64_t>>;

struct RefusedCount {
    std::string target;
    SizesList tensors;
    std::vector<std::int64_t> numbers;  ///< arguments behind the tensors
    SizesList outputs;
    std::string sentence;  ///< without the node
};

std::string refusal(const RefusedCount& given) {
    GraphSketch sketch;
    std::vector<Value> arguments;
    for (const auto& sizes : given.tensors) {
        const std::string name = "x" + std::to_string(arguments.size());
        arguments.push_back(Value::of_node(sketch.input(name, sketch.tensor("float32", sizes))));
    }
    for (const std::int64_t number : given.numbers) arguments.push_back(Value::of_integer(number));
    std::vector<TensorMeta> outputs;
    for (const auto& sizes : given.outputs) {
        outputs.push_back(sizes.empty() ? TensorMeta{} : sketch.tensor("float32", sizes));
    }
    const NodeId node = sketch.call("counted", given.target, arguments, outputs);
    const Graph graph = sketch.finish();
    return problem_of([&] { node_flops(graph, node); });
}

TEST(FlopRefusals, NameTheNodeAndWhatDoesNotFit) {
    const std::string matrices = "the shapes of the two matrices do not fit one another";
    const std::string attention = "the shapes of query, key and value do not fit one another";
    const std::string batches = "query, key and value have different batch sizes";
    const std::string scaled = "aten._scaled_dot_product_flash_attention.default";
    const std::string flash = "aten._flash_attention_forward.default";
    const std::string convolution = "aten.convolution.default";
    const std::vector<RefusedCount> cases = {
        {"aten.mm.default", {{5}, {5}}, {}, {{1}}, matrices},
        {"aten.mm.default", {{3, 5}, {5, 7, 2}}, {}, {{1}}, matrices},
        {"aten.mm.default", {{3, 5}, {6, 7}}, {}, {{1}}, matrices},
        {"aten.bmm.default", {{2, 3, 5}, {3, 5, 7}}, {}, {{1}}, matrices},
        {"aten.mm.default",
         {{3, 5}},
         {5},
         {{1}},
         "argument 1 of aten.mm.default is no tensor, so its floating-point operations cannot be counted"},
        {convolution, {{5}, {8, 3, 3}}, {}, {{1, 1}}, "a tensor of a convolution has fewer than 2 dimensions"},
        {convolution, {{2, 3, 5}, {8, 3, 3}}, {}, {}, "output 0 of aten.convolution.default is no tensor"},
        {convolution, {{2, 3, 5}, {8, 3, 3}}, {}, {{}}, "output 0 of aten.convolution.default is no tensor"},
        {scaled,
         {{2, 8, 16}, {2, 8, 16}, {2, 8, 16}},
         {},
         {{1}},
         "argument 0 of " + scaled + " has 3 dimensions, expected 4"},
        {scaled, {{2, 8, 16, 4}, {3, 8, 32, 4}, {2, 8, 32, 4}}, {}, {{1}}, batches},
        {scaled, {{2, 8, 16, 4}, {2, 8, 32, 4}, {3, 8, 32, 4}}, {}, {{1}}, batches},
        {scaled, {{2, 8, 16, 4}, {2, 4, 32, 4}, {2, 8, 32, 4}}, {}, {{1}}, attention},
        {scaled, {{2, 8, 16, 4}, {2, 8, 32, 5}, {2, 8, 32, 4}}, {}, {{1}}, attention},
        {scaled, {{2, 8, 16, 4}, {2, 8, 32, 4}, {2, 8, 31, 4}}, {}, {{1}}, attention},
        {scaled, {{2, 8, 16, 4}, {2, 0, 32, 4}, {2, 0, 32, 4}}, {}, {{1}}, attention},
        {scaled, {{2, 4, 16, 4}, {2, 8, 32, 4}, {2, 8, 32, 4}}, {}, {{1}}, attention},
        {scaled, {{2, 8, 16, 4}, {2, 3, 32, 4}, {2, 3, 32, 4}}, {}, {{1}}, attention},
        {flash,
         {{20, 8}, {40, 2, 4}, {40, 2, 6}, {4}, {4}},
         {10, 20},
         {{1}},
         "the query of a jagged attention has neither 3 nor 4 dimensions"},
        {flash,
         {{20, 8, 4}, {40, 2, 4}, {40, 2, 6}, {4}, {5}},
         {10, 20},
         {{1}},
         "the offsets of query and key have different lengths"},
        {flash,
         {{20, 8, 4}, {40, 2, 4}, {40, 2, 6}, {4}, {4}},
         {10},
         {{1}},
         "argument 6 is no integer, so the longest sequence is not known"},
    };
    for (const RefusedCount& given : cases) {
        EXPECT_EQ(refusal(given), "node \"counted\": " + given.sentence) << given.target;
    }
}

TEST(FlopRefusals, TruthsMayBeNumbers) {
    // The same convolution as one and as transposed: its points are those of the output or of the input.
    const auto flops_of = [](std::int64_t transposed) {
        GraphSketch sketch;
        std::vector<Value> arguments = GraphSketch::values({sketch.input("x", sketch.tensor("float32", {2, 3, 5})),
                                                            sketch.input("w", sketch.tensor("float32", {3, 3, 1}))});
        for (int unused = 2; unused < 6; ++unused) arguments.push_back(Value::of_none());
        arguments.push_back(Value::of_integer(transposed));
        const NodeId node =
            sketch.call("counted", "aten.convolution.default", arguments, {sketch.tensor("float32", {2, 3, 7})});
        return node_flops(sketch.finish(), node);
    };
    EXPECT_EQ(flops_of(0), 7 * 2 * 3 * 3 * 2);
    EXPECT_EQ(flops_of(1), 5 * 2 * 3 * 3 * 2);
}

TEST(FlopRefusals, GradientsThatNobodyWantsTakeNothing) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {2, 3, 5}));
    const NodeId node =
        sketch.call("counted", "aten.convolution_backward.default", GraphSketch::values({x, x, x}), {TensorMeta{}});
    EXPECT_EQ(node_flops(sketch.finish(), node), 0);
}

TEST(FlopRefusals, NameTheArgumentOfTheNode) {
    GraphSketch sketch;
    const NodeId query = sketch.input("query", sketch.tensor("float32", {2, 2, 4, 4}));
    const NodeId key = sketch.input("key", sketch.tensor("float32", {2, 4, 4}));
    const NodeId node = sketch.call("counted", "aten._scaled_dot_product_flash_attention.default",
                                    GraphSketch::values({query, key, query}), {sketch.tensor("float32", {2, 2, 4, 4})});
    // Inside of control_deps arguments are counted as those of the node.
    const NodeId wrapped =
        sketch.call("wrapped", "higher_order.control_deps", GraphSketch::values({query, query, query, key, query}),
                    {sketch.tensor("float32", {2, 2, 4, 4})});
    const Graph graph = sketch.finish();
    EXPECT_EQ(problem_of([&] { node_flops(graph, node); }),
              "node \"counted\": argument 1 of aten._scaled_dot_product_flash_attention.default has 3 dimensions, "
              "expected 4");
    EXPECT_EQ(problem_of([&] { count_flops(graph, wrapped, FlopFormula::attention, 2); }),
              "node \"wrapped\": argument 3 of higher_order.control_deps has 3 dimensions, expected 4");
}

TEST(FlopRefusals, SymbolsCountAsTheirHints) {
    GraphSketch sketch;
    sketch.header().cost.reset();
    std::vector<Value> arguments;
    for (const std::vector<std::int64_t>& sizes : SizesList{{20, 8, 4}, {40, 2, 4}, {40, 2, 6}, {4}, {4}}) {
        const std::string name = "x" + std::to_string(arguments.size());
        arguments.push_back(Value::of_node(sketch.input(name, sketch.tensor("float32", sizes))));
    }
    arguments.push_back(Value::of_integer(10));
    arguments.push_back(Value::of_integer(987654));  // to be replaced
    sketch.call("counted", "aten._flash_attention_forward.default", arguments, {sketch.tensor("float32", {20, 8, 6})});
    const std::string document = write_graph_text(sketch.finish());
    const auto flops_of = [&](const std::string& longest) {
        std::string text = document;
        text.replace(text.find("987654"), 6, longest);
        const auto graph = read_graph_text(text, "symbols");
        return node_flops(*graph, graph->find("counted"));
    };
    EXPECT_EQ(flops_of("20"), 96000);
    EXPECT_EQ(flops_of(R"({"symbol": "s0", "hint": 20})"), 96000);
    EXPECT_EQ(problem_of([&] { flops_of(R"({"symbol": "s0", "hint": null})"); }),
              "node \"counted\": argument 6 is no integer, so the longest sequence is not known");
}

}  // namespace
}  // namespace overlap::test
