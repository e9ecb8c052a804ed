// What the states of a parameter's chains follow from, and the sentences that say why they do not.

#include <gtest/gtest.h>

#include <functional>

#include "core/mesh/sharding_text.h"
#include "core/redistribution/redistribution_chains.h"
#include "tests/redistribution/path_sketch.h"
#include "tests/redistribution/redistribution_graphs.h"

namespace overlap::test {

namespace {

/// On rank 5 of 2 x 4 ranks, or rank 7 of 2 x 2 x 2 ranks as groups "a", "b" and "c".
class MeshSketch : public PathSketch {
  public:
    MeshSketch() {
        ranks("outer", {1, 5}, 1);
        ranks("inner", {4, 5, 6, 7}, 1);
        ranks("a", {3, 7}, 1);
        ranks("b", {5, 7}, 1);
        ranks("c", {6, 7}, 1);
    }
    /// What a gradient comes from.
    NodeId computed(const Extents& sizes) { return compute(parameter(sizes), sizes); }
};

/// Draws from a parameter's node on. @returns its gradient, if it draws one.
using Draw = std::function<NodeId(MeshSketch&, NodeId)>;

GraphChains chains_of(const Extents& sizes, const Draw& draw) {
    MeshSketch sketch;
    const NodeId gradient = draw(sketch, sketch.parameter(sizes));
    const auto graph = gradient == no_node ? sketch.graph() : sketch.graph({gradient});
    return redistribution_chains(*graph, {});
}

std::string drawn_obstacle(const Extents& sizes, const Draw& draw) {
    const GraphChains chains = chains_of(sizes, draw);
    EXPECT_EQ(chains.parameters.size(), 1u);
    if (chains.parameters.empty()) return "no chains";
    // What is contradicted is not told by half.
    EXPECT_EQ(to_text(chains.parameters[0].storage), "");
    for (const RedistributionChain& chain : chains.parameters[0].chains) EXPECT_TRUE(chain.states.empty());
    return chains.parameters[0].obstacle;
}

/// The only parameter's, without an obstacle.
std::vector<std::string> drawn_paths(const Extents& sizes, const Draw& draw) {
    const GraphChains chains = chains_of(sizes, draw);
    EXPECT_EQ(chains.parameters.size(), 1u);
    if (chains.parameters.empty()) return {};
    EXPECT_EQ(chains.parameters[0].obstacle, "");
    return paths_of(chains.parameters[0]);
}

}  // namespace

TEST(ChainObstacles, SayWhatContradictsItself) {
    struct Case {
        Extents sizes;
        Draw draw;
        std::string obstacle;
    };
    const std::vector<Case> cases = {
        {{8, 6},
         [](MeshSketch& s, NodeId p) {
             const NodeId rows = s.gather(p, 4, {32, 6}, "inner");
             s.gather(rows, 2, {64, 6}, "outer");
             s.gather(rows, 2, {64, 6}, "outer");
             return no_node;
         },
         "two of its uses share the collective \"all_gather_into_tensor\""},
        {{8, 6},
         [](MeshSketch& s, NodeId p) {
             s.gather(s.gather(p, 4, {32, 6}, "inner"), 4, {128, 6}, "inner");
             return no_node;
         },
         "\"all_gather_into_tensor_1\" takes S(0) along process group \"inner\", which is R by then"},
        {{8, 6},
         [](MeshSketch& s, NodeId p) {
             const NodeId rows = s.gather(s.gather(p, 2, {16, 6}, "c"), 2, {32, 6}, "b");
             s.compute(s.piece(s.split(rows, 0, 2, {16, 6}), 1, {16, 6}), {16, 6});
             return no_node;
         },
         "which process group \"split\" cuts for is not known: several have its number of parts"},
        {{8, 6},
         [](MeshSketch& s, NodeId p) {
             s.gather(p, 4, {32, 6}, "inner");
             s.reduce(p, {8, 6}, "inner");
             return no_node;
         },
         "its uses and its gradient disagree on how it is stored along process group \"inner\": S(0) and P(sum)"},
        {{8, 6},
         [](MeshSketch& s, NodeId p) {
             s.reduce(p, {8, 6}, "inner");
             return no_node;
         },
         "it would be stored as P(sum) along process group \"inner\""},
        {{8, 6},
         [](MeshSketch& s, NodeId p) {
             s.gather(s.gather(p, 4, {32, 6}, "inner"), 2, {64, 6}, "outer");
             s.gather(p, 2, {16, 6}, "outer");
             return no_node;
         },
         "its uses are laid out in another order than one another"},
        {{8, 6},
         [](MeshSketch& s, NodeId p) {
             for (const std::string group : {"a", "b", "c"}) s.gather(p, 2, {16, 6}, group);
             return no_node;
         },
         "no chain of it shows in which order several process groups cut one tensor dimension"},
        {{32, 6},
         [](MeshSketch& s, NodeId p) {
             s.gather(p, 2, {64, 6}, "outer");
             return s.gather(s.scatter(s.computed({16, 6}), 2, {8, 6}, "outer"), 4, {32, 6}, "inner");
         },
         "\"all_gather_into_tensor_1\" gathers along process group \"inner\" while another group still cuts the same "
         "dimension inside it"},
        {{8, 6},
         [](MeshSketch& s, NodeId p) {
             s.ranks("broken", {4, 5}, 2);
             s.gather(p, 2, {16, 6}, "broken");
             return no_node;
         },
         "process group \"broken\" does not say which of its ranks this one is"},
        {{8, 6},
         [](MeshSketch& s, NodeId p) {
             s.ranks("backwards", {5, 4}, 0);
             s.gather(p, 2, {16, 6}, "backwards");
             return no_node;
         },
         "process group \"backwards\" has ranks that are not evenly spaced, so it is no dimension of a row-major mesh"},
        {{1, 6},
         [](MeshSketch& s, NodeId p) {
             NodeId gathered = p;
             for (int dim = 0; dim < 7; ++dim) {
                 s.ranks("of " + std::to_string(dim), {0, 1 << dim}, 0);
                 gathered = s.gather(gathered, 2, {2 << dim, 6}, "of " + std::to_string(dim));
             }
             return no_node;
         },
         "it communicates over 7 sets of ranks, more than the 6 dimensions of a mesh"},
    };
    for (const Case& expected : cases) EXPECT_EQ(drawn_obstacle(expected.sizes, expected.draw), expected.obstacle);
}

TEST(ChainObstacles, StatesFollowFromOtherChainsToo) {
    // A use or a gradient that leaves two cuts of one dimension alone: their order is the stored one.
    const auto with = [](const Draw& draw) {
        return drawn_paths({8, 6}, [&](MeshSketch& s, NodeId p) {
            s.gather(s.gather(s.gather(p, 2, {16, 6}, "c"), 2, {32, 6}, "b"), 2, {64, 6}, "a");
            return draw(s, p);
        });
    };
    const std::string all = "S(0)[0]S(0)[1]S(0)[2]->S(0)[0]S(0)[1]R->S(0)RR->RRR";
    EXPECT_EQ(with([](MeshSketch& s, NodeId p) {
                  s.gather(p, 2, {16, 6}, "c");
                  return no_node;
              }),
              (std::vector<std::string>{all, "S(0)[0]S(0)[1]S(0)[2]->S(0)[0]S(0)[1]R"}));
    EXPECT_EQ(with([](MeshSketch& s, NodeId) {
                  return s.scatter(s.computed({16, 6}), 2, {8, 6}, "c");
              }),
              (std::vector<std::string>{all, "S(0)[0]S(0)[1]P(sum)->S(0)[0]S(0)[1]S(0)[2]"}));
    EXPECT_EQ(drawn_paths({8, 8},
                          [](MeshSketch& s, NodeId p) {
                              s.exchange(p, 0, 1, {32, 2}, "inner");
                              return no_node;
                          }),
              std::vector<std::string>{"S(0)->S(1)"});
    // A group of one rank is a dimension too.
    EXPECT_EQ(drawn_paths({8, 6},
                          [](MeshSketch& s, NodeId p) {
                              s.ranks("alone", {5}, 0);
                              s.gather(s.gather(p, 1, {8, 6}, "alone"), 4, {32, 6}, "inner");
                              return no_node;
                          }),
              std::vector<std::string>{"S(0)[0]S(0)[1]->S(0)R->RR"});
}

TEST(ChainObstacles, ChainsEndBeforeAPieceThatNoGroupHas) {
    // Half of the rows, of a weight that four ranks hold: computation, and so is the reduction behind it.
    const Draw draw = [](MeshSketch& s, NodeId p) {
        s.reduce(s.slice(s.gather(p, 4, {32, 6}, "inner"), 0, 16, 32, {16, 6}), {16, 6}, "outer");
        return no_node;
    };
    const GraphChains chains = chains_of({8, 6}, draw);
    ASSERT_EQ(chains.parameters.size(), 1u);
    EXPECT_EQ(chains.parameters[0].obstacle, "");
    EXPECT_EQ(paths_of(chains.parameters[0]), std::vector<std::string>{"RS(0)->RR"});
    EXPECT_EQ(chains.parameters[0].chains[0].collectives.size(), 1u);
    EXPECT_EQ(chains.parameters[0].chains[0].bytes, 32 * 6 * 4);
    // A collective that names no group is no part of a mesh.
    EXPECT_TRUE(
        chains_of({8, 6}, [](MeshSketch& s, NodeId p) {
            s.op("_c10d_functional.all_gather_into_tensor.default", {Value::of_node(p), Value::of_integer(4)}, {32, 6});
            return no_node;
        }).parameters.empty());
}

TEST(ChainObstacles, GradientsOfNoParameterAreListed) {
    const auto unmatched = [](const Extents& sizes) {
        return chains_of({8, 6},
                         [&](MeshSketch& s, NodeId p) {
                             s.gather(p, 4, {32, 6}, "inner");
                             return s.scatter(s.computed({sizes[0] * 4, sizes[1]}), 4, sizes, "inner");
                         })
            .unmatched_gradients.size();
    };
    EXPECT_EQ(unmatched({8, 6}), 0u);
    EXPECT_EQ(unmatched({7, 6}), 1u);
}

}  // namespace overlap::test
