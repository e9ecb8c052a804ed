#include "core/run/program.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/run/executor.h"
#include "core/run/memory_plan.h"
#include "core/run/operands.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/call_with.h"
#include "tests/support/problem_of.h"

namespace overlap::test {
namespace {

using Kind = Command::Kind;

TEST(Program, CommandsFollowTheGraphAndViewsCostNothing) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId gathered = sketch.gather("gather", x, 1);
    sketch.call("view", "aten.view.default", GraphSketch::values({x}), {sketch.tensor("float32", {2, 2})});
    const NodeId busy =
        sketch.call("relu", "aten.relu.default", GraphSketch::values({x}), {sketch.tensor("float32", {4})});
    sketch.wait("wait", gathered);
    sketch.wait("again", gathered);
    const Graph graph = sketch.finish({busy});
    const Program program = make_program(graph);
    ASSERT_EQ(program.commands.size(), 4u);
    EXPECT_EQ(program.commands[0].kind, Kind::collective);
    EXPECT_EQ(program.commands[1].kind, Kind::compute);
    EXPECT_EQ(program.commands[2].kind, Kind::wait);
    EXPECT_EQ(program.commands[3].kind, Kind::wait);
    const CollectiveWork& collective = program.collectives.at(0);
    EXPECT_EQ(collective.awaited_at, 2u) << "the first of its waits";
    EXPECT_EQ(collective.bytes, 64);
    ASSERT_EQ(collective.messages.size(), 1u);
    EXPECT_EQ(collective.messages[0].input_elements, 4);
    EXPECT_EQ(collective.messages[0].output_elements, 16);
    const ComputeWork& relu = program.compute.at(0);
    EXPECT_EQ(relu.compute_class, ComputeClass::memory);
    EXPECT_EQ(relu.read_bytes, 16);
    EXPECT_EQ(relu.written_bytes, 16);
}

TEST(Program, MatrixProductsHaveTheirSizes) {
    GraphSketch sketch;
    const NodeId bias = sketch.input("bias", sketch.tensor("bfloat16", {5}));
    const NodeId left = sketch.input("left", sketch.tensor("bfloat16", {3, 4}));
    const NodeId right = sketch.input("right", sketch.tensor("bfloat16", {4, 5}));
    const NodeId batched = sketch.input("batched", sketch.tensor("bfloat16", {2, 3, 4}));
    const NodeId other = sketch.input("other", sketch.tensor("bfloat16", {2, 4, 5}));
    sketch.call("addmm", "aten.addmm.default", GraphSketch::values({bias, left, right}),
                {sketch.tensor("bfloat16", {3, 5})});
    sketch.call("bmm", "aten.bmm.default", GraphSketch::values({batched, other}),
                {sketch.tensor("bfloat16", {2, 3, 5})});
    const Program program = make_program(sketch.finish());
    ASSERT_EQ(program.compute.size(), 2u);
    const ProductShape& single = program.compute[0].product;
    EXPECT_EQ(std::make_tuple(single.batch, single.rows, single.inner, single.columns), std::make_tuple(1, 3, 4, 5));
    const ProductShape& several = program.compute[1].product;
    EXPECT_EQ(std::make_tuple(several.batch, several.rows, several.inner, several.columns),
              std::make_tuple(2, 3, 4, 5));
    EXPECT_EQ(program.compute[1].flops, 2.0 * 2 * 3 * 4 * 5);
}

TEST(Program, FactorsThatLieByColumnsAreTransposed) {
    GraphSketch sketch;
    const NodeId left = sketch.input("left", sketch.tensor("bfloat16", {3, 4}));
    TensorMeta weight = sketch.tensor("bfloat16", {4, 5});
    weight.first_dimension =
        sketch.builder().dimensions(std::vector<std::int64_t>{4, 5}, std::vector<std::int64_t>{1, 4});
    const NodeId right = sketch.input("right", weight);
    sketch.call("mm", "aten.mm.default", GraphSketch::values({left, right}), {sketch.tensor("bfloat16", {3, 5})});
    const ProductShape product = make_program(sketch.finish()).compute.at(0).product;
    EXPECT_FALSE(product.left_transposed);
    EXPECT_TRUE(product.right_transposed);
}

TEST(Program, KernelsMoveWhatTheirOperatorNeeds) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {1000}));
    sketch.call("empty", "aten.empty_like.default", GraphSketch::values({x}), {sketch.tensor("float32", {1000})});
    sketch.call("zeros", "aten.zeros_like.default", GraphSketch::values({x}), {sketch.tensor("float32", {1000})});
    sketch.call("add_", "aten.add_.Tensor", GraphSketch::values({x, x}), {sketch.tensor("float32", {1000})});
    const std::vector<ComputeWork> compute = make_program(sketch.finish()).compute;
    ASSERT_EQ(compute.size(), 2u) << "nothing runs for memory that is only allocated";
    EXPECT_EQ(compute[0].read_bytes, 0) << "of what it is like, only the shape counts";
    EXPECT_EQ(compute[0].written_bytes, 4000);
    EXPECT_EQ(compute[1].read_bytes, 4000) << "once, although it is both factors";
    EXPECT_EQ(compute[1].written_bytes, 4000) << "in place, although nothing reads the result";
}

TEST(Program, CopiesIntoGivenTensorsAreRun) {
    GraphSketch sketch;
    const NodeId gathered = sketch.input("gathered", sketch.tensor("float32", {1000}));
    const NodeId first = sketch.input("first", sketch.tensor("float32", {600}));
    const NodeId second = sketch.input("second", sketch.tensor("float32", {400}));
    test::call_with(sketch.builder(), "copy", "aten.split_with_sizes_copy.out", {Value::of_node(gathered)},
                    {{"out", sketch.list(GraphSketch::values({first, second}))}});
    const Graph graph = sketch.finish();
    const Program program = make_program(graph);
    ASSERT_EQ(program.compute.size(), 1u);
    EXPECT_EQ(program.compute[0].read_bytes, 4000);
    EXPECT_EQ(program.compute[0].written_bytes, 4000);
    const Operands places = find_operands(graph, program, plan_memory(graph, program)).compute.at(0);
    EXPECT_EQ(places.inputs.size(), 1u);
    ASSERT_EQ(places.outputs.size(), 2u);
    EXPECT_EQ(places.outputs[0].bytes, 2400);
    EXPECT_EQ(places.outputs[1].bytes, 1600);
}

TEST(Program, AGroupThatTheFileDoesNotDescribeIsRefusedBeforeAnythingRuns) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    sketch.gather("gather", x, 1, "unknown");
    const Graph graph = sketch.finish();
    try {
        make_program(graph);
        FAIL() << "expected a refusal";
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "node \"gather\": its process group \"unknown\" is not described in process_groups");
    }
}

TEST(Program, CollectivesThatCannotBeRunAreRefused) {
    const auto refusal = [](std::string_view target, bool coalesced, std::size_t results) {
        GraphSketch sketch;
        const Value x = Value::of_node(sketch.input("x", sketch.tensor("float32", {4})));
        const Value both = sketch.list({x, x});
        sketch.call("asked", target, {coalesced ? both : x, sketch.text("sum"), sketch.text("0")},
                    std::vector<TensorMeta>(results, sketch.tensor("float32", {4})));
        const Graph graph = sketch.finish();
        return problem_of([&] { make_program(graph); });
    };
    EXPECT_EQ(refusal("_c10d_functional.all_reduce_coalesced.default", true, 2), "accepted");
    EXPECT_EQ(refusal("_c10d_functional.all_reduce_coalesced.default", true, 1),
              "node \"asked\": it takes 2 tensors and returns 1, expected as many of both and one at least");
    GraphSketch sketch;
    const Value x = Value::of_node(sketch.input("x", sketch.tensor("float32", {4})));
    sketch.call("sent", "_c10d_functional.isend.default",
                {x, Value::of_integer(1), Value::of_integer(0), sketch.text("0")}, {sketch.tensor("float32", {4})});
    const Graph graph = sketch.finish();
    EXPECT_EQ(problem_of([&] { make_program(graph); }),
              "node \"sent\": _c10d_functional.isend.default is no collective that can be run");
    GraphSketch of_nothing;
    of_nothing.call("asked", "_c10d_functional.all_reduce.default",
                    {Value::of_integer(1), of_nothing.text("sum"), of_nothing.text("0")},
                    {of_nothing.tensor("float32", {4})});
    const Graph without_tensor = of_nothing.finish();
    EXPECT_EQ(problem_of([&] { make_program(without_tensor); }),
              "node \"asked\": it takes 0 tensors and returns 1, expected as many of both and one at least");
}

TEST(Program, AGroupWithoutRanksIsNotDescribed) {
    GraphSketch sketch;
    sketch.header().process_groups[0].ranks.clear();
    sketch.gather("gather", sketch.input("x", sketch.tensor("float32", {4})), 1);
    const Graph graph = sketch.finish();
    EXPECT_EQ(problem_of([&] { make_program(graph); }),
              "node \"gather\": its process group \"0\" is not described in process_groups");
}

TEST(Program, ProductsOfExpertsNeedFactorsWithSizes) {
    // Work and batch of a grouped product: 0 where there is no product that a device could run.
    const auto product = [](std::vector<std::int64_t> left, std::vector<std::int64_t> right,
                            std::vector<std::int64_t> ends, bool with_factor = true) {
        GraphSketch sketch;
        const NodeId factor = with_factor ? sketch.input("right", sketch.tensor("bfloat16", std::move(right)))
                                          : sketch.call("right", "aten.item.default", {}, {});
        std::vector<Value> arguments =
            GraphSketch::values({sketch.input("left", sketch.tensor("bfloat16", std::move(left))), factor});
        if (!ends.empty()) arguments.push_back(Value::of_node(sketch.input("ends", sketch.tensor("int32", ends))));
        sketch.call("product", "aten._grouped_mm.default", arguments, {sketch.tensor("bfloat16", {8, 5})});
        const Program program = make_program(sketch.finish());
        const ComputeWork& work = program.compute.back();
        return std::pair(work.flops, work.of_experts ? work.product.batch : 0);
    };
    using Work = std::pair<double, std::int64_t>;
    EXPECT_EQ(product({8, 4}, {2, 4, 5}, {2}), Work(2 * 8 * 5 * 4, 2));
    EXPECT_EQ(product({8, 4}, {2, 4, 5}, {}), Work(2 * 8 * 5 * 4, 2)) << "a matrix for each expert says how many";
    EXPECT_EQ(product({8, 4}, {4, 5}, {2}), Work(2 * 8 * 4 * 5, 2));
    EXPECT_EQ(product({8, 4}, {2, 4, 1}, {2}).second, 2) << "one column";
    EXPECT_EQ(product({2, 4}, {2, 4, 5}, {2}).second, 2) << "one row each";
    EXPECT_EQ(product({8, 2}, {2, 5}, {2}).second, 2) << "one of the inner dimension each";
    // Both matrices, and how many experts there are is not known; or as many that nothing is left for one.
    EXPECT_EQ(product({8, 4}, {4, 5}, {}).second, 0);
    EXPECT_EQ(product({8, 4}, {4, 5}, {2, 1}).second, 0);
    EXPECT_EQ(product({8, 4}, {4, 5}, {5}).second, 0);
    EXPECT_EQ(product({8, 4}, {9, 4, 5}, {9}).second, 0);
    EXPECT_EQ(product({2, 8, 4}, {2, 4, 5}, {2}), Work(2 * 8 * 5 * 4, 0));
    EXPECT_EQ(product({8}, {2, 4, 5}, {2}), Work(0, 0));
    EXPECT_EQ(product({8, 4}, {4}, {2}), Work(0, 0));
    EXPECT_EQ(product({8, 4}, {}, {2}, false), Work(0, 0));
}

TEST(Program, ReductionsAreSumsUnlessTheyAreNamed) {
    GraphSketch sketch;
    const Value x = Value::of_node(sketch.input("x", sketch.tensor("float32", {4})));
    const std::string_view target = "_c10d_functional.all_reduce.default";
    sketch.call("named", target, {x, sketch.text("max"), sketch.text("0")}, {sketch.tensor("float32", {4})});
    sketch.call("numbered", target, {x, Value::of_integer(0), sketch.text("0")}, {sketch.tensor("float32", {4})});
    for (const std::string by : {"by_keyword", "by_default"}) {
        std::vector<test::Keyword> keywords{{"group_name", sketch.text("0")}};
        if (by == "by_keyword") keywords.emplace_back("reduce_op", sketch.text("avg"));
        test::call_with(sketch.builder(), by, target, {x}, keywords, {sketch.tensor("float32", {4})});
    }
    const Program program = make_program(sketch.finish());
    std::vector<std::string> reductions;
    for (const CollectiveWork& work : program.collectives) reductions.push_back(work.reduction);
    EXPECT_EQ(reductions, (std::vector<std::string>{"max", "sum", "avg", "sum"}));
}

TEST(Program, TheListOfCommandsNamesStreamsAndSizes) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId sum = sketch.reduce("sum", x, 1);
    sketch.wait("wait", sum);
    const Graph graph = sketch.finish();
    EXPECT_EQ(command_list(graph, make_program(graph)),
              "stream of \"0\": all_reduce sum 16 B  (sum)\ncompute stream: wait for sum  (wait)\n");
}

TEST(Program, RanksThatTheJobDoesNotHaveAreRefused) {
    const auto refusal = [](std::vector<int> ranks) {
        GraphSketch sketch;
        sketch.header().world_size = 8;
        sketch.header().process_groups[0].ranks = std::move(ranks);
        const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
        sketch.gather("gather", x, 1);
        const Graph graph = sketch.finish();
        try {
            make_program(graph);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal({0, 1, 2, 9, 10, 11, 12, 13}),
              "process group \"0\": it has the rank 13, and the job has the ranks 0 to 7");
    EXPECT_EQ(refusal({0, 1, 1, 2}), "process group \"0\": it has the rank 1 twice");
    EXPECT_EQ(refusal({-1, 0}), "process group \"0\": it has the rank -1");
    EXPECT_EQ(refusal({0, 2, 4, 6}), "");
}

}  // namespace
}  // namespace overlap::test
