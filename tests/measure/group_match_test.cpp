// Which process groups of a plan and of a trace are one, where names, ranks and collectives say little.

#include <gtest/gtest.h>

#include "core/measure/collective_match.h"
#include "tests/cost/graph_sketch.h"
#include "tests/measure/simulated_trace.h"

namespace overlap::test {
namespace {

/// Gathers of a plan, one after the other, and the trace of a job that did the same, to be changed.
class GroupMatching : public ::testing::Test {
  protected:
    /// @param elements of what is gathered; a gather gives four times as much.
    void gather(const std::string& group, std::int64_t elements) {
        const std::string name = "gather" + std::to_string(sketch.builder().node_count());
        const NodeId source = sketch.input("of_" + name, sketch.tensor("float32", {elements}));
        sketch.call(name, "_c10d_functional.all_gather_into_tensor.default",
                    {Value::of_node(source), Value::of_integer(4), sketch.text(group)},
                    {sketch.tensor("float32", {4 * elements})}, 1);
    }
    SimulatedTrace write() {
        evaluation = evaluate_baseline(std::make_shared<const Graph>(sketch.finish()));
        return SimulatedTrace(*evaluation);
    }
    CollectiveMatching match(const SimulatedTrace& written) {
        return match_collectives(*evaluation->graph, evaluation->simulation, measured_step(written.finish()));
    }

    GraphSketch sketch;
    std::shared_ptr<const Evaluation> evaluation;
};

constexpr std::uint32_t none = no_index;

TEST_F(GroupMatching, GoesByNamesWhereNothingElseTells) {
    sketch.group("1", 4, 0.02, 1e9);
    gather("0", 16);
    gather("1", 16);  // both begin at once, on streams of their own
    SimulatedTrace written = write();
    std::swap(written.collectives[0], written.collectives[1]);
    EXPECT_EQ(match(written).measured_of, (std::vector<std::uint32_t>{1, 0}));
}

TEST_F(GroupMatching, ByOrderAloneNeedsHalfOfTheCollectives) {
    for (int index = 0; index < 4; ++index) gather("0", 16);
    SimulatedTrace written = write();
    for (SimulatedTrace::Collective& collective : written.collectives) collective.has_arguments = false;
    written.collectives.resize(2);
    EXPECT_EQ(match(written).pairs, 2u);
    written.collectives.resize(1);
    EXPECT_EQ(match(written).pairs, 0u);
}

TEST_F(GroupMatching, SharesWhatIsLeftOverOfASplitGroup) {
    for (const std::int64_t elements : {16, 32, 64}) gather("0", elements);
    SimulatedTrace written = write();
    written.groups.push_back({"second", written.groups[0].ranks});
    written.collectives[2].group = 1;
    written.collectives.erase(written.collectives.begin() + 1);
    const CollectiveMatching found = match(written);
    EXPECT_EQ(found.measured_of, (std::vector<std::uint32_t>{0, none, 1}));
    EXPECT_EQ(found.planned_of, (std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(found.pairs, 2u);
}

TEST_F(GroupMatching, SharesNothingBetweenGroupsOfOtherRanks) {
    for (const std::int64_t elements : {16, 32}) gather("0", elements);
    SimulatedTrace written = write();
    written.groups.push_back({"other", {4, 5, 6, 7, 8}});
    written.collectives[1].group = 1;
    EXPECT_EQ(match(written).measured_of, (std::vector<std::uint32_t>{0, none}));
}

}  // namespace
}  // namespace overlap::test
