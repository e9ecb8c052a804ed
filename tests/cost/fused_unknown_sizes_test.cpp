// Fused products whose sizes do not follow from the nodes before: nothing is guessed.

#include <gtest/gtest.h>

#include <functional>

#include "core/cost/cost_model.h"
#include "core/cost/fused_products.h"
#include "core/cost/fused_values.h"
#include "tests/cost/fused_sketch.h"

namespace overlap::test {
namespace {

/// Draws behind a FusedSketch. @returns the node that is asked for.
using DrawFused = std::function<NodeId(FusedSketch&)>;

NodeId gather_with(FusedSketch& sketch, std::vector<Value> arguments) {
    return sketch.without_value("asked", "symm_mem.fused_all_gather_matmul.default", std::move(arguments));
}
NodeId scatter_with(FusedSketch& sketch, std::vector<Value> arguments) {
    return sketch.without_value("asked", "symm_mem.fused_matmul_reduce_scatter.default", std::move(arguments));
}
Value sized(FusedSketch& sketch, const char* name, std::vector<std::int64_t> sizes) {
    return Value::of_node(sketch.sized(name, std::move(sizes)));
}
Value node_list(FusedSketch& sketch, std::vector<Value> items) {
    return sketch.list(std::move(items));
}

bool is_found(const DrawFused& draw) {
    FusedSketch sketch;
    const NodeId asked = draw(sketch);
    const Graph graph = sketch.finish();
    return FusedProducts(graph).find(asked).has_value();
}

TEST(FusedUnknownSizes, ArgumentsThatDoNotFitGiveNoProduct) {
    const auto gather = [](const std::function<std::vector<Value>(FusedSketch&, Value, Value)>& arguments) {
        return is_found([&](FusedSketch& s) {
            const Value left = sized(s, "left", {2, 8}), right = sized(s, "right", {8, 4});
            return gather_with(s, arguments(s, left, right));
        });
    };
    const Value rows = Value::of_integer(0);
    EXPECT_TRUE(gather([&](auto& s, Value a, Value b) {
        return std::vector{a, node_list(s, {b}), rows, s.text("0")};
    }));
    EXPECT_TRUE(gather([](auto& s, Value a, Value b) {
        return std::vector{a, node_list(s, {b}), Value::of_integer(-2), s.text("0")};
    }));
    // Groups: not listed, no text, none.
    EXPECT_FALSE(gather([&](auto& s, Value a, Value b) {
        return std::vector{a, node_list(s, {b}), rows, s.text("9")};
    }));
    EXPECT_FALSE(gather([&](auto& s, Value a, Value b) { return std::vector{a, node_list(s, {b}), rows, rows}; }));
    EXPECT_FALSE(gather([&](auto& s, Value a, Value b) { return std::vector{a, node_list(s, {b}), rows}; }));
    // Dimensions: not there on either side, no number.
    for (const int dimension : {2, -3}) {
        EXPECT_FALSE(gather([&](auto& s, Value a, Value b) {
            return std::vector{a, node_list(s, {b}), Value::of_integer(dimension), s.text("0")};
        }));
    }
    EXPECT_FALSE(gather([](auto& s, Value a, Value b) {
        return std::vector{a, node_list(s, {b}), s.text("0"), s.text("0")};
    }));
    // Left factors: no tensor, a scalar.
    EXPECT_FALSE(gather([&](auto& s, Value, Value b) {
        return std::vector{rows, node_list(s, {b}), rows, s.text("0")};
    }));
    EXPECT_FALSE(gather([&](auto& s, Value, Value b) {
        return std::vector{sized(s, "scalar", {}), node_list(s, {b}), rows, s.text("0")};
    }));
    // Right factors: no list, none, a number, a scalar, one without a known value.
    EXPECT_FALSE(gather([&](auto& s, Value a, Value b) { return std::vector{a, b, rows, s.text("0")}; }));
    EXPECT_FALSE(gather([&](auto& s, Value a, Value) { return std::vector{a, node_list(s, {}), rows, s.text("0")}; }));
    EXPECT_FALSE(gather([&](auto& s, Value a, Value) {
        return std::vector{a, node_list(s, {rows}), rows, s.text("0")};
    }));
    EXPECT_FALSE(gather([&](auto& s, Value a, Value) {
        return std::vector{a, node_list(s, {sized(s, "scalar", {})}), rows, s.text("0")};
    }));
    EXPECT_FALSE(gather([&](auto& s, Value a, Value) {
        return std::vector{a, node_list(s, {Value::of_node(s.gather)}), rows, s.text("0")};
    }));
    EXPECT_FALSE(gather([](auto&, Value a, Value) { return std::vector{a}; }));
}

TEST(FusedUnknownSizes, WhatReadsThemIsNotKnownEither) {
    // Each draws what a fused product reads; only the first has sizes.
    const std::vector<std::pair<DrawFused, bool>> cases = {
        {[](FusedSketch& s) { return s.wide; }, true},
        {[](FusedSketch& s) { return s.scatter; }, true},
        {[](FusedSketch& s) {
             return s.without_value("gathered", "operator.getitem", {Value::of_node(s.gather), Value::of_integer(0)});
         },
         true},
        // Items: beyond the products, no number, of what is no fused product, the list itself.
        {[](FusedSketch& s) {
             const NodeId list =
                 s.without_value("again", "operator.getitem", {Value::of_node(s.gather), Value::of_integer(1)});
             return s.without_value("beyond", "operator.getitem", {Value::of_node(list), Value::of_integer(1)});
         },
         false},
        {[](FusedSketch& s) {
             return s.without_value("named", "operator.getitem", {Value::of_node(s.gather), s.text("0")});
         },
         false},
        {[](FusedSketch& s) { return s.without_value("bare", "operator.getitem", {Value::of_node(s.gather)}); }, false},
        {[](FusedSketch& s) {
             return s.without_value("nothing", "operator.getitem", {Value::of_integer(0), Value::of_integer(0)});
         },
         false},
        {[](FusedSketch& s) {
             return s.without_value("item", "operator.getitem", {Value::of_node(s.scatter), Value::of_integer(0)});
         },
         false},
        {[](FusedSketch& s) {
             const NodeId item =
                 s.without_value("item", "operator.getitem", {Value::of_node(s.scatter), Value::of_integer(0)});
             return s.without_value("of_item", "operator.getitem", {Value::of_node(item), Value::of_integer(0)});
         },
         false},
        {[](FusedSketch& s) {
             return s.without_value("list_again", "operator.getitem", {Value::of_node(s.gather), Value::of_integer(1)});
         },
         false},
        // Reshapes: no sizes, no list, a size to find out, other elements, of what is not known.
        {[](FusedSketch& s) { return s.without_value("reshaped", "aten.reshape.default", {Value::of_node(s.wide)}); },
         false},
        {[](FusedSketch& s) {
             return s.without_value("reshaped", "aten.reshape.default",
                                    {Value::of_node(s.wide), Value::of_integer(128)});
         },
         false},
        {[](FusedSketch& s) {
             return s.without_value("reshaped", "aten.reshape.default",
                                    {Value::of_node(s.wide), s.list({Value::of_integer(-1), Value::of_integer(16)})});
         },
         false},
        {[](FusedSketch& s) {
             return s.without_value("reshaped", "aten.reshape.default",
                                    {Value::of_node(s.wide), s.list({s.text("8"), Value::of_integer(16)})});
         },
         false},
        {[](FusedSketch& s) {
             return s.without_value("reshaped", "aten.reshape.default",
                                    {Value::of_node(s.wide), s.list({Value::of_integer(8), Value::of_integer(15)})});
         },
         false},
        {[](FusedSketch& s) {
             return s.without_value("reshaped", "aten.reshape.default",
                                    {Value::of_node(s.gather), s.list({Value::of_integer(8)})});
         },
         false},
        // Scatters: no right factor, a scalar, a dimension that is not there.
        {[](FusedSketch& s) { return scatter_with(s, {Value::of_node(s.wide)}); }, false},
        {[](FusedSketch& s) {
             return scatter_with(
                 s, {Value::of_node(s.wide), sized(s, "scalar", {}), s.text("sum"), Value::of_integer(0), s.text("0")});
         },
         false},
        {[](FusedSketch& s) {
             return scatter_with(s, {Value::of_node(s.wide), sized(s, "right", {16, 4}), s.text("sum"),
                                     Value::of_integer(2), s.text("0")});
         },
         false},
        {[](FusedSketch& s) {
             return scatter_with(s, {Value::of_integer(0), sized(s, "right", {16, 4}), s.text("sum"),
                                     Value::of_integer(0), s.text("0")});
         },
         false},
    };
    for (std::size_t index = 0; index < cases.size(); ++index) {
        EXPECT_EQ(is_found([&](FusedSketch& s) {
                      const NodeId read = cases[index].first(s);
                      return s.fused_gather("reader", read, s.sized("factor", {4, 4}));
                  }),
                  cases[index].second)
            << index;
    }
}

TEST(FusedUnknownSizes, StridesThatCannotBeMeantAreNotTaken) {
    // As it is asked to lie, or contiguous where that cannot be meant.
    const auto strides_of = [](const std::function<Value(FusedSketch&)>& strides) {
        FusedSketch sketch;
        const NodeId asked = sketch.without_value("asked", "prims.inductor_force_stride_order.default",
                                                  {Value::of_node(sketch.wide), strides(sketch)});
        const Graph graph = sketch.finish();
        const FusedValues values(graph);
        const auto found = values.graph().stride(values.graph().outputs(asked)[0]);
        return std::vector<std::int64_t>(found.begin(), found.end());
    };
    const std::vector<std::int64_t> contiguous = {16, 1};
    const auto numbers = [](std::vector<std::int64_t> wanted) {
        return [wanted](FusedSketch& s) {
            std::vector<Value> items;
            for (const std::int64_t number : wanted) items.push_back(Value::of_integer(number));
            return s.list(items);
        };
    };
    EXPECT_EQ(strides_of(numbers({1, 8})), (std::vector<std::int64_t>{1, 8}));
    EXPECT_EQ(strides_of(numbers({1})), contiguous);
    EXPECT_EQ(strides_of(numbers({-1, 8})), contiguous);
    EXPECT_EQ(strides_of(numbers({std::int64_t{1} << 62, 8})), contiguous);
    EXPECT_EQ(strides_of([](FusedSketch&) { return Value::of_integer(1); }), contiguous);
    EXPECT_EQ(strides_of([](FusedSketch& s) { return s.list({s.text("1"), s.text("8")}); }), contiguous);
}

TEST(FusedUnknownSizes, AGivenTimeStandsForThem) {
    FusedSketch sketch;
    const NodeId fused =
        sketch.call("given", "symm_mem.fused_all_gather_matmul.default", {Value::of_integer(0)}, {}, 5.0);
    EXPECT_EQ(node_times_ms(sketch.finish())[fused], 5.0);
}

}  // namespace
}  // namespace overlap::test
