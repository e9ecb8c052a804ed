// What is said of a step that changes nothing is true of its graph (core/views/step_remark.h).
#include "core/views/step_remark.h"

#include <algorithm>

#include "core/passes/memory/recompute_tags.h"
#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

class StepRemark : public test::PassTest {
  protected:
    /// Of a step that runs the pass on what has been built, which it is to leave as it is.
    std::string remark(std::string_view pass) {
        run(pass);
        EXPECT_TRUE(is_input()) << pass;
        StepOutcome step;
        step.pass = pass;
        return step_remark({}, step);
    }
    std::size_t users(std::string_view name) const { return graph_->users(graph_->find(name)).size(); }
    NodeMetadata tagged(memory::RecomputeTag tag) {
        NodeMetadata metadata;
        metadata.extra_json = builder_.intern(memory::with_recompute_tag("", tag));
        return metadata;
    }
    NodeId sum(NodeId left, NodeId right) { return call("sum", "aten.add.Tensor", {left, right}); }
};

TEST_F(StepRemark, OfReduceScattersWhoseSumCannotBeOne) {
    const std::string expected =
        "nothing to merge: looked for is the plain sum of two reduce-scatters of one group, reduction and dtype that "
        "are used in it alone, with no write between";
    const auto build = [&](bool used_twice, bool written) {
        builder_ = {};
        const NodeId x = placeholder("x");
        const NodeId one = wait("one", reduce_scatter("scatter_1", x));
        const NodeId other = wait("other", reduce_scatter("scatter_2", x));
        if (written) call("copy_", "aten.copy_.default", {x, x});
        const NodeId added = sum(one, other);
        used_twice ? output({added, one}) : output({added});
    };
    // The results of two alike are added all the same.
    build(true, false);
    EXPECT_EQ(remark("dedup_fsdp_reduce_scatter"), expected);
    EXPECT_EQ(users("one"), 2u);
    build(false, true);
    EXPECT_EQ(remark("dedup_fsdp_reduce_scatter"), expected);
    build(false, false);
    run("dedup_fsdp_reduce_scatter");
    EXPECT_FALSE(is_input());
}

TEST_F(StepRemark, OfAParameterWhoseGathersAreNotInChains) {
    const auto build = [&](bool used_twice) {
        builder_ = {};
        const NodeId parameter = placeholder("parameter");
        const NodeId cast = call("cast", "prims.convert_element_type.default", {parameter});
        const NodeId first = wait("wait_1", all_gather("gather_1", cast));
        const NodeId again = used_twice ? cast : call("cast_1", "prims.convert_element_type.default", {parameter});
        const NodeId second = wait("wait_2", all_gather("gather_2", again));
        output({sum(first, second)});
    };
    // It is gathered twice all the same.
    build(true);
    EXPECT_EQ(remark("deduplicate_fsdp_unshard_chains_pass"),
              "no parameter is gathered in two chains of nodes with one input and one user each");
    EXPECT_EQ(users("cast"), 2u);
    build(false);
    run("deduplicate_fsdp_unshard_chains_pass");
    EXPECT_FALSE(is_input());
}

TEST_F(StepRemark, OfValuesThatAreAwaitedOnce) {
    const NodeId x = placeholder("x");
    output({sum(wait("wait_1", all_gather("gather_1", x)), wait("wait_2", all_gather("gather_2", x)))});
    EXPECT_EQ(remark("deduplicate_wait_tensors"), "no two waits are for the same value");
    EXPECT_EQ(users("gather_1"), 1u);
    EXPECT_EQ(users("gather_2"), 1u);
}

TEST_F(StepRemark, OfWhatIsUnusedAndStays) {
    const NodeId x = placeholder("x");
    call("copy_", "aten.copy_.default", {x, x});
    output({x});
    EXPECT_EQ(remark("eliminate_dead_code_pass"), "nothing that can be removed is unused");
    EXPECT_EQ(users("copy_"), 0u) << "it writes, and stays";
}

TEST_F(StepRemark, OfNodesInOrder) {
    output({call("relu", "aten.relu.default", {placeholder("x")})});
    EXPECT_EQ(remark("stable_topological_sort"), "each node stands behind its inputs already");
    for (NodeId node = 0; node < graph_->node_count(); ++node)
        EXPECT_TRUE(std::ranges::all_of(graph_->inputs(node), [&](NodeId input) { return input < node; }));
}

TEST_F(StepRemark, OfTensorsThatGoNowhere) {
    const std::string expected =
        "nothing that the backward pass reads, itself or through views, is tagged to go to the host";
    NodeMetadata backward;
    backward.autograd_backward = true;
    for (const bool is_tagged : {false, true}) {
        builder_ = {};
        const NodeId x = placeholder("x");
        const auto tag = is_tagged ? memory::RecomputeTag::must_cpu_offload : memory::RecomputeTag::none;
        const NodeId kept = call("kept", "aten.relu.default", {Value::of_node(x)}, {8}, tagged(tag));
        const NodeId read = call("read", "aten.relu.default", {kept});
        output({call("gradient", "aten.relu.default", {Value::of_node(read)}, {8}, backward)});
        EXPECT_EQ(remark("apply_cpu_offload_pass"), expected);
        EXPECT_EQ(inputs("gradient"), Names({"read"}));
    }
}

TEST_F(StepRemark, OfWhatTheBackwardPassDoesNotRead) {
    NodeMetadata backward;
    backward.autograd_backward = true;
    const NodeId x = placeholder("x");
    const NodeId again =
        call("again", "aten.relu.default", {Value::of_node(x)}, {8}, tagged(memory::RecomputeTag::must_recompute));
    NodeMetadata loss;
    loss.module_fqn = builder_.intern("loss");
    const NodeId of_loss = call("of_loss", "aten.relu.default", {Value::of_node(again)}, {8}, backward);
    const NodeId last = call("last", "aten.relu.default", {Value::of_node(of_loss)}, {8}, loss);
    output({call("gradient", "aten.relu.default", {Value::of_node(last)}, {8}, backward)});
    EXPECT_EQ(remark("selective_activation_remat_pass"),
              "nothing that the backward pass reads behind loss and lm_head is tagged to be computed again");
    EXPECT_EQ(inputs("of_loss"), Names({"again"})) << "which is tagged, and read before the loss is through";
}

TEST_F(StepRemark, IsEmptyOfOtherPasses) {
    StepOutcome step;
    step.pass = "canonicalize_graph_pass";
    EXPECT_EQ(step_remark({}, step), "");
}

TEST_F(StepRemark, OfTagsIsWhatThePassSays) {
    Execution execution;
    execution.problems.resize(2);
    execution.problems[1].kind = ProblemKind::memory_tags;
    execution.problems[1].message = "7 outputs are to be saved";
    StepOutcome step;
    step.pass = "tag_with_memory_policy_pass";
    step.problems = {0, 1};
    EXPECT_EQ(step_remark(execution, step), "tags: 7 outputs are to be saved");
}

}  // namespace
}  // namespace overlap
