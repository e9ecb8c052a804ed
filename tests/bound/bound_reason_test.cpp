// What is told of a bound: its reason as a sentence, and its document.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/bound/bound_trace.h"
#include "core/bound/lower_bound.h"

namespace overlap::test {
namespace {

using Kind = BoundStep::Kind;
using Chain = std::vector<BoundStep>;

/// Stretches that follow one another, each of a kind and as long as it is said.
Chain chain_of(const std::vector<std::pair<Kind, double>>& stretches) {
    Chain chain;
    double now_ms = 0;
    for (const auto& [kind, length_ms] : stretches) {
        BoundStep& step = chain.emplace_back();
        step.kind = kind;
        step.start_ms = now_ms;
        step.end_ms = now_ms += length_ms;
        if (kind == Kind::link) step.groups = {"of " + std::to_string(static_cast<int>(length_ms))};
    }
    return chain;
}

TEST(BoundReason, ALinkThatIsBusyMostOfTheTimeIsTold) {
    const Chain busy = chain_of({{Kind::link, 90}, {Kind::compute, 10}});
    EXPECT_EQ(bound_reason(busy, {94, 10, {}}),
              "the network (process group \"of 90\") is busy at least 90 of 94 ms: only fewer bytes can help");
    EXPECT_EQ(bound_reason(busy, {94, 10, {}}, true),
              "the network (process group \"of 90\") is busy at least 90 of 94 ms, whatever the order of compute: only "
              "fewer bytes can help");
    EXPECT_EQ(bound_reason(busy, {100, 10, {}}),
              "the network (process group \"of 90\") is busy at least 90 of 100 ms in every plan; the rest is compute "
              "that waits, or work that a plan may save");
    EXPECT_EQ(
        bound_reason(busy, {100, 10, {}}, true),
        "the network (process group \"of 90\") is busy at least 90 of 100 ms in every plan, whatever the order of "
        "compute; the rest is compute that waits, or work that a plan may save");
}

TEST(BoundReason, ComputeThatTakesMostOfTheTimeIsTold) {
    const Chain compute = chain_of({{Kind::collective, 10}, {Kind::compute, 90}});
    EXPECT_EQ(bound_reason(compute, {94, 92, {}}), "compute takes 92 of 94 ms: only less compute can help");
    EXPECT_EQ(bound_reason(compute, {94, 92, {}}, true),
              "compute takes 92 of 94 ms, whatever the order of compute: only less compute can help");
    EXPECT_EQ(bound_reason(compute, {200, 92, 150}, true),
              "compute takes 92 of 200 ms in every plan, whatever the order of compute; of the rest 50 ms is waiting "
              "and 58 ms is compute that a plan may save");
    // What takes less than a nanosecond is not told.
    const auto tells_beyond = [&](double beyond_ms) {
        return bound_reason(compute, {200, 0, beyond_ms}).ends_with(" is compute that a plan may save");
    };
    EXPECT_TRUE(tells_beyond(1e-6));
    EXPECT_FALSE(tells_beyond(0.9e-6));
    EXPECT_EQ(bound_reason(compute, {200, 92, 200}),
              "compute takes 92 of 200 ms in every plan; of the rest 108 ms is compute that a plan may save");
    EXPECT_EQ(bound_reason(compute, {100, 92, 92}),
              "compute takes 92 of 100 ms in every plan; of the rest 8 ms is waiting");
    EXPECT_EQ(bound_reason(chain_of({{Kind::compute, 90}, {Kind::collective, 10}}), {100, 100, 100}),
              "compute takes 100 of 100 ms in every plan");
}

/// Above the bound another plan may help, too.
TEST(BoundReason, ThatOnlyLessCanHelpIsSaidOnlyAtTheBound) {
    const Chain busy = chain_of({{Kind::compute, 1}, {Kind::link, 99}});
    EXPECT_EQ(bound_reason(busy, {101, 1, {}}),
              "the network (process group \"of 99\") is busy at least 99 of 101 ms: only fewer bytes can help");
    EXPECT_EQ(
        bound_reason(busy, {103.7, 1, {}}),
        "the network (process group \"of 99\") is busy at least 99 of 103.7 ms in every plan; the rest is compute "
        "that waits, or work that a plan may save");
    const Chain compute = chain_of({{Kind::collective, 1}, {Kind::compute, 99}});
    EXPECT_EQ(bound_reason(compute, {101, 99, 99}), "compute takes 99 of 101 ms: only less compute can help");
    EXPECT_EQ(bound_reason(compute, {103.5, 99, 99}),
              "compute takes 99 of 103.5 ms in every plan; of the rest 4.5 ms is waiting");
}

TEST(BoundReason, WhatFollowsOneAnotherIsToldByKind) {
    EXPECT_EQ(bound_reason({}, {3, 0, {}}), "nothing takes time");
    const Chain all =
        chain_of({{Kind::compute, 1}, {Kind::link, 2}, {Kind::memory, 3}, {Kind::link, 5}, {Kind::collective, 7}});
    EXPECT_EQ(bound_reason(all, {20, 1, {}}),
              "in every plan 1 ms of compute, 3 ms of compute that has to end before a gather has room, 7 ms of the "
              "network (process group \"of 5\"), 7 ms of collectives that compute has to wait for follow one another, "
              "of a step of 20 ms");
    EXPECT_EQ(bound_reason(chain_of({{Kind::compute, 4}, {Kind::collective, 4}}), {9, 4, {}}, true),
              "in every plan, whatever the order of compute, 4 ms of compute, 4 ms of collectives that compute has "
              "to wait for follow one another, of a step of 9 ms");
    // Of several links the one that is busy longest is named.
    for (const Chain& named : {chain_of({{Kind::link, 5}, {Kind::compute, 4}, {Kind::link, 2}}),
                               chain_of({{Kind::compute, 4}, {Kind::link, 2}, {Kind::link, 5}})})
        EXPECT_EQ(
            bound_reason(named, {20, 4, {}}),
            "in every plan 4 ms of compute, 7 ms of the network (process group \"of 5\") follow one another, of a step "
            "of 20 ms");
    Chain shared = chain_of({{Kind::link, 4}, {Kind::compute, 4}});
    shared[0].groups = {"a", "b"};
    EXPECT_EQ(
        bound_reason(shared, {8, 4, {}}),
        "in every plan 4 ms of compute, 4 ms of the network (process groups \"a\", \"b\") follow one another, of a "
        "step of 8 ms");
}

TEST(BoundChain, StretchesOfComputeThatFollowOneAnotherBecomeOne) {
    Chain chain =
        chain_of({{Kind::compute, 1}, {Kind::compute, 2}, {Kind::link, 3}, {Kind::link, 4}, {Kind::compute, 5}});
    const char* const names[] = {"a", "b", "c", "d", "e"};
    for (std::size_t index = 0; index < chain.size(); ++index) chain[index].first = chain[index].last = names[index];
    join_compute(chain);
    std::vector<std::string> joined;
    for (const BoundStep& step : chain)
        joined.push_back(step.first + "-" + step.last + " " + std::to_string(static_cast<int>(step.start_ms)) + " to " +
                         std::to_string(static_cast<int>(step.end_ms)));
    EXPECT_EQ(joined, (std::vector<std::string>{"a-b 0 to 3", "c-c 3 to 6", "d-d 6 to 10", "e-e 10 to 15"}));
}

TEST(BoundJson, HasWhatIsKnownAndNullForTheRest) {
    LowerBound bound;
    bound.step_ms = 4;
    bound.ordered_ms = 4;
    bound.order_free_ms = 3;
    bound.least_peak_bytes = 12;
    bound.least_peak_node = "mm";
    bound.reason = "so it is";
    bound.chain = chain_of({{Kind::link, 3}, {Kind::memory, 1}});
    bound.chain[0].first = "gather";
    bound.chain[0].last = "gather_1";
    bound.order_free_chain = chain_of({{Kind::compute, 3}});
    const std::string figures = R"({"step_ms":4,"ordered_ms":4,"order_free_ms":3,"memory_limit_bytes":)";
    const std::string chains =
        R"("chain":[{"kind":"link","start_ms":0,"end_ms":3,"first":"gather","last":"gather_1","process_groups":["of 3"]},)"
        R"({"kind":"memory","start_ms":3,"end_ms":4,"first":"","last":"","process_groups":[]}],)"
        R"("order_free_chain":[{"kind":"compute","start_ms":0,"end_ms":3,"first":"","last":"","process_groups":[]}]})";
    const std::string reason =
        R"(,"least_peak_bytes":12,"least_peak_node":"mm","reason":"so it is","plan_step_ms":5,"plan_peak_bytes":7,)";
    EXPECT_EQ(bound_json(bound, 100, 5, 7, {false, false, "some are not sent", "b runs before a"}),
              figures + "100" + reason +
                  R"("plan_leaves_out":"some are not sent","plan_reorders":"b runs before a","problems":[],)" + chains);
    Problem beyond;
    beyond.severity = Severity::caution;
    beyond.kind = ProblemKind::beyond_device_memory;
    beyond.message = "too much";
    beyond.nodes = {"mm"};
    EXPECT_EQ(bound_json(bound, {}, 5, 7, {true, true}, std::span(&beyond, 1)),
              figures + "null" + reason +
                  R"("plan_leaves_out":null,"plan_reorders":null,"problems":[{"severity":"caution",)"
                  R"("kind":"beyond_device_memory","message":"too much","nodes":["mm"]}],)" +
                  chains);
}

}  // namespace
}  // namespace overlap::test
