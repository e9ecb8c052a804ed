#include "core/explain/explain_node.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/explain/explain_memory.h"
#include "core/explain/explain_words.h"
#include "core/plan/automatic_plan.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

using Sentences = std::vector<std::string>;

/// The gathers `a` and `b`, which compute hides.
Graph two_hidden_gathers() {
    test::GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId a = sketch.gather("a", x, 2), b = sketch.gather("b", x, 2);
    const NodeId one = sketch.compute("one", {x}, 5);
    const NodeId two = sketch.compute("two", {sketch.wait("wait_a", a), one}, 0.5);
    return sketch.finish({sketch.compute("three", {sketch.wait("wait_b", b), two}, 1)});
}

std::shared_ptr<const Evaluation> bucketed() {
    const auto graph = std::make_shared<const Graph>(two_hidden_gathers());
    return evaluate(graph, automatic_plan(Plan(), *graph));
}

TEST(ExplainNode, ANodeIsFoundInEitherGraph) {
    const auto evaluation = bucketed();
    ASSERT_EQ(evaluation->graph->find("a"), no_node);
    EXPECT_EQ(explain_node(*evaluation, "a").sentences,
              Sentences({"a is an all-gather of 64 B on process group \"0\" (4 ranks), in no module",
                         "It is bucketed with 1 other, b, as all_gather_into_tensor_out of 128 B, by "
                         "schedule_overlap_bucketing",
                         "The bucket takes 20.13 µs, all hidden behind one (20.13 µs)",
                         "The scheduler hides all of its 20.13 µs behind one"}));
    const CollectiveExplanation of_result = explain_node(*evaluation, "all_gather_into_tensor_out");
    EXPECT_EQ(of_result.collective, "all_gather_into_tensor_out");
    EXPECT_EQ(
        of_result.sentences,
        Sentences({"all_gather_into_tensor_out is the all-gather that schedule_overlap_bucketing makes of 2 "
                   "collectives: a, b; process group \"0\", float32, 128 B",
                   "It takes 20.13 µs, all hidden behind one (20.13 µs)",
                   "The scheduler hides all of its 20.13 µs behind one",
                   "128 B (gathered parameters) are held from all_gather_into_tensor_out to clone_1, 5.501 ms, at "
                   "the peak too"}));
    EXPECT_EQ(explain_node(*evaluation, "one").sentences,
              Sentences({"one is no collective: it starts no communication and waits for none",
                         "16 B (temporary) are held from one to two, 5.501 ms, at the peak too"}));
}

/// A pass may give a name that it took away to a node of its own.
TEST(ExplainNode, ANameThatAPassGaveAwayIsTheResults) {
    Evaluation evaluation = *evaluate_baseline(std::make_shared<const Graph>(two_hidden_gathers()));
    EXPECT_TRUE(explain_node(evaluation, "a").sentences.at(1).starts_with("It can be bucketed"));
    evaluation.origin[evaluation.graph->find("a")] = no_node;
    EXPECT_EQ(explain_node(evaluation, "a").sentences,
              Sentences({"a is an all-gather of 64 B on process group \"0\" (4 ranks), in no module",
                         "It takes 2 ms, all hidden behind one (2 ms)"}));
}

TEST(ExplainNode, AnUnknownNameIsRefusedWithTheNearest) {
    const auto problem = [](std::string_view name) {
        return test::problem_of([&] { explain_node(*bucketed(), name); });
    };
    EXPECT_EQ(problem("wait_c"), "there is no node \"wait_c\"; nearest: \"wait_a\", \"wait_b\"");
    EXPECT_TRUE(
        problem("gather_into").starts_with("there is no node \"gather_into\"; nearest: \"all_gather_into_tensor_out\""))
        << problem("gather_into");
    EXPECT_EQ(problem("something else"),
              "there is no node \"something else\" nor one of a similar name; overlap simulate GRAPH --json names "
              "collectives");
}

TEST(ExplainNode, WithoutTimesNothingIsSaidOfThem) {
    test::GraphSketch sketch;
    sketch.header().cost.reset();
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId a =
        sketch.call("a", "_c10d_functional.all_gather_into_tensor.default",
                    {Value::of_node(x), Value::of_integer(4), sketch.text("0")}, {sketch.tensor("float32", {16})});
    const auto evaluation = evaluate_baseline(std::make_shared<const Graph>(sketch.finish({sketch.wait("wait_a", a)})));
    ASSERT_FALSE(evaluation->times_known);
    const Sentences told = explain_node(*evaluation, "a").sentences;
    ASSERT_EQ(told.size(), 4u);
    EXPECT_EQ(told[2], "How long it takes is not known: neither the graph nor a cost model gives times");
    EXPECT_EQ(told[3], "64 B (gathered parameters) are held from a to the end of the step, at the peak too");
}

TEST(ExplainNode, OverlapsByHandAreTold) {
    const auto graph = std::make_shared<const Graph>(two_hidden_gathers());
    Plan plan;
    plan.overlaps.list = {{.collective = "gone", .start_after = "one"},
                          {.collective = "a", .wait_after = "one"},
                          {.collective = "b", .start_after = "three"}};
    const auto evaluation = evaluate(graph, plan);
    const auto by_hand = [&](std::string_view name) {
        Sentences told = explain_node(*evaluation, name).sentences;
        std::erase_if(told, [](const std::string& sentence) {
            return sentence.find("you asked") == sentence.npos && sentence.find("You asked") == sentence.npos;
        });
        return told;
    };
    EXPECT_EQ(by_hand("a"), Sentences{"a is waited for after one, because you asked for it"});
    EXPECT_EQ(by_hand("b"),
              Sentences{"You asked that b is issued after three, which is left out: b cannot be issued after three, "
                        "which has to come behind it: b → wait_b → three"});
}

/// What is compared with its whole time is not when it ends.
TEST(ExplainNode, ALaterCollectiveThatStandsStillSaysSo) {
    test::GraphSketch sketch;
    sketch.group("1", 4, 0.02, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId before = sketch.compute("before", {x}, 5000);
    const NodeId slow = sketch.gather("slow", before, 3, "0"), quick = sketch.gather("quick", before, 2, "1");
    const NodeId first = sketch.compute("first", {before}, 0.5);
    const NodeId second = sketch.compute("second", {sketch.wait("wait_quick", quick), first}, 4);
    const NodeId third = sketch.compute("third", {sketch.wait("wait_slow", slow), second}, 1);
    const auto evaluation = evaluate_baseline(std::make_shared<const Graph>(sketch.finish({third})));
    EXPECT_EQ(explain_node(*evaluation, "slow").sentences.at(2),
              "It takes 3 ms, hidden behind second (1 ms), first (0.5 ms); for 1.5 ms of it compute stands still for "
              "something else");
}

TEST(ExplainNode, HeldMemoryIsTimed) {
    const auto evaluation = evaluate_baseline(std::make_shared<const Graph>(two_hidden_gathers()));
    const std::vector<std::pair<std::string, std::string>> held = {
        {"x", "16 B (sharded parameters) are held from the beginning to the end of the step, 6.5 ms, at the peak too"},
        {"a", "64 B (gathered parameters) are held from a to two, 5.5 ms, at the peak too"},
        {"two", "16 B (temporary) are held from two to three, 1.5 ms, at the peak too"},
        {"three", "16 B (gradients) are held from three to the end of the step, 1 ms, not at the peak"}};
    for (const auto& [name, sentence] : held) EXPECT_EQ(explain_memory(*evaluation, name), Sentences{sentence});
}

/// Times are those of the nodes between which it is held, however short.
TEST(ExplainNode, ShortLivesAreTimedAsWell) {
    test::GraphSketch sketch;
    const NodeId zeros = sketch.call("zeros", "aten.zeros.default", {}, {sketch.tensor("float32", {4})}, 2);
    const NodeId one = sketch.compute("one", {zeros}, 0.25);
    const auto evaluation =
        evaluate_baseline(std::make_shared<const Graph>(sketch.finish({sketch.compute("two", {one}, 0.25)})));
    EXPECT_EQ(explain_memory(*evaluation, "zeros"),
              Sentences{"16 B (temporary) are held from zeros to one, 2.25 ms, at the peak too"});
    EXPECT_EQ(explain_memory(*evaluation, "one"),
              Sentences{"16 B (temporary) are held from one to two, 0.5 ms, at the peak too"});
}

TEST(ExplainNode, ARenamedNodeHoldsItsMemory) {
    Evaluation evaluation = *bucketed();
    evaluation.origin[evaluation.graph->find("clone_1")] = evaluation.input->find("wait_a");
    EXPECT_EQ(explain_memory(evaluation, "clone_1").size(), 1u);
}

TEST(ExplainNode, WhatTheResultHasNoMoreHoldsNothing) {
    EXPECT_EQ(explain_memory(*bucketed(), "a"), Sentences());
}

/// An entry is named where the step has it.
TEST(ExplainNode, EntriesBeyondThoseOfTheStepHaveNoName) {
    const auto graph = std::make_shared<const Graph>(two_hidden_gathers());
    Plan plan;
    plan.pipeline = {PassStep{"manual_overlap_bucketing"}, PassStep{"stable_topological_sort"}};
    plan.buckets = {{{"layers.0"}}};
    const auto evaluation = evaluate(graph, plan);
    const auto words = [&](std::size_t step, std::size_t entry) {
        return entry_words(*evaluation, evaluation->resolved->steps, evaluation->reports.at(step), entry);
    };
    EXPECT_EQ(words(0, 0), "entry 1 (layers.0)");
    EXPECT_EQ(words(0, 1), "entry 2");
    EXPECT_EQ(words(1, 0), "entry 1");
}

}  // namespace
}  // namespace overlap
