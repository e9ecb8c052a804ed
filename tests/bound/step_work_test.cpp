#include "core/bound/step_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/pipeline/evaluation.h"
#include "tests/bound/waited_collectives.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

std::shared_ptr<const Graph> shared(Graph graph) {
    return std::make_shared<const Graph>(std::move(graph));
}

double compute_ms(const StepWork& work, std::string_view name) {
    return work.compute_ms[work.graph->find(name)];
}

/// Graphs of a few nodes on tensors of 1 MB, which the group's link moves in a millisecond.
class WorkSketch : public GraphSketch {
  public:
    const NodeId x = input("x", large());

    TensorMeta large(std::int64_t megabytes = 1) { return tensor("float32", {250'000 * megabytes}); }
    NodeId add(std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs, double time_ms) {
        return call(name, target, values(inputs), {large()}, time_ms);
    }
    NodeId convert(std::string_view name, NodeId from) { return add(name, "aten._to_copy.default", {from}, 1); }
    NodeId gather_of(std::string_view name, NodeId from, double time_ms = 1, std::string_view group = "0") {
        return add_all_gather(*this, name, from, large(), time_ms, group);
    }
    NodeId scatter_of(std::string_view name, NodeId from, double time_ms = 1) {
        return add_reduce_scatter(*this, name, from, large(), time_ms);
    }
    NodeId exchange_of(std::string_view name, NodeId from, double time_ms) {
        return add_all_to_all(*this, name, from, large(), time_ms);
    }

    std::shared_ptr<const StepWork> work(std::initializer_list<NodeId> returned) {
        return step_work(shared(finish(returned)));
    }
};

TEST(StepWork, HeavyComputeIsWhatIsCountedInFlopsAndTakesTime) {
    WorkSketch sketch;
    const NodeId light = sketch.add("light", "aten.add.Tensor", {sketch.x}, 1);
    const NodeId first = sketch.compute("first", {light}, 2);
    const NodeId none = sketch.compute("none", {first}, 0);
    const NodeId between = sketch.add("between", "aten.add.Tensor", {none}, 3);
    const NodeId second = sketch.compute("second", {between}, 4);
    const NodeId last = sketch.add("last", "aten.add.Tensor", {second}, 5);
    const auto work = sketch.work({last});
    const Graph& graph = *work->graph;
    std::vector<std::string> anchors;
    for (const NodeId anchor : work->anchors) anchors.emplace_back(graph.name(anchor));
    EXPECT_EQ(anchors, (std::vector<std::string>{"first", "second"}));
    EXPECT_EQ(compute_of_every_plan_ms(*work), 15);
    const auto of = [&](const std::vector<std::int32_t>& each) {
        std::vector<std::int32_t> found;
        for (const char* const name : {"light", "first", "none", "between", "second", "last"})
            found.push_back(each[graph.find(name)]);
        return found;
    };
    EXPECT_EQ(of(work->anchor_of_node), (std::vector<std::int32_t>{-1, 0, -1, -1, 1, -1}));
    EXPECT_EQ(of(work->needed_by), (std::vector<std::int32_t>{0, 0, 1, 1, 1, 2}));
    EXPECT_EQ(of(work->after), (std::vector<std::int32_t>{-1, 0, 0, 0, 1, 1}));
}

TEST(StepWork, AGraphMayBeginWithHeavyCompute) {
    GraphSketch before, after;
    const auto work = step_work(shared(before.finish({before.compute("a", {}, 2)})));
    EXPECT_EQ(work->anchors, std::vector<NodeId>{0});
    EXPECT_EQ(compute_of_every_plan_ms(*work), 2);
    EXPECT_TRUE(kept_work(*work, *evaluate_baseline(shared(after.finish({after.compute("a", {}, 2)})))).order);
}

/// Of what is computed again the original may be gone, as in a part of a graph.
TEST(StepWork, WhatIsComputedAgainComesBehindTheLastOriginal) {
    WorkSketch sketch;
    const NodeId first = sketch.compute("first", {sketch.x}, 1), second = sketch.compute("second", {first}, 1);
    const NodeId again = sketch.compute("second_recomputed", {first}, 1),
                 other = sketch.compute("gone_recomputed", {first}, 1);
    const auto work = sketch.work({sketch.compute("last", {second, again, other}, 1)});
    const Graph& graph = *work->graph;
    ASSERT_NE(work->made_once, no_node);
    EXPECT_EQ(graph.name(work->made_once), "second");
    for (const char* const name : {"second_recomputed", "gone_recomputed"})
        EXPECT_TRUE(work->is_again[graph.find(name)]) << name;
    EXPECT_FALSE(work->is_again[graph.find("last")]);
    EXPECT_EQ(work->again.size(), 2u);
}

/// Merging leaves out no other copies.
TEST(StepWork, CopiesThatMergingLeavesOutCountNothing) {
    WorkSketch sketch;
    const NodeId for_gather = sketch.convert("for_gather", sketch.x);
    const NodeId for_more = sketch.convert("for_more", sketch.x);
    const NodeId for_scatter = sketch.convert("for_scatter", sketch.x);
    const NodeId no_conversion = sketch.add("no_conversion", "aten.add.Tensor", {sketch.x}, 1);
    const NodeId zeros = sketch.add("zeros", "aten.new_zeros.default", {sketch.x}, 1);
    const NodeId padded = sketch.add("padded", "aten.cat.default", {sketch.x, zeros}, 1);
    const NodeId packed_for_gather = sketch.add("packed_for_gather", "aten.cat.default", {sketch.x}, 1);
    const NodeId packed_for_more = sketch.add("packed_for_more", "aten.cat.default", {sketch.x}, 1);
    const auto work = sketch.work({sketch.gather_of("a", for_gather), sketch.gather_of("b", for_more), for_more,
                                   sketch.scatter_of("c", for_scatter), sketch.gather_of("d", no_conversion),
                                   sketch.scatter_of("e", padded), sketch.gather_of("f", packed_for_gather),
                                   sketch.scatter_of("g", packed_for_more), packed_for_more});
    for (const char* const left_out : {"for_gather", "zeros", "padded"})
        EXPECT_EQ(compute_ms(*work, left_out), 0) << left_out;
    for (const char* const counts :
         {"for_more", "for_scatter", "no_conversion", "packed_for_gather", "packed_for_more"})
        EXPECT_EQ(compute_ms(*work, counts), 1) << counts;
}

/// What a collective does to its link at least.
struct LinkTimes {
    double latency_ms, transfer_ms, duration_ms;
};

void expect_times(const LinkWork& work, const LinkTimes& expected) {
    EXPECT_NEAR(work.latency_ms, expected.latency_ms, 1e-9);
    EXPECT_NEAR(work.transfer_ms, expected.transfer_ms, 1e-9);
    EXPECT_NEAR(work.duration_ms, expected.duration_ms, 1e-9);
}

TEST(StepWork, ACollectiveCountsWhatItsLinkTakesOrItsOwnTimeIfThatIsLess) {
    constexpr double rounding_ms = 5e-7;
    WorkSketch sketch;
    const auto work =
        sketch.work({sketch.gather_of("as_the_link_says", sketch.x, 1.02), sketch.gather_of("longer", sketch.x, 3),
                     sketch.gather_of("shorter", sketch.x, 0.5), sketch.gather_of("shortest", sketch.x, 0.01),
                     sketch.exchange_of("of_its_own", sketch.x, 3)});
    ASSERT_EQ(work->collectives.size(), 5u);
    expect_times(work->collectives[0], {0.02, 1 - rounding_ms, 1.02});
    expect_times(work->collectives[1], {0.02, 1 - rounding_ms, 1.02});
    expect_times(work->collectives[2], {0.02, 0.48, 0.5});
    expect_times(work->collectives[3], {0.01, 0, 0.01});
    // No plan merges it, so its own time counts.
    expect_times(work->collectives[4], {0.02, 2.98, 3});
    for (const LinkWork& collective : work->collectives) EXPECT_EQ(collective.moved_bytes, 1'000'000);
}

TEST(StepWork, InABucketACollectiveMayGoTheBestWayOfItsKind) {
    constexpr double rounding_ms = 5e-7;
    WorkSketch sketch;
    sketch.header().cost->links.front().kinds[CollectiveKind::all_gather] = {{0.01, 2e8}, {0.5, 2e9}};
    const auto work =
        sketch.work({sketch.gather_of("gather", sketch.x, 1), sketch.scatter_of("scatter", sketch.x, 1.02)});
    // The fastest for its size is the second way; the least latency is the first one's.
    expect_times(work->collectives[0], {0.01, 0.5 - rounding_ms, 1});
    expect_times(work->collectives[1], {0.02, 1 - rounding_ms, 1.02});
}

TEST(StepWork, GroupsThatShareALinkHaveOne) {
    WorkSketch sketch;
    for (const char* const group : {"1", "2", "3"}) sketch.group(group, 4, 0.02, 1e9);
    sketch.header().cost->contention = CostParameters::Contention{{}, 0, {{"9", "2"}, {"0", "3"}}};
    const auto work = sketch.work({sketch.gather_of("a", sketch.x, 1, "1"), sketch.gather_of("b", sketch.x, 1, "3"),
                                   sketch.gather_of("c", sketch.x, 1, "2"), sketch.gather_of("d", sketch.x, 1, "0")});
    using Links = std::vector<std::vector<std::string>>;
    EXPECT_EQ(work->links, (Links{{"1"}, {"3", "0"}, {"2"}}));
    std::vector<std::uint32_t> links;
    for (const LinkWork& collective : work->collectives) links.push_back(collective.link);
    EXPECT_EQ(links, (std::vector<std::uint32_t>{0, 1, 2, 1}));
}

/// Behind the last heavy compute that it needs, a collective needs the rest one after the other.
TEST(StepWork, WhatPreparesACollectiveComesBehindTheHeavyComputeThatItNeeds) {
    WorkSketch sketch;
    const NodeId early = sketch.add("early", "aten.add.Tensor", {sketch.x}, 16);
    const NodeId product = sketch.compute("product", {early}, 8);
    const NodeId left = sketch.add("left", "aten.add.Tensor", {product}, 4);
    const NodeId right = sketch.add("right", "aten.add.Tensor", {product}, 2);
    const NodeId both = sketch.add("both", "aten.add.Tensor", {left, right, early}, 1);
    const NodeId beside = sketch.add("beside", "aten.add.Tensor", {product}, 32);
    const NodeId exchanged = sketch.exchange_of("exchanged", both, 1);
    const NodeId other = sketch.exchange_of("other", early, 1);
    const NodeId last = sketch.compute("last", {exchanged, beside}, 1);
    const auto work = sketch.work({last, other});
    ASSERT_EQ(work->collectives.size(), 2u);
    EXPECT_EQ(work->collectives[0].after, 0);
    EXPECT_EQ(work->collectives[0].needed_by, 1);
    EXPECT_EQ(work->collectives[0].preparation_ms, 7);
    EXPECT_EQ(work->collectives[1].after, -1);
    EXPECT_EQ(work->collectives[1].needed_by, 2);
    EXPECT_EQ(work->collectives[1].preparation_ms, 16);
}

TEST(StepWork, WhatBoundsNothingSaysWhy) {
    const auto graph_of = [](WorkSketch& sketch) { return shared(sketch.finish({sketch.gather_of("a", sketch.x)})); };
    WorkSketch good, unpriced, no_link;
    unpriced.header().cost.reset();
    no_link.header().cost->links.clear();
    const auto graph = graph_of(good);
    EXPECT_EQ(step_work(graph)->obstacle, "");
    EXPECT_EQ(step_work(graph_of(unpriced))->obstacle,
              "the graph has no cost model, so what a merged collective takes is not known");
    EXPECT_EQ(step_work(graph_of(no_link))->obstacle, "the cost model has no link for process group \"0\"");
    const auto measured = std::make_shared<const TimeSource>(TimeSource{"trace.json", ProfileTables({})});
    EXPECT_EQ(step_work(graph, measured)->obstacle, "measured times are those of one plan and bound no other");
    EXPECT_EQ(step_work(graph, modelled_source(false, {}))->obstacle, "");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(step_work(graph, nullptr, stop.get_token())->obstacle, "it was stopped");
}

/// A step and what a plan made of it, written down.
KeptWork kept_of(WorkSketch& before, std::initializer_list<NodeId> returned, WorkSketch& after,
                 std::initializer_list<NodeId> then) {
    const auto work = before.work(returned);
    return kept_work(*work, *evaluate_baseline(shared(after.finish(then))));
}

/// Of a compiled job: what is read of a gather's result takes less time in plans that merge it.
TEST(StepWork, KernelsThatReadWhatCollectivesReturnMayTakeLessByThat) {
    const auto times_of = [](double flops_per_s, CompiledScope scope) {
        WorkSketch sketch;
        sketch.header().cost->flops_per_s["float32"] = flops_per_s;
        const auto square = [&] { return sketch.tensor("float32", {500, 500}); };  // 1 MB, 2 ms of memory's time
        const NodeId left = sketch.input("left", square()), right = sketch.input("right", square());
        const NodeId gathered = sketch.call("gathered", "aten.view.default",
                                            GraphSketch::values({sketch.gather_of("gather", sketch.x)}), {square()});
        const auto product = [&](std::string_view name, NodeId first, NodeId second) {
            return sketch.call(name, "aten.mm.default", GraphSketch::values({first, second}), {square()});
        };
        const NodeId of_gather = product("of_gather", gathered, right), other = product("other", left, right);
        const auto work =
            step_work(shared(sketch.finish({of_gather, other})), modelled_source(false, Compilation{.scope = scope}));
        EXPECT_EQ(work->obstacle, "");
        return std::pair(compute_ms(*work, "of_gather"), compute_ms(*work, "other"));
    };
    for (const CompiledScope scope : {CompiledScope::blocks, CompiledScope::whole}) {
        // Both read 2 MB and write 1 MB; 2.5e8 flops take 1 ms, and less is lost than the rounding of both times.
        const auto [of_memory_ms, other_ms] = times_of(5e11, scope);
        EXPECT_NEAR(of_memory_ms, 6 - 2 - 1e-6, 1e-9);
        EXPECT_NEAR(other_ms, 6, 1e-9);
        // The same flops take 5 ms, which no reading saves.
        const auto [of_flops_ms, other_of_flops_ms] = times_of(1e11, scope);
        EXPECT_NEAR(of_flops_ms, 5 - 1e-6, 1e-9);
        EXPECT_NEAR(other_of_flops_ms, 6, 1e-9);
    }
}

TEST(KeptWork, AllOfItInItsOrder) {
    WorkSketch before, after;
    const auto made = [](WorkSketch& sketch) {
        const NodeId a = sketch.compute("a", {sketch.x}, 1);
        return sketch.gather_of("g", sketch.compute("b", {a}, 1));
    };
    const KeptWork kept = kept_of(before, {made(before)}, after, {made(after)});
    EXPECT_TRUE(kept.all);
    EXPECT_TRUE(kept.order);
    EXPECT_EQ(kept.missing, "");
    EXPECT_EQ(kept.moved, "");
}

TEST(KeptWork, TellsWhatIsLeftOutOrTakesLessTime) {
    WorkSketch before, shorter, without;
    const KeptWork less =
        kept_of(before, {before.compute("a", {before.x}, 1)}, shorter, {shorter.compute("a", {shorter.x}, 0.5)});
    EXPECT_FALSE(less.all);
    EXPECT_FALSE(less.order);
    EXPECT_EQ(less.missing, "a takes less time");
    WorkSketch again;
    const KeptWork gone =
        kept_of(again, {again.compute("a", {again.x}, 1)}, without, {without.compute("b", {without.x}, 1)});
    EXPECT_FALSE(gone.all);
    EXPECT_EQ(gone.missing, "a is not computed");
}

TEST(KeptWork, TellsWhichCollectivesAreNotSent) {
    WorkSketch before, after;
    const KeptWork kept = kept_of(before, {before.gather_of("a", before.x), before.scatter_of("b", before.x)}, after,
                                  {after.gather_of("a", after.x)});
    EXPECT_FALSE(kept.all);
    EXPECT_TRUE(kept.order);
    EXPECT_EQ(kept.missing, "976.6 KiB of reduce_scatter are not sent");
}

TEST(KeptWork, TellsHeavyComputeThatComesBeforeWhatItFollows) {
    WorkSketch before, after;
    const NodeId first = before.compute("first", {before.x}, 1), second = before.compute("second", {before.x}, 1),
                 third = before.compute("third", {before.x}, 1);
    const NodeId then_third = after.compute("third", {after.x}, 1), then_second = after.compute("second", {after.x}, 1),
                 then_first = after.compute("first", {after.x}, 1);
    const KeptWork kept = kept_of(before, {first, second, third}, after, {then_first, then_second, then_third});
    EXPECT_TRUE(kept.all);
    EXPECT_FALSE(kept.order);
    EXPECT_EQ(kept.moved, "second runs before first");
    // Light compute may come in any order.
    WorkSketch light, moved;
    const NodeId a = light.convert("a", light.x), b = light.convert("b", light.x);
    const NodeId then_b = moved.convert("b", moved.x), then_a = moved.convert("a", moved.x);
    EXPECT_TRUE(kept_of(light, {a, b}, moved, {then_a, then_b}).order);
}

}  // namespace
}  // namespace overlap::test
