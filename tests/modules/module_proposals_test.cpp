// What is proposed for graphs of a few blocks that repeat: where blocks begin, how they are numbered, and what is not
// recommended.

#include "core/modules/module_proposals.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/graph/graph_builder.h"
#include "core/modules/module_repair.h"
#include "core/modules/parameter_proposals.h"
#include "core/modules/repetitions.h"

namespace overlap {
namespace {

using Texts = std::vector<std::string>;
using Kind = ModuleRule::Kind;

/// Graphs of blocks: 16 operators in a chain, of which the last reads the first as well, so that the fewest values pass
/// between blocks. Nodes are called `BLOCK_OPERATOR`.
class BlockGraph {
  public:
    BlockGraph() { last_ = builder_.placeholder("x", {}); }

    NodeId parameter(const std::string& name) { return builder_.placeholder(name, {}); }

    /// Nodes of a block from `begin` to before `end`; before `extra` comes one that other blocks do not have.
    void block(const std::string& name, const std::string& direction, int begin = 0, int end = 16, int extra = -1,
               NodeId parameter = no_node) {
        NodeId first = last_;
        if (begin > 0) {  // what was cut off: its first node, and the last one before
            call(name + "_first", "aten.first.default", {last_}, false);
            first = last_;
            call(name + "_cut", "aten.cut.default", {last_}, false);
        }
        for (int index = begin; index < end; ++index) {
            std::vector<NodeId> inputs = {last_};
            if (index == 15) inputs.push_back(first);
            if ((index == 3 || index == 5) && parameter != no_node) inputs.push_back(parameter);
            const bool backward = direction.starts_with("backward");
            if (index == extra) call(name + "_extra", "aten.extra.default", {last_}, backward);
            inputs[0] = last_;
            call(name + "_" + std::to_string(index), "aten." + direction + std::to_string(index) + ".default", inputs,
                 backward);
            if (index == 0) first = last_;
        }
    }
    void call(const std::string& name, const std::string& target, const std::vector<NodeId>& inputs, bool backward) {
        std::vector<Value> arguments;
        for (const NodeId input : inputs) arguments.push_back(Value::of_node(input));
        NodeMetadata metadata;
        metadata.autograd_backward = backward;
        last_ = builder_.call(name, target, arguments, {}, metadata);
    }
    NodeId last() const { return last_; }
    std::shared_ptr<const Graph> finish() {
        const Value returned[] = {Value::of_node(last_)};
        builder_.output(returned);
        return std::make_shared<const Graph>(builder_.finish({}));
    }

  private:
    GraphBuilder builder_;
    NodeId last_;
};

/// `FIRST..LAST COUNT from BEGIN`, of backward ones with a minus, of those not recommended with a question mark.
Texts repetitions(const std::shared_ptr<const Graph>& graph) {
    Texts texts;
    for (const ModuleProposal& proposal : propose_module_rules(graph)) {
        const ModuleRule& rule = proposal.rule;
        if (rule.kind != Kind::repetition) continue;
        std::string text = rule.first;
        text.append("..").append(rule.last).append(" ").append(std::to_string(rule.count)).append(" from ");
        text.append(std::to_string(rule.begin)).append(rule.backward ? " -" : "");
        texts.push_back(text + (proposal.recommended ? "" : " ?"));
    }
    return texts;
}

Texts reasons(const std::shared_ptr<const Graph>& graph) {
    Texts texts;
    for (const ModuleProposal& proposal : propose_module_rules(graph))
        if (proposal.rule.kind == Kind::repetition) texts.push_back(proposal.reason);
    return texts;
}

TEST(RepetitionProposals, BlocksAtBothEndsMayDifferALittle) {
    BlockGraph sketch;
    sketch.block("first", "forward", 0, 16, 8);
    for (const char* name : {"a", "b", "c"}) sketch.block(name, "forward");
    sketch.block("last", "forward", 0, 16, 8);
    const auto graph = sketch.finish();
    EXPECT_EQ(repetitions(graph),
              Texts({"first_0..first_15 1 from 0", "a_0..a_15 3 from 1", "last_0..last_15 1 from 4"}));
    EXPECT_EQ(reasons(graph), Texts({"one before equal nodes, from which it differs a little", "equal nodes, 3 times",
                                     "one behind equal nodes, from which it differs a little"}));
}

TEST(RepetitionProposals, BackwardBlocksAreCountedFromTheEnd) {
    BlockGraph sketch;
    sketch.block("last", "backward", 0, 16, 8);
    for (const char* name : {"c", "b", "a"}) sketch.block(name, "backward");
    sketch.block("first", "backward", 0, 16, 8);
    const auto graph = sketch.finish();
    EXPECT_EQ(repetitions(graph),
              Texts({"last_0..last_15 1 from 4 -", "c_0..c_15 3 from 1 -", "first_0..first_15 1 from 0 -"}));
    EXPECT_EQ(reasons(graph), Texts({"backward, one before equal nodes, from which it differs a little",
                                     "equal nodes, backward, 3 times",
                                     "backward, one behind equal nodes, from which it differs a little"}));
}

TEST(RepetitionProposals, NumbersGoOnWhereBlocksOfAnotherKindFollow) {
    const auto proposed = [](const std::string& direction) {
        BlockGraph sketch;
        for (const char* name : {"a", "b", "c"}) sketch.block(name, direction);
        sketch.block("d", direction, 0, 16, 8);
        for (int index = 0; index < 20; ++index)
            sketch.call("between_" + std::to_string(index), "aten.between" + std::to_string(index) + ".default",
                        {sketch.last()}, direction == "backward");
        sketch.block("e", direction + "s", 0, 16, 8);
        for (const char* name : {"f", "g"}) sketch.block(name, direction + "s");
        return repetitions(sketch.finish());
    };
    EXPECT_EQ(proposed("forward"),
              Texts({"a_0..a_15 3 from 0", "d_0..d_15 1 from 3", "e_0..e_15 1 from 4", "f_0..f_15 2 from 5"}));
    EXPECT_EQ(proposed("backward"),
              Texts({"e_0..e_15 1 from 2 -", "f_0..f_15 2 from 0 -", "a_0..a_15 3 from 4 -", "d_0..d_15 1 from 3 -"}));
}

TEST(RepetitionProposals, PartsThatAreLeftOverMakeABeginningDoubtful) {
    // Nodes of blocks before the first and behind the last of three whole ones.
    const auto proposed = [](int before, int behind) {
        BlockGraph sketch;
        if (before > 0) sketch.block("before", "forward", 16 - before);
        for (const char* name : {"a", "b", "c"}) sketch.block(name, "forward");
        sketch.block("behind", "forward", 0, behind);
        const auto graph = sketch.finish();
        return repetitions(graph).at(0) + ": " + reasons(graph).at(0);
    };
    const std::string blocks = "a_0..a_15 3 from 0", why = ": equal nodes, 3 times";
    const std::string doubt = " look like parts of one more, so blocks may begin at another node";
    EXPECT_EQ(proposed(4, 4), blocks + why);
    EXPECT_EQ(proposed(6, 0),
              blocks + " ?" + why + "; not recommended: 6 nodes before the first (from before_10)" + doubt);
    EXPECT_EQ(proposed(0, 6),
              blocks + " ?" + why + "; not recommended: 6 nodes behind the last (from behind_0)" + doubt);
    EXPECT_EQ(proposed(6, 5), blocks + " ?" + why +
                                  "; not recommended: 6 nodes before the first (from before_10) and 5 nodes behind the "
                                  "last (from behind_0)" +
                                  doubt);
}

TEST(RepetitionProposals, BackwardBlocksHaveTheNumbersOfTheirParameters) {
    // Blocks from `first` on have gradients, of which one that differs comes behind.
    const auto proposed = [](int first, bool one_behind) {
        BlockGraph sketch;
        std::vector<NodeId> parameters;
        for (std::size_t block = 0; block < 4; ++block)
            parameters.push_back(sketch.parameter("primals_" + std::to_string(block + 1)));
        sketch.block("zero", "forward", 0, 16, first > 0 ? 8 : -1, parameters[0]);
        for (std::size_t block = 1; block < 4; ++block)
            sketch.block("there_" + std::to_string(block), "forward", 0, 16, -1, parameters[block]);
        for (int block = 3; block >= first; --block)
            sketch.block("back_" + std::to_string(block), "backward", 0, 16, -1,
                         parameters[static_cast<std::size_t>(block)]);
        if (one_behind) sketch.block("behind", "backward", 0, 16, 8, sketch.last());
        return repetitions(sketch.finish());
    };
    EXPECT_EQ(proposed(1, false),
              Texts({"zero_0..zero_15 1 from 0", "there_1_0..there_1_15 3 from 1", "back_3_0..back_3_15 3 from 1 -"}));
    EXPECT_EQ(proposed(0, true), Texts({"zero_0..zero_15 4 from 0", "back_3_0..back_3_15 4 from 0 -"}));
}

/// A block that begins the graph is looked at to its first node.
TEST(Repetitions, ABlockMayBeginTheGraph) {
    GraphBuilder builder;
    const auto block = [&](const std::string& name, bool extra) {
        for (int index = 0; index < 16; ++index) {
            const std::string number = std::to_string(index);
            if (index == 8 && extra) builder.call(name + "_extra", "aten.extra.default", {}, {});
            builder.call(name + "_" + number, "aten.op" + number + ".default", {}, {});
        }
    };
    block("first", true);
    for (const char* name : {"a", "b", "c"}) block(name, false);
    builder.output({});
    const Graph graph = builder.finish({});
    const std::vector<Repetition> found = find_repetitions(graph);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(graph.name(found[0].first), "a_0");
    EXPECT_EQ(found[0].count, 3u);
    EXPECT_EQ(found[0].nearly_before, 17u);
    EXPECT_TRUE(found[0].whole_before);
}

}  // namespace
}  // namespace overlap
