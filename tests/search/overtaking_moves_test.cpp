// Overlaps by hand that change the order of heavy compute, on small models.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/search/moves.h"
#include "tests/advice/layers_sketch.h"

namespace overlap::test {
namespace {

using Texts = std::vector<std::string>;

/// The origin of each, and its overlaps in words.
Texts overtaking(const std::shared_ptr<const Graph>& graph, const Plan& plan = {}) {
    Texts texts;
    for (const Proposal& move : overtaking_moves(*evaluate(graph, plan))) {
        texts.push_back(move.origin + ":");
        for (const OverlapDirective& directive : move.plan.overlaps.list)
            texts.back() += ' ' + describe(directive) + ';';
    }
    return texts;
}

/// Six layers of 2 ms whose gathers take 3 ms and more, later ones a little longer; nothing comes before the first.
TEST(OvertakingMoves, StartTheLongestExposedBeforeProductsThatTakeAsLong) {
    LayersSketch sketch;
    NodeId x = sketch.parameter("x");
    for (int layer = 0; layer < 6; ++layer) {
        const std::string name = std::to_string(layer);
        x = sketch.layer("layers." + name, name, x, 3 + 0.1 * layer, 2);
    }
    const auto starts = [](int collective, int before) {
        return " g_" + std::to_string(collective) + " is issued before mm_" + std::to_string(before) + ';';
    };
    // Half of what each is exposed, and all of it.
    const std::string half = starts(5, 4) + starts(4, 3), all = starts(5, 3) + starts(4, 2);
    const std::string half_of_four = half + starts(3, 2) + starts(2, 1),
                      all_of_four = all + starts(3, 1) + starts(2, 0);
    EXPECT_EQ(overtaking(sketch.drawn({x})),
              (Texts{"2 collectives overtake products:" + half, "4 collectives overtake products:" + half_of_four,
                     "5 collectives overtake products:" + half_of_four + starts(1, 0),
                     "2 collectives overtake products:" + all, "4 collectives overtake products:" + all_of_four,
                     "5 collectives overtake products:" + all_of_four + starts(1, 0)}));
}

/// A collective of 4 ms, what needs it, and three products of 2 ms that do not.
struct OtherCompute {
    explicit OtherCompute(std::size_t beside = 0) {
        const NodeId x = sketch.parameter("x");
        const NodeId waited =
            sketch.wait_in("layers.0", "w", sketch.gather_in("layers.0", "g", sketch.parameter("p"), 4));
        const NodeId needs = sketch.compute("needs", {x, waited}, 1);
        for (std::size_t node = 0; node < beside; ++node) sketch.item("item_" + std::to_string(node), x, 0);
        const NodeId first = sketch.compute("first", {x}, 2), second = sketch.compute("second", {x}, 2);
        const NodeId third = sketch.compute("third", {x}, 2);
        graph = sketch.drawn({sketch.compute("last", {needs, first, second, third}, 1)});
    }

    LayersSketch sketch;
    std::shared_ptr<const Graph> graph;
};

TEST(OvertakingMoves, WaitBehindOtherComputeThatTakesAsLong) {
    const std::string what = "1 collective, and what needs it, waits for other compute:";
    EXPECT_EQ(overtaking(OtherCompute().graph),
              (Texts{what + " g is waited for after first;", what + " g is waited for after second;"}));
    // What is known of its beginning stays.
    Plan plan;
    plan.overlaps.list = {{.collective = "g", .start_after = "x", .hide_behind = "layers.0"}};
    EXPECT_EQ(overtaking(OtherCompute().graph, plan).front(),
              what + " g is issued after x and is waited for after first;");
}

TEST(OvertakingMoves, LookNoFartherThanALongLayer) {
    // Behind the wait: what needs it, 598 nodes that take no time, and the first product.
    EXPECT_EQ(overtaking(OtherCompute(597).graph).size(), 2u);
    EXPECT_EQ(overtaking(OtherCompute(598).graph).size(), 0u);
}

TEST(OvertakingMoves, OvertakeNothingWhereAllNeedsTheCollective) {
    LayersSketch sketch;
    EXPECT_EQ(overtaking(sketch.drawn({sketch.layer("layers.0", "0", sketch.parameter("x"), 3, 2)})), Texts{});
}

}  // namespace
}  // namespace overlap::test
