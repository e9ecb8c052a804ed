#include "core/graph/editing/topological_sort.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/graph/graph_builder.h"

namespace overlap {
namespace {

/// Nodes by name with the nodes that their arguments mention, in any order of the list.
class UnsortedGraph {
  public:
    /// @param mentions nodes in an order in which they can be built.
    /// @param order of the list, without the output, which mentions the last node built.
    UnsortedGraph(const std::vector<std::pair<std::string, std::vector<std::string>>>& mentions,
                  const std::vector<std::string>& order)
        : editor_(build(mentions)) {
        for (const std::string& name : order) editor_.move_before(by_name_.at(name), editor_.last());
    }

    GraphEditor& editor() { return editor_; }

    std::string order() const {
        std::string joined;
        for (const NodeId node : editor_.order()) joined.append(joined.empty() ? "" : " ").append(editor_.name(node));
        return joined;
    }

  private:
    std::shared_ptr<const Graph> build(const std::vector<std::pair<std::string, std::vector<std::string>>>& mentions) {
        GraphBuilder builder;
        for (const auto& [name, inputs] : mentions) {
            std::vector<Value> args;
            for (const std::string& input : inputs) args.push_back(Value::of_node(by_name_.at(input)));
            by_name_[name] = builder.call(name, "test.call.default", args, {});
        }
        const Value result = Value::of_node(by_name_.at(mentions.back().first));
        builder.output({&result, 1});
        return std::make_shared<const Graph>(builder.finish({}));
    }

    std::map<std::string, NodeId> by_name_;
    GraphEditor editor_;
};

// The expected orders are what torch's two sorts return for these graphs.
TEST(TopologicalSortTest, SortsOfTorchDifferWhereAnArgumentIsMentionedTwice) {
    // c waits for a, its last mention, in one sort; for b, its last distinct input, in the other.
    const auto graph = [] {
        return UnsortedGraph({{"a", {}}, {"b", {}}, {"c", {"a", "b", "a"}}, {"d", {"b"}}}, {"c", "d", "a", "b"});
    };
    UnsortedGraph by_arguments = graph(), by_inputs = graph();
    ASSERT_TRUE(stable_topological_sort_by_arguments(by_arguments.editor()));
    ASSERT_TRUE(stable_topological_sort(by_inputs.editor()));
    EXPECT_EQ(by_arguments.order(), "a b d c output");
    EXPECT_EQ(by_inputs.order(), "a b c d output");
}

TEST(TopologicalSortTest, SortsOfTorchDifferWhereANodeWaitsAgain) {
    const auto graph = [] {
        return UnsortedGraph({{"a", {}}, {"b", {"a"}}, {"c", {"a", "b", "a"}}, {"d", {"c"}}, {"e", {"b"}}},
                             {"c", "b", "e", "a", "d"});
    };
    UnsortedGraph by_arguments = graph(), by_inputs = graph();
    ASSERT_TRUE(stable_topological_sort_by_arguments(by_arguments.editor()));
    ASSERT_TRUE(stable_topological_sort(by_inputs.editor()));
    EXPECT_EQ(by_arguments.order(), "a b e c d output");
    EXPECT_EQ(by_inputs.order(), "a b c e d output");
}

TEST(TopologicalSortTest, AnOutputInFrontMovesToItsPlaceByArgumentsAlone) {
    UnsortedGraph graph({{"a", {}}, {"b", {"a"}}, {"c", {"b"}}}, {"c", "a", "b"});
    GraphEditor& editor = graph.editor();
    editor.move_before(editor.last(), editor.first());
    ASSERT_EQ(graph.order(), "output c a b");
    ASSERT_TRUE(stable_topological_sort_by_arguments(editor));
    EXPECT_EQ(graph.order(), "a b c output");
}

TEST(TopologicalSortTest, ReplacedInputsAndNestedArgumentsAreMentions) {
    UnsortedGraph graph({{"a", {}}, {"b", {}}, {"c", {"a"}}, {"d", {"b"}}}, {"c", "d", "a", "b"});
    GraphEditor& editor = graph.editor();
    const NodeId a = 0, b = 1, c = 2;
    const Value nested[] = {editor.list(std::vector{Value::of_node(a), Value::of_node(b)})};
    editor.set_arguments(c, editor.list(nested), {});
    editor.replace_all_uses(b, a);
    ASSERT_TRUE(stable_topological_sort_by_arguments(editor));
    EXPECT_EQ(graph.order(), "a c d b output");
}

TEST(TopologicalSortTest, ACycleIsReportedByBothSorts) {
    UnsortedGraph graph({{"a", {}}, {"b", {"a"}}, {"c", {"b"}}}, {"a", "b", "c"});
    GraphEditor& editor = graph.editor();
    const Value last[] = {Value::of_node(2)};
    editor.set_arguments(0, editor.list(last), {});
    EXPECT_FALSE(stable_topological_sort_by_arguments(editor));
    EXPECT_FALSE(stable_topological_sort(editor));
}

TEST(TopologicalSortTest, FurtherDependenciesCountBesideInputsAndAreLookedAtFirst) {
    const auto graph = [] {
        return UnsortedGraph({{"a", {}}, {"b", {}}, {"c", {}}, {"d", {"a"}}}, {"d", "a", "b", "c"});
    };
    const std::vector<std::vector<NodeId>> further = {{}, {2}, {}, {2, 1}};  // b behind c, d behind c and b
    UnsortedGraph by_lists = graph();
    ASSERT_TRUE(stable_topological_sort(by_lists.editor(), further));
    EXPECT_EQ(by_lists.order(), "a c b d output");
    const std::vector<std::uint32_t> first = {0, 0, 1, 1, 3};
    const std::vector<NodeId> list = {2, 2, 1};
    UnsortedGraph in_one_list = graph();
    ASSERT_TRUE(stable_topological_sort(in_one_list.editor(), FurtherDependencies(first, list)));
    EXPECT_EQ(in_one_list.order(), "a c b d output");
    const std::vector<std::vector<NodeId>> circle = {{3}};
    UnsortedGraph circular = graph();
    EXPECT_FALSE(stable_topological_sort(circular.editor(), circle));
}

/// What torch does with its stack, word for word: the reference for the faster sorts.
/// @param by_arguments every mention in the arguments counts, and outputs take part.
std::vector<NodeId> sorted_by_stack(const GraphEditor& graph, bool by_arguments) {
    const std::vector<NodeId> order = graph.order();
    std::vector<NodeId> pending(order.rbegin(), order.rend()), result, outputs;
    std::vector<bool> ready(graph.number_count());
    std::vector<std::vector<NodeId>> waiting(graph.number_count());
    while (!pending.empty()) {
        const NodeId node = pending.back();
        pending.pop_back();
        if (!by_arguments && graph.op(node) == NodeOp::output) {
            outputs.push_back(node);
            continue;
        }
        NodeId missing = no_node;
        if (by_arguments) {
            for (const Value& argument : graph.children(graph.record(node).args)) {
                if (argument.is(ValueKind::node) && !ready[argument.node]) missing = argument.node;
            }
        } else {
            for (const NodeId input : graph.inputs(node)) {
                if (!ready[input]) missing = input;
            }
        }
        if (missing != no_node) {
            waiting[missing].push_back(node);
            continue;
        }
        ready[node] = true;
        result.push_back(node);
        pending.insert(pending.end(), waiting[node].rbegin(), waiting[node].rend());
    }
    result.insert(result.end(), outputs.begin(), outputs.end());
    return result;
}

/// Nodes with up to three arguments, drawn with repetition, in a shuffled order.
GraphEditor shuffled_graph(std::mt19937& random) {
    GraphBuilder builder;
    const unsigned count = 5 + static_cast<unsigned>(random() % 40);
    for (unsigned index = 0; index < count; ++index) {
        std::vector<Value> args;
        for (std::uint32_t input = 0; index > 0 && input < random() % 4; ++input) {
            args.push_back(Value::of_node(static_cast<NodeId>(random() % index)));
        }
        builder.call(std::string("n").append(std::to_string(index)).append("x"), "test.call.default", args, {});
    }
    builder.output({});
    GraphEditor graph(std::make_shared<const Graph>(builder.finish({})));
    for (unsigned move = 0; move < count; ++move) {
        graph.move_before(static_cast<NodeId>(random() % count), static_cast<NodeId>(random() % count));
    }
    return graph;
}

TEST(TopologicalSortTest, BothSortsAgreeWithTheStackOnShuffledGraphs) {
    std::mt19937 random(7);
    int different = 0;
    for (int round = 0; round < 200; ++round) {
        std::mt19937 again = random;
        GraphEditor by_inputs = shuffled_graph(random), by_arguments = shuffled_graph(again);
        const std::vector<NodeId> expected_by_inputs = sorted_by_stack(by_inputs, false);
        const std::vector<NodeId> expected_by_arguments = sorted_by_stack(by_arguments, true);
        ASSERT_TRUE(stable_topological_sort(by_inputs));
        ASSERT_EQ(by_inputs.order(), expected_by_inputs) << "round " << round;
        ASSERT_TRUE(by_inputs.is_topological());
        ASSERT_TRUE(stable_topological_sort_by_arguments(by_arguments));
        ASSERT_EQ(by_arguments.order(), expected_by_arguments) << "round " << round;
        ASSERT_TRUE(by_arguments.is_topological());
        different += expected_by_inputs == expected_by_arguments ? 0 : 1;
    }
    EXPECT_GT(different, 0) << "the graphs do not tell the sorts apart";
}

}  // namespace
}  // namespace overlap
