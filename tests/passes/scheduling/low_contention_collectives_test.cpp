#include "tests/passes/altered_graph.h"
#include "tests/passes/pass_fixture.h"
#include "tests/support/call_with.h"

namespace overlap {
namespace {

class LowContentionCollectivesTest : public test::PassTest {
  protected:
    static constexpr std::string_view pass = "replace_collectives_with_low_contention";
    static inline const Json any_size = {{"low_contention_min_bytes_per_rank", 0}};

    NodeId product(std::string_view name, NodeId input) { return call(name, "aten.mm.default", {input, input}); }
    std::string target(std::string_view name) const {
        return std::string(result_.graph->target(result_.graph->find(name)));
    }
    /// The pass with other options on the graph of the last run.
    void run_again(const Json& options) {
        result_ = require_pass(pass).run(graph_, read_options(require_pass(pass), options), {});
    }
    std::string told() const { return result_.report.problems.front().message; }
};

TEST_F(LowContentionCollectivesTest, WhatAProductHidesIsReplaced) {
    const NodeId x = placeholder("x"), gathered = all_gather("gather", x, "3");
    const NodeId hides = product("hides", x);
    const NodeId scattered = reduce_scatter("scatter", hides, "3");
    const NodeId also_hides = product("also_hides", hides);
    output({wait("gathered", gathered), wait("scattered", scattered), also_hides});
    run(pass, any_size);
    EXPECT_EQ(names(),
              Names({"x", "_low_contention_all_gather_default", "hides", "_low_contention_reduce_scatter_default",
                     "also_hides", "gathered", "scattered", "output"}));
    EXPECT_EQ(target("_low_contention_all_gather_default"), "symm_mem._low_contention_all_gather.default");
    EXPECT_EQ(group("_low_contention_all_gather_default"), "3");
    EXPECT_EQ(group("_low_contention_reduce_scatter_default"), "3");
    EXPECT_EQ(inputs("gathered"), Names({"_low_contention_all_gather_default"}));
    EXPECT_TRUE(told().starts_with("2 of 2 collectives run on copy engines")) << told();
}

TEST_F(LowContentionCollectivesTest, WhatIsSmallStays) {
    const NodeId x = placeholder("x", {64}), gathered = all_gather("gather", x);
    const NodeId scattered = reduce_scatter("scatter", x), hides = product("hides", x);
    output({wait("gathered", gathered), wait("scattered", scattered), hides});
    // 128 bytes of a rank are gathered, and of the same, which eight ranks reduce, 16 scattered.
    run(pass, {{"low_contention_min_bytes_per_rank", 17}});
    EXPECT_EQ(names()[1], "_low_contention_all_gather_default");
    EXPECT_EQ(names()[2], "scatter");
    EXPECT_NE(told().find("1 stay because a rank has fewer bytes"), std::string::npos) << told();
    run_again({{"low_contention_min_bytes_per_rank", 16}});
    EXPECT_EQ(names()[2], "_low_contention_reduce_scatter_default");
}

TEST_F(LowContentionCollectivesTest, WhatNothingHidesOrOthersDisturbStaysUnlessAsked) {
    const NodeId x = placeholder("x"), bare = wait("bare", all_gather("bare_gather", x));
    const NodeId disturbed = all_gather("disturbed_gather", x), other = all_gather("other_gather", bare, "1");
    const NodeId hides = product("hides", x);
    output({bare, wait("disturbed", disturbed), wait("other", other), hides});
    run(pass, any_size);
    EXPECT_EQ(names(), Names({"x", "bare_gather", "bare", "disturbed_gather", "_low_contention_all_gather_default",
                              "hides", "disturbed", "other", "output"}));
    EXPECT_NE(told().find("1 because no product hides them; 1 because collectives of other groups"), std::string::npos)
        << told();
    run_again({{"low_contention_min_bytes_per_rank", 0}, {"low_contention_skip_overlap_check", true}});
    EXPECT_TRUE(told().starts_with("3 of 3 collectives")) << told();
}

TEST_F(LowContentionCollectivesTest, WhatNothingAwaitsIsNotHidden) {
    const NodeId x = placeholder("x"), gathered = all_gather("gather", x);
    output({product("hides", x), gathered});
    run(pass, any_size);
    EXPECT_EQ(names()[1], "gather");
    EXPECT_NE(told().find("; 1 because no product hides them"), std::string::npos) << told();
}

TEST_F(LowContentionCollectivesTest, AProductInsideControlDepsHides) {
    const NodeId x = placeholder("x"), gathered = all_gather("gather", x);
    const NodeId subgraph = builder_.add([&] {
        NodeRecord record;
        record.name = builder_.intern("subgraph_mm");
        record.target = builder_.target("subgraph_mm");
        record.op = NodeOp::get_attr;
        record.args = builder_.list({});
        return record;
    }());
    const Value waited_for[] = {Value::of_node(gathered)};
    const NodeId wrapped = call("mm", "higher_order.control_deps",
                                {builder_.list(waited_for), Value::of_node(subgraph), Value::of_node(x)});
    output({wait("gathered", gathered), wrapped});
    run(pass, any_size);
    EXPECT_EQ(names()[1], "_low_contention_all_gather_default");
}

TEST_F(LowContentionCollectivesTest, WhatIsReadByPlaceMustNotBeAKeyword) {
    const NodeId x = placeholder("x");
    const NodeId scattered =
        test::call_with(builder_, "scatter", "_c10d_functional.reduce_scatter_tensor.default", {Value::of_node(x)},
                        {{"reduce_op", builder_.string("sum")},
                         {"group_size", Value::of_integer(8)},
                         {"group_name", builder_.string("0")}},
                        {tensor({8})});
    const NodeId hides = product("hides", x);
    output({wait("scattered", scattered), hides});
    EXPECT_NE(refusal(pass, any_size).find("raises an IndexError"), std::string::npos);
}

/// A gather and a scatter that one product hides: how many are replaced with each difference.
class AlteredContentionTest : public LowContentionCollectivesTest {
  protected:
    using Change = std::vector<test::Difference>;

    PassResult changed(const Change& change, const Json& options) {
        builder_ = {};
        const NodeId x = placeholder("x", {64}), y = placeholder("y", {64}), out = placeholder("out", {512});
        const NodeId gathered = all_gather("gather", x), scattered = reduce_scatter("scatter", y);
        const NodeId hides = product("hides", x);
        output({wait("gathered", gathered), wait("scattered", scattered), hides, out});
        return require_pass(pass).run(test::altered(builder_.finish(header_), change),
                                      read_options(require_pass(pass), options), {});
    }
    std::string told_of(const Change& change, const Json& options) {
        const std::string message = changed(change, options).report.problems.front().message;
        return message.substr(0, message.find(" run on"));
    }
    std::string why_not(const Change& change, const Json& options) {
        try {
            changed(change, options);
        } catch (const PassRefusal& refused) {
            return refused.what();
        }
        return "not refused";
    }
    static inline const Json large = {{"low_contention_min_bytes_per_rank", 1024}};
    const Change into_buffer = {{"gather", "/target", R"("_c10d_functional.all_gather_into_tensor_out.default")"},
                                {"gather", "/kwargs", R"({"out": "%out"})"}};
    static Json multicast() {
        return {{"low_contention_min_bytes_per_rank", 0}, {"low_contention_all_gather_ce_multicast", true}};
    }
};

/// The bytes of what is no single tensor, and of what no whole number of ranks shares, are not known: such a
/// collective is not left out for being small.
TEST_F(AlteredContentionTest, OnlyWhatIsKnownToBeSmallStays) {
    EXPECT_EQ(told_of({}, large), "0 of 2 collectives");
    EXPECT_EQ(told_of({{"x", "/outputs", "[null]"}}, large), "1 of 2 collectives");
    EXPECT_EQ(told_of({{"x", "/outputs", "[null, null]"}, {"x", "/multi", "true"}}, large), "1 of 2 collectives");
    EXPECT_EQ(told_of({{"x", "/outputs", ""}}, large), "1 of 2 collectives");
    EXPECT_EQ(told_of({{"gather", "/args/0", "1"}}, large), "1 of 2 collectives");
    for (const char* ranks : {"0", "-8", R"("eight")"})
        EXPECT_EQ(told_of({{"scatter", "/args/2", ranks}}, large), "1 of 2 collectives") << ranks;
    EXPECT_NE(why_not({{"x", "/symbolic_shapes", R"([["u0"]])"}}, large).find("known only when the job runs"),
              std::string::npos);
    EXPECT_EQ(told_of({{"x", "/symbolic_shapes", R"([["u0"]])"}}, any_size), "2 of 2 collectives");
}

TEST_F(AlteredContentionTest, AGatherIntoABufferNeedsMulticast) {
    EXPECT_EQ(told_of(into_buffer, any_size), "1 of 2 collectives");
    EXPECT_NE(changed(into_buffer, any_size).report.problems.front().message.find("multicast alone can"),
              std::string::npos);
    const auto graph = changed(into_buffer, multicast()).graph;
    const NodeId gather = graph->find("_low_contention_all_gather_ce_multicast_out_default");
    ASSERT_NE(gather, no_node);
    EXPECT_EQ(graph->name(graph->argument(gather, 2)->node), "out");
    EXPECT_NE(changed({}, multicast()).graph->find("_low_contention_all_gather_ce_multicast_default"), no_node);
}

TEST_F(AlteredContentionTest, TheWaitOfAGatherIntoABufferMayBeThatOfTheBuffer) {
    const auto with = [&](const Change& more) {
        Change change = into_buffer;
        change.insert(change.end(), more.begin(), more.end());
        return change;
    };
    EXPECT_EQ(told_of(with({{"gathered", "/args/0", R"("%out")"}}), multicast()), "2 of 2 collectives");
    EXPECT_EQ(told_of(with({{"gathered", "/args/0", R"("%x")"}}), multicast()), "1 of 2 collectives");
    EXPECT_EQ(
        told_of(with({{"gather", "/kwargs", R"({"out": 1})"}, {"gathered", "/args/0", R"("%out")"}}), multicast()),
        "1 of 2 collectives");
    EXPECT_EQ(told_of(with({{"gather", "/kwargs", "{}"}, {"gathered", "/args/0", R"("%out")"}}), multicast()),
              "1 of 2 collectives");
    EXPECT_NE(why_not(with({{"gather", "/kwargs", "{}"}}), multicast()).find("no keyword out"), std::string::npos);
}

TEST_F(AlteredContentionTest, AGroupHasToBeAName) {
    EXPECT_NE(why_not({{"gather", "/args/2", "1"}}, any_size).find("its process group is no name"), std::string::npos);
}

TEST_F(AlteredContentionTest, WithoutSuchCollectivesNothingIsTold) {
    const NodeId x = placeholder("x");
    output({product("hides", x)});
    run(pass, any_size);
    EXPECT_TRUE(is_input());
    EXPECT_TRUE(result_.report.problems.empty());
}

}  // namespace
}  // namespace overlap
