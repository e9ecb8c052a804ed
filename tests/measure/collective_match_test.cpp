#include "core/measure/collective_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/measure/simulated_trace.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

constexpr auto graphs = {"llama3_debugmodel_fsdp8.prebucket", "llama3_debugmodel_fsdp4_tp2.prebucket",
                         "deepseek_v3_debugmodel_fsdp8_ep4.prebucket"};

/// For each measured collective of a step the number of the one that was written down: the step is in order of time.
std::vector<std::size_t> written_order(const test::SimulatedTrace& written) {
    std::vector<std::size_t> order(written.collectives.size());
    for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return written.collectives[a].start_ns < written.collectives[b].start_ns;
    });
    return order;
}

/// Checks that each planned collective got the measured one that was made of it, and only that.
/// @param planned for each one written down the planned collective that it was made of, or no_index.
void expect_matching(const Evaluation& evaluation, const test::SimulatedTrace& written,
                     const std::vector<std::uint32_t>& planned) {
    const MeasuredStepData step = measured_step(written.finish());
    const CollectiveMatching matching = match_collectives(*evaluation.graph, evaluation.simulation, step);
    const std::vector<std::size_t> order = written_order(written);
    ASSERT_EQ(step.collectives.size(), order.size());
    std::set<std::uint32_t> left(planned.begin(), planned.end());
    for (std::size_t index = 0; index < order.size(); ++index) {
        EXPECT_EQ(matching.planned_of[index], planned[order[index]]) << "measured collective " << index;
    }
    for (std::uint32_t index = 0; index < matching.measured_of.size(); ++index) {
        const std::uint32_t partner = matching.measured_of[index];
        EXPECT_EQ(partner != no_index, left.contains(index)) << "planned collective " << index;
        if (partner != no_index) {
            EXPECT_EQ(matching.planned_of[partner], index);
        }
    }
}

std::vector<std::uint32_t> numbers(std::size_t count) {
    std::vector<std::uint32_t> all(count);
    for (std::uint32_t index = 0; index < count; ++index) all[index] = index;
    return all;
}

TEST(MatchCollectives, FindsEachWhereNothingDiffers) {
    for (const char* name : graphs) {
        SCOPED_TRACE(name);
        const auto evaluation = evaluate_baseline(test_graph(name));
        const test::SimulatedTrace written(*evaluation);
        expect_matching(*evaluation, written, numbers(written.collectives.size()));
        const CollectiveMatching matching =
            match_collectives(*evaluation->graph, evaluation->simulation, measured_step(written.finish()));
        for (const GroupMatch& group : matching.groups) EXPECT_EQ(group.basis, GroupMatchBasis::ranks);
        EXPECT_EQ(matching.pairs, written.collectives.size());
    }
}

TEST(MatchCollectives, ListsWhatIsMissingAndWhatIsTooMuch) {
    std::mt19937 random(7);
    for (const char* name : graphs) {
        SCOPED_TRACE(name);
        const auto evaluation = evaluate_baseline(test_graph(name));
        test::SimulatedTrace written(*evaluation);
        std::vector<std::uint32_t> planned = numbers(written.collectives.size());
        for (int count = 0; count < 12; ++count) {
            const auto place = static_cast<std::ptrdiff_t>(random() % planned.size());
            written.collectives.erase(written.collectives.begin() + place);
            planned.erase(planned.begin() + place);
        }
        for (int count = 0; count < 9; ++count) {
            test::SimulatedTrace::Collective extra = written.collectives[random() % planned.size()];
            extra.bytes = 12'345 + count;
            if (extra.kind == CollectiveKind::all_to_all) extra.kind = CollectiveKind::all_gather;
            extra.start_ns += 1;
            written.collectives.push_back(extra);
            planned.push_back(no_index);
        }
        expect_matching(*evaluation, written, planned);
    }
}

TEST(MatchCollectives, KnowsGroupsOfAnotherRankUnderOtherNamesByTheirSizesAndCollectives) {
    for (const char* name : graphs) {
        SCOPED_TRACE(name);
        const auto evaluation = evaluate_baseline(test_graph(name));
        test::SimulatedTrace written(*evaluation);
        for (std::size_t group = 0; group < written.groups.size(); ++group) {
            written.groups[group].name = "job " + std::to_string(written.groups.size() - group);
            for (std::int64_t& rank : written.groups[group].ranks) rank += 1000;
        }
        expect_matching(*evaluation, written, numbers(written.collectives.size()));
        const CollectiveMatching matching =
            match_collectives(*evaluation->graph, evaluation->simulation, measured_step(written.finish()));
        for (const GroupMatch& group : matching.groups) EXPECT_EQ(group.basis, GroupMatchBasis::size);
    }
}

TEST(MatchCollectives, TakesCoalescedOnesForAnyKindAndSize) {
    const auto evaluation = evaluate_baseline(test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket"));
    test::SimulatedTrace written(*evaluation);
    for (std::size_t index = 0; index < written.collectives.size(); index += 5) {
        written.collectives[index].has_arguments = false;  // the stream tells the group
    }
    expect_matching(*evaluation, written, numbers(written.collectives.size()));
    for (test::SimulatedTrace::Collective& collective : written.collectives) collective.has_arguments = false;
    const MeasuredStepData step = measured_step(written.finish());
    const CollectiveMatching matching = match_collectives(*evaluation->graph, evaluation->simulation, step);
    EXPECT_EQ(matching.pairs, written.collectives.size());
    for (const GroupMatch& group : matching.groups) EXPECT_EQ(group.basis, GroupMatchBasis::sequence);
}

TEST(MatchCollectives, GroupsThatOnlyOneSideHasAreListed) {
    const auto evaluation = evaluate_baseline(test_graph("llama3_debugmodel_fsdp4_tp2.prebucket"));
    test::SimulatedTrace written(*evaluation);
    ASSERT_GE(written.groups.size(), 2u);
    written.groups[1].ranks = {0, 1, 2, 3, 4, 5, 6, 7, 8};  // no group of the plan has nine ranks
    const MeasuredStepData step = measured_step(written.finish());
    const CollectiveMatching matching = match_collectives(*evaluation->graph, evaluation->simulation, step);
    ASSERT_EQ(matching.groups.size(), written.groups.size() + 1);
    EXPECT_EQ(matching.groups[1].basis, GroupMatchBasis::nothing);
    EXPECT_EQ(matching.groups.back().planned, no_index);
    EXPECT_EQ(step.trace->groups()[matching.groups.back().measured].size, 9);
}

TEST(MatchCollectives, AGroupThatOnlyOneSideHasSplitKeepsItsCollectives) {
    const auto evaluation = evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket"));
    test::SimulatedTrace written(*evaluation);
    written.groups.push_back({"scatters", written.groups[0].ranks});
    for (test::SimulatedTrace::Collective& collective : written.collectives) {
        if (collective.kind == CollectiveKind::reduce_scatter) collective.group = 1;
    }
    expect_matching(*evaluation, written, numbers(written.collectives.size()));
    const CollectiveMatching matching =
        match_collectives(*evaluation->graph, evaluation->simulation, measured_step(written.finish()));
    ASSERT_EQ(matching.groups.size(), 2u);
    EXPECT_EQ(matching.groups[0].planned, matching.groups[1].planned);
    EXPECT_NE(matching.groups[0].measured, matching.groups[1].measured);
    EXPECT_EQ(matching.groups[0].pairs + matching.groups[1].pairs, matching.pairs);
}

}  // namespace
}  // namespace overlap
