#include "core/graph/editing/graph_editor.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/graph/editing/topological_sort.h"
#include "tests/graph/edited_graph.h"

namespace overlap {
namespace {

TEST_F(GraphEditorTest, NamesAreNeverGivenTwice) {
    const NodeId view = call("view_3", {0});
    GraphEditor graph = edit();
    graph.erase(view);
    const auto made = [&](std::string_view base, std::int64_t number) {
        GraphEditor::NewNode node;
        node.base_name = base;
        node.number = number;
        return std::string(graph.name(graph.create(node, graph.last())));
    };
    EXPECT_EQ(made("view", 7), "view_7");  // a free number is taken as proposed
    EXPECT_EQ(made("view", -1), "view");   // so is a free name without one
    EXPECT_EQ(made("view", 3), "view_8");  // view_3 was erased, but stays taken; counting goes on from the last number
    EXPECT_EQ(made("wait", -1), "wait");
    EXPECT_EQ(made("wait", -1), "wait_1");
}

TEST_F(GraphEditorTest, FinishedGraphHasPositionsForNumbersAndTellsWhereNodesComeFrom) {
    const NodeId user = call("user", {1, 0});
    GraphEditor graph = edit();
    const std::array args = {Value::of_node(0)};
    GraphEditor::NewNode node;
    node.base_name = "made";
    node.target = graph.target_index("test.made.default");
    node.args = graph.list(args);
    const NodeId made = graph.create(node, user);
    graph.replace_all_uses(1, made);
    std::vector<NodeId> origin;
    const auto finished = graph.finish(origin);
    const NodeId at = finished->find("made");
    ASSERT_NE(at, no_node);
    EXPECT_EQ(origin[at], no_node);
    EXPECT_EQ(origin[finished->find("user")], user);
    EXPECT_EQ(finished->target(at), "test.made.default");
    const std::span<const NodeId> inputs = finished->inputs(finished->find("user"));
    ASSERT_EQ(inputs.size(), 2u);
    EXPECT_EQ(finished->name(inputs[0]), "made");
    EXPECT_EQ(finished->name(inputs[1]), "a");
}

TEST_F(GraphEditorTest, AGraphDoesNotGrowBeyondWhatADocumentMayHave) {
    const std::array half_of_the_limit = {std::int64_t{1} << 55};
    const std::array tensor = {builder_.contiguous_tensor(*dtype_by_name("int8"), half_of_the_limit, "cuda")};
    builder_.placeholder("large", tensor);
    builder_.output({});
    const auto source = std::make_shared<const Graph>(builder_.finish({}));
    const auto with_more_of_them = [&](int count) {
        GraphEditor graph(source);
        GraphEditor::NewNode node;
        node.base_name = "made";
        node.outputs = tensor;
        for (int made = 0; made < count; ++made) graph.create(node, graph.last());
        std::vector<NodeId> origin;
        return graph.finish(origin);
    };
    EXPECT_NE(with_more_of_them(1)->find("made"), no_node);  // the limit itself
    try {
        with_more_of_them(2);
        FAIL() << "the limit is exceeded";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "node \"made_1\": the tensors up to here would have more than 72,057,594,037,927,936 bytes");
    }
}

TEST_F(GraphEditorTest, ATensorDoesNotReachFurtherThanInADocument) {
    const std::array two = {std::int64_t{2}};
    std::array tensor = {builder_.contiguous_tensor(*dtype_by_name("int8"), two, "cuda")};
    tensor[0].first_dimension = builder_.dimensions(two, std::array{std::int64_t{1} << 56});
    GraphEditor graph = edit();
    GraphEditor::NewNode node;
    node.base_name = "made";
    node.outputs = tensor;
    graph.create(node, graph.last());
    std::vector<NodeId> origin;
    try {
        graph.finish(origin);
        FAIL() << "2^56 + 1 elements";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "node \"made\": with its strides the tensor would reach further than 2^56 elements");
    }
}

TEST_F(GraphEditorTest, OrderSurvivesManyInsertionsAtOnePlace) {
    GraphEditor graph = edit();
    // More than a gap between labels holds, before and behind one node.
    for (int repeat = 0; repeat < 3000; ++repeat) {
        graph.move_before(repeat % 3 + 1, 0);
        graph.move_after(repeat % 2 + 1, 3);
    }
    std::vector<NodeId> order = graph.order();
    for (std::size_t place = 1; place < order.size(); ++place) {
        EXPECT_TRUE(graph.is_before(order[place - 1], order[place]));
    }
    EXPECT_EQ(order.size(), 5u);
}

TEST_F(GraphEditorTest, OrderSurvivesManyMovesBehindOneNodeAndInARow) {
    std::vector<NodeId> moved;
    for (int number = 0; number < 300; ++number) moved.push_back(call("u" + std::to_string(number), {0}));
    GraphEditor graph = edit();
    std::vector<NodeId> expected = {0};
    for (std::size_t number = 0; number < 200; ++number) {  // each in front of those that were moved before
        graph.move_after(moved[number], 0);
        expected.insert(expected.begin() + 1, moved[number]);
    }
    NodeId last = 1;
    expected.push_back(last);
    for (std::size_t number = 200; number < 300; ++number) {  // each behind the one that was moved before
        graph.move_after(moved[number], last);
        last = moved[number];
        expected.push_back(last);
    }
    const std::vector<NodeId> order = graph.order();
    ASSERT_GT(order.size(), expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), order.begin()));
    for (std::size_t place = 1; place < order.size(); ++place)
        EXPECT_TRUE(graph.is_before(order[place - 1], order[place]));
}

TEST_F(GraphEditorTest, ASortedGraphStaysAsItIs) {
    call("x", {0, 1});
    call("y", {4});
    call("z", {2});
    GraphEditor graph = edit();
    const std::vector<NodeId> before = graph.order();
    EXPECT_TRUE(stable_topological_sort(graph));
    EXPECT_EQ(graph.order(), before);
}

TEST_F(GraphEditorTest, SortingMovesANodeBehindItsLastMissingInput) {
    const NodeId x = call("x", {0}), y = call("y", {1}), z = call("z", {x, y});
    GraphEditor graph = edit();
    graph.move_before(z, x);
    EXPECT_FALSE(graph.is_topological());
    EXPECT_TRUE(stable_topological_sort(graph));
    EXPECT_EQ(names(graph, graph.order()), "a b c d x y z output");
}

TEST_F(GraphEditorTest, ACycleIsReported) {
    const NodeId x = call("x", {0}), y = call("y", {x});
    GraphEditor graph = edit();
    const std::array args = {Value::of_node(y)};
    graph.set_arguments(x, graph.list(args), {});
    EXPECT_FALSE(stable_topological_sort(graph));
}

TEST_F(GraphEditorTest, ArgumentsOfErasedNodesDoNotDisturbTheNextEdit) {
    const NodeId x = call("x", {0}), y = call("y", {x});
    call("z", {1});
    GraphEditor first = edit();
    first.erase(y);
    first.erase(x);
    std::vector<NodeId> origin;
    const std::shared_ptr<const Graph> result = first.finish(origin);
    GraphEditor second(result);
    second.replace_all_uses(1, 2);
    const std::shared_ptr<const Graph> last = second.finish(origin);
    EXPECT_EQ(result->name(result->inputs(result->find("z")).front()), "b");
    EXPECT_EQ(last->name(last->inputs(last->find("z")).front()), "c");
    EXPECT_EQ(last->argument(last->find("z"), 0)->node, last->find("c"));
}

TEST_F(GraphEditorTest, ATargetHasOneNumber) {
    call("x", {0});
    GraphEditor graph = edit();
    const std::uint32_t known = graph.record(graph.source().find("x")).target;
    EXPECT_EQ(graph.target_index("test.call.default"), known);
    const std::uint32_t added = graph.target_index("test.other.default");
    EXPECT_NE(added, known);
    EXPECT_EQ(graph.target_index("test.other.default"), added);
}

TEST_F(GraphEditorTest, ARegionIsSortedByItselfAndOutsideCountsAsSorted) {
    const NodeId x = call("x", {0}), y = call("y", {x}), z = call("z", {y}), w = call("w", {z});
    GraphEditor graph = edit();
    graph.move_before(w, z);  // a b c d x y w z
    graph.move_before(y, x);  // a b c d y x w z: y is outside of the region and stays wrong
    const std::array region = {w, z};
    EXPECT_TRUE(stable_topological_sort_region(graph, region));
    EXPECT_EQ(names(graph, graph.order()), "a b c d y x z w output");
}

TEST(NamingTest, SplitsNamesAsTorchDoes) {
    const auto parts = [](std::string_view name) {
        const NameParts split = split_name(name);
        return std::string(split.base).append("|").append(std::to_string(split.number));
    };
    EXPECT_EQ(parts("view_12"), "view|12");
    EXPECT_EQ(parts("view"), "view|-1");
    EXPECT_EQ(parts("arg0_1"), "arg0|1");
    EXPECT_EQ(parts("_to_copy_3"), "_to_copy|3");
    EXPECT_EQ(parts("add_1_2"), "add_1|2");
    EXPECT_EQ(parts("_1"), "_1|-1");
    EXPECT_EQ(parts("x_1a"), "x_1a|-1");
}

TEST_F(GraphEditorTest, ANodeThatIsRenamedUsesUpBothNames) {
    const NodeId u1 = call("view_2", {0});
    GraphEditor graph = edit();
    EXPECT_FALSE(graph.rename(u1, "a"));
    EXPECT_TRUE(graph.rename(u1, "view_7"));
    EXPECT_EQ(graph.name(u1), "view_7");
    GraphEditor::NewNode wish;
    wish.base_name = "view";
    wish.number = 2;
    wish.target = graph.target_index("test.call.default");
    EXPECT_EQ(graph.name(graph.create(wish, u1)), "view_3");
    std::vector<NodeId> origin;
    const auto result = graph.finish(origin);
    EXPECT_NE(result->find("view_7"), no_node);
    EXPECT_EQ(result->find("view_2"), no_node);
}

TEST_F(GraphEditorTest, AGraphSharesWhatAnEditorLeftAlone) {
    const NodeId u1 = call("u1", {0, 1}), u2 = call("u2", {0});
    builder_.output({});
    const auto source = std::make_shared<const Graph>(builder_.finish({}));
    GraphEditor graph(source);
    NodeMetadata changed = graph.metadata(u2);
    changed.module_fqn = graph.intern("layers.0");
    changed.extra_json = graph.intern(R"({"a":1})");
    graph.set_metadata(u2, changed);
    std::vector<NodeId> origin;
    const auto made = graph.finish(origin);
    EXPECT_EQ(made->text(made->metadata(u2).module_fqn), "layers.0");
    EXPECT_EQ(made->text(made->metadata(u2).extra_json), R"({"a":1})");
    EXPECT_EQ(made->metadata(u1), source->metadata(u1));
    EXPECT_EQ(source->metadata(u2).module_fqn, empty_string);
    EXPECT_EQ(&made->record(0), &source->record(0));
    EXPECT_EQ(made->inputs(u1).data(), source->inputs(u1).data());
    EXPECT_EQ(made->users(0).data(), source->users(0).data());
    EXPECT_EQ(made->children(made->record(u1).args).data(), source->children(source->record(u1).args).data());
}

TEST_F(GraphEditorTest, OutputsThatAreChangedAreTheNodesOwn) {
    const std::int64_t sizes[] = {8};
    TensorMeta out = builder_.contiguous_tensor(*dtype_by_name("float32"), sizes);
    const NodeId node = builder_.call("made", "test.call.default", {}, std::span(&out, 1));
    builder_.output({});
    const auto source = std::make_shared<const Graph>(builder_.finish({}));
    GraphEditor graph(source);
    const std::uint32_t storage = graph.new_storage();
    EXPECT_EQ(storage, out.storage + 1);
    graph.mutable_outputs(node)[0].storage = storage;
    EXPECT_EQ(graph.outputs(node)[0].storage, storage);
    graph.mutable_outputs(node)[0].storage_bytes = 64;
    std::vector<NodeId> origin;
    const auto made = graph.finish(origin);
    EXPECT_EQ(made->outputs(node)[0].storage, storage);
    EXPECT_EQ(made->outputs(node)[0].storage_bytes, 64);
    EXPECT_EQ(made->shape(made->outputs(node)[0])[0], 8);
    EXPECT_EQ(source->outputs(node)[0].storage, out.storage);
    EXPECT_EQ(GraphEditor(made).new_storage(), storage + 1);
}

TEST_F(GraphEditorTest, ACopyWithOtherFieldsIsTheSameGraph) {
    const NodeId u1 = call("u1", {0});
    builder_.output({});
    const auto graph = std::make_shared<const Graph>(builder_.finish({}));
    const auto strings = std::make_shared<StringPool>(graph->strings());
    std::vector<StringId> fields(graph->node_count(), empty_string);
    fields[u1] = strings->intern(R"({"new":1})");
    const auto copy = GraphEditor::with_extra_json(*graph, strings, fields);
    EXPECT_EQ(copy->text(copy->metadata(u1).extra_json), R"({"new":1})");
    EXPECT_EQ(copy->find("u1"), u1);
    EXPECT_EQ(copy->find("new"), no_node);
    EXPECT_EQ(graph->metadata(u1).extra_json, empty_string);
}

}  // namespace
}  // namespace overlap
