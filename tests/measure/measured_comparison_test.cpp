#include "core/measure/measured_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "core/base/number_text.h"
#include "core/io/trace_file.h"
#include "core/simulate/chrome_trace.h"
#include "core/trace/trace_statistics.h"
#include "tests/measure/simulated_trace.h"
#include "tests/support/test_files.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

constexpr std::int64_t ms = 1'000'000;

std::shared_ptr<const Evaluation> exposed_step() {
    return evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket"));
}

/// A step whose collectives run beside compute.
std::shared_ptr<const Evaluation> overlapped_step() {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    Plan plan = make_plan(*graph, "blocks");
    plan.buckets = one_bucket_per_block(ModuleTree(*graph, module_source(plan, *graph)), graph.get());
    return evaluate(graph, plan);
}

MeasuredComparison compare(const std::shared_ptr<const Evaluation>& evaluation, const test::SimulatedTrace& written) {
    return compare_with_measurement(evaluation, measured_step(written.finish()));
}

/// Expects these causes at these planned collectives, and none anywhere else.
void expect_causes(const MeasuredComparison& comparison, const std::map<std::uint32_t, DifferenceCause>& causes) {
    for (const CollectiveComparison& row : comparison.rows) {
        const auto found = causes.find(row.planned);
        const DifferenceCause expected = found == causes.end() ? DifferenceCause::none : found->second;
        EXPECT_EQ(difference_cause_name(row.cause), difference_cause_name(expected))
            << row.planned << ": " << comparison.explain(row);
    }
}

const CollectiveComparison& row_of(const MeasuredComparison& comparison, std::uint32_t planned) {
    return *std::ranges::find(comparison.rows, planned, &CollectiveComparison::planned);
}

TEST(MeasuredComparison, IsWithoutCausesWhereTheJobDidWhatWasPlanned) {
    for (const auto& evaluation : {exposed_step(), overlapped_step()}) {
        const test::SimulatedTrace written(*evaluation);
        const MeasuredComparison comparison = compare(evaluation, written);
        EXPECT_EQ(comparison.rows.size(), evaluation->simulation.collectives.size());
        expect_causes(comparison, {});
        for (const CollectiveComparison& row : comparison.rows) {
            EXPECT_NEAR(row.measured_ms, row.planned_ms, 2e-6);
            EXPECT_NEAR(row.measured_start_ms - row.planned_start_ms,
                        comparison.rows.front().measured_start_ms - comparison.rows.front().planned_start_ms, 2e-6);
        }
    }
}

TEST(MeasuredComparison, OpensTheTraceOfASimulationAsAMeasurement) {
    for (const auto& evaluation : {exposed_step(), overlapped_step()}) {
        const test::TemporaryFolder folder;
        std::ofstream(folder / "simulated.json")
            << chrome_trace_json(*evaluation->graph, evaluation->simulation, evaluation->memory);
        const auto trace = read_trace_file((folder / "simulated.json").string());
        EXPECT_EQ(trace->remarks().overlapping_activities, 0u);
        EXPECT_EQ(trace->header().rank, evaluation->graph->header().rank);
        const MeasuredComparison comparison = compare_with_measurement(evaluation, measured_step(trace));
        EXPECT_EQ(comparison.rows.size(), evaluation->simulation.collectives.size()) << "each one is found again";
        expect_causes(comparison, {});
        EXPECT_NEAR(static_cast<double>(device_times(*trace).at(0).total.compute_ns) / 1e6,
                    evaluation->simulation.compute_ms, 0.01);
    }
}

TEST(MeasuredComparison, FindsKernelsThatTookLongerAndShorter) {
    const auto evaluation = exposed_step();
    test::SimulatedTrace written(*evaluation);
    written.lengthen(5, 2 * ms);
    written.lengthen(20, 1 * ms);
    written.lengthen(30, -written.collectives[30].length_ns / 2);
    const MeasuredComparison comparison = compare(evaluation, written);
    expect_causes(comparison, {{5, DifferenceCause::longer_kernel},
                               {20, DifferenceCause::longer_kernel},
                               {30, DifferenceCause::shorter_kernel}});
    EXPECT_NEAR(row_of(comparison, 5).kernel_ms, 2, 1e-5);
    EXPECT_NE(comparison.explain(row_of(comparison, 5)).find("slower than the plan's cost model"), std::string::npos);
    EXPECT_NE(comparison.explain(row_of(comparison, 40)).find("later than planned"), std::string::npos);
}

TEST(MeasuredComparison, FindsWhereTheHostWasLate) {
    const auto evaluation = exposed_step();
    test::SimulatedTrace written(*evaluation);
    for (const std::size_t index : {7u, 25u}) {
        written.delay_from(written.collectives[index].start_ns, 3 * ms);
        written.collectives[index].launch_ns = written.collectives[index].start_ns - 8'000;
    }
    // The GPU stands still as long, but the launch had been there: an event kept it waiting, not the host.
    written.delay_from(written.collectives[40].start_ns, 3 * ms);
    written.collectives[40].launch_ns -= 3 * ms;
    const MeasuredComparison comparison = compare(evaluation, written);
    expect_causes(comparison, {{7, DifferenceCause::launch_gap}, {25, DifferenceCause::launch_gap}});
    EXPECT_NEAR(row_of(comparison, 7).launch_gap_ms, 3, 1e-4);
    EXPECT_NE(comparison.explain(row_of(comparison, 7)).find("the host launched it late"), std::string::npos);
}

TEST(MeasuredComparison, FindsWhatTookLongerBecauseSomethingRanBesideIt) {
    const auto evaluation = exposed_step();
    test::SimulatedTrace written(*evaluation);
    for (const std::size_t index : {5u, 20u, 35u}) written.lengthen(index, 1 * ms);
    const auto beside = [&](std::size_t index) -> test::SimulatedTrace::Kernel { return written.collectives[index]; };
    written.compute.push_back(beside(5));
    test::SimulatedTrace::Collective other = written.collectives[20];
    other.group = static_cast<std::uint32_t>(written.groups.size());
    written.groups.push_back({"other", {0, 1}});
    written.collectives.push_back(other);
    written.compute.push_back(beside(40));  // takes as long as planned all the same
    const MeasuredComparison comparison = compare(evaluation, written);
    expect_causes(
        comparison,
        {{5, DifferenceCause::contention}, {20, DifferenceCause::contention}, {35, DifferenceCause::longer_kernel}});
    EXPECT_NEAR(row_of(comparison, 5).contention_ms, 1, 1e-4);
    EXPECT_NE(comparison.explain(row_of(comparison, 5)).find("compute ran beside it"), std::string::npos);
    EXPECT_NE(comparison.explain(row_of(comparison, 20)).find("collectives of other streams"), std::string::npos);
    EXPECT_EQ(comparison.only_measured, 1u);
}

TEST(MeasuredComparison, WhatIsAsSlowUndisturbedIsNoContention) {
    const auto evaluation = exposed_step();
    test::SimulatedTrace written(*evaluation);
    const CollectiveTiming& chosen = evaluation->simulation.collectives[5];
    std::map<std::uint32_t, DifferenceCause> causes;
    for (std::uint32_t index = 0; index < written.collectives.size(); ++index) {
        const CollectiveTiming& of = evaluation->simulation.collectives[index];
        if (of.kind != chosen.kind || of.bytes != chosen.bytes) continue;
        written.lengthen(index, 1 * ms);
        causes[index] = DifferenceCause::longer_kernel;
    }
    ASSERT_GE(causes.size(), 3u);
    const test::SimulatedTrace::Kernel beside = written.collectives[5];
    written.compute.push_back(beside);
    expect_causes(compare(evaluation, written), causes);
}

TEST(MeasuredComparison, FindsWhichWaitedForALatePeer) {
    const auto evaluation = exposed_step();
    test::SimulatedTrace own(*evaluation), peer(*evaluation);
    // The other rank starts number 12 two milliseconds later; both end together.
    own.lengthen(12, 2 * ms);
    peer.delay_from(peer.collectives[12].start_ns, 2 * ms);
    // Number 30 takes longer on both: nobody is late.
    own.lengthen(30, 1 * ms);
    peer.lengthen(30, 1 * ms);
    const std::vector<std::shared_ptr<const MeasuredTrace>> traces = {own.finish(), peer.finish(77'000 * ms)};
    const AlignedRanks aligned = align_ranks(traces);
    const MeasuredComparison comparison =
        compare_with_measurement(evaluation, measured_step(traces[0]), {.ranks = &aligned, .own = 0});
    expect_causes(comparison, {{12, DifferenceCause::late_peer}, {30, DifferenceCause::longer_kernel}});
    EXPECT_NEAR(row_of(comparison, 12).late_peer_ms, 2, 1e-4);
    EXPECT_NE(comparison.explain(row_of(comparison, 12)).find("until the last rank started it"), std::string::npos);
    const MeasuredComparison of_peer =
        compare_with_measurement(evaluation, measured_step(traces[1]), {.ranks = &aligned, .own = 1});
    EXPECT_NE(row_of(of_peer, 12).cause, DifferenceCause::late_peer);
}

TEST(MeasuredComparison, NamesTheLatePeerAndTheFasterKernelThatMakesUpForIt) {
    const auto evaluation = exposed_step();
    // The other rank starts number 12 late by half of its time, and the kernel is faster by about as much: the larger
    // share may be either, and what is left may be less than digits show.
    for (const auto& [rest_ns, cause] :
         {std::pair(-1000, DifferenceCause::shorter_kernel), std::pair(-2, DifferenceCause::shorter_kernel),
          std::pair(1000, DifferenceCause::late_peer)}) {
        test::SimulatedTrace own(*evaluation), peer(*evaluation);
        const std::int64_t half_ns = own.collectives[12].length_ns / 2;
        own.lengthen(12, rest_ns);
        peer.delay_from(peer.collectives[12].start_ns, half_ns);
        peer.lengthen(12, rest_ns - half_ns);
        const std::vector<std::shared_ptr<const MeasuredTrace>> traces = {own.finish(), peer.finish()};
        const AlignedRanks aligned = align_ranks(traces);
        const MeasuredComparison comparison =
            compare_with_measurement(evaluation, measured_step(traces[0]), {.ranks = &aligned, .own = 0});
        const CollectiveComparison& row = row_of(comparison, 12);
        EXPECT_EQ(difference_cause_name(row.cause), difference_cause_name(cause));
        const std::string text = comparison.explain(row);
        EXPECT_EQ(text.starts_with("it took as long as planned: for "), rest_ns == -2) << text;
        EXPECT_NE(text.find(": for " + time_text(static_cast<double>(half_ns) / 1e6) +
                            " it waited until the last rank started it, and its kernel is faster by " +
                            time_text(-row.kernel_ms) + " than the plan's cost model says"),
                  std::string::npos)
            << text;
    }
}

TEST(MeasuredComparison, NothingWaitsLongerThanItRan) {
    const auto evaluation = exposed_step();
    test::SimulatedTrace own(*evaluation), peer(*evaluation);
    // The peer starts number 12 after it has ended here, as where clocks do not fit.
    own.delay_from(own.collectives[12].end_ns(), 50 * ms);
    peer.delay_from(peer.collectives[12].start_ns, 50 * ms);
    ASSERT_LT(own.collectives[12].length_ns, 50 * ms);
    const std::vector<std::shared_ptr<const MeasuredTrace>> traces = {own.finish(), peer.finish()};
    const AlignedRanks aligned = align_ranks(traces);
    const MeasuredComparison comparison =
        compare_with_measurement(evaluation, measured_step(traces[0]), {.ranks = &aligned, .own = 0});
    EXPECT_GT(row_of(comparison, 12).late_peer_ms, 0);
    EXPECT_DOUBLE_EQ(row_of(comparison, 12).late_peer_ms, row_of(comparison, 12).measured_ms);
}

/// How many collectives have the kind of another, and how many its size as well.
std::pair<std::size_t, std::size_t> alike(const Simulation& simulation, const CollectiveTiming& of) {
    std::size_t kind = 0, size = 0;
    for (const CollectiveTiming& other : simulation.collectives) {
        kind += other.kind == of.kind;
        size += other.kind == of.kind && other.bytes == of.bytes;
    }
    return {kind, size};
}

TEST(MeasuredComparison, HowLongACollectiveTakesUndisturbedIsThatOfItsSizeFirst) {
    // All of one size are slower than planned, few among those of their kind; something runs beside one of them.
    const auto evaluation = exposed_step();
    const std::vector<CollectiveTiming>& planned = evaluation->simulation.collectives;
    const auto chosen = std::ranges::find_if(planned, [&](const CollectiveTiming& of) {
        const auto [kind, size] = alike(evaluation->simulation, of);
        return size >= 3 && size * 3 < kind;
    });
    ASSERT_NE(chosen, planned.end());
    test::SimulatedTrace written(*evaluation);
    std::map<std::uint32_t, DifferenceCause> causes;
    for (std::uint32_t index = 0; index < planned.size(); ++index) {
        if (planned[index].kind != chosen->kind || planned[index].bytes != chosen->bytes) continue;
        written.lengthen(index, 1 * ms);
        causes[index] = DifferenceCause::longer_kernel;
    }
    const test::SimulatedTrace::Kernel beside = written.collectives[static_cast<std::size_t>(chosen - planned.begin())];
    written.compute.push_back(beside);
    expect_causes(compare(evaluation, written), causes);
}

TEST(MeasuredComparison, HowLongACollectiveTakesUndisturbedIsThatOfItsKindElse) {
    // Something runs beside each of one size, and all of the kind take as much longer than planned.
    const auto evaluation = exposed_step();
    const std::vector<CollectiveTiming>& planned = evaluation->simulation.collectives;
    const auto chosen = std::ranges::find_if(planned, [&](const CollectiveTiming& of) {
        const auto [kind, size] = alike(evaluation->simulation, of);
        return size * 3 < kind;
    });
    ASSERT_NE(chosen, planned.end());
    test::SimulatedTrace written(*evaluation);
    std::vector<std::uint32_t> disturbed;
    for (std::uint32_t index = 0; index < planned.size(); ++index) {
        if (planned[index].kind != chosen->kind) continue;
        written.lengthen(index, 2 * written.collectives[index].length_ns);
        if (planned[index].bytes == chosen->bytes) disturbed.push_back(index);
    }
    for (const std::uint32_t index : disturbed) {
        const test::SimulatedTrace::Kernel beside = written.collectives[index];
        written.compute.push_back(beside);
    }
    const MeasuredComparison comparison = compare(evaluation, written);
    for (const std::uint32_t index : disturbed) {
        EXPECT_EQ(difference_cause_name(row_of(comparison, index).cause),
                  difference_cause_name(DifferenceCause::longer_kernel));
    }
}

TEST(MeasuredComparison, ListsTheFirstOfTheTraceToo) {
    const auto evaluation = exposed_step();
    test::SimulatedTrace written(*evaluation);
    test::SimulatedTrace::Collective extra = written.collectives[0];
    extra.bytes = 999;
    extra.start_ns -= 500;
    written.collectives.push_back(extra);
    const MeasuredComparison comparison = compare(evaluation, written);
    EXPECT_EQ(comparison.only_measured, 1u);
    EXPECT_EQ(comparison.rows.size(), evaluation->simulation.collectives.size() + 1);
}

TEST(MeasuredComparison, ListsWhatOnlyOneSideHas) {
    const auto evaluation = exposed_step();
    test::SimulatedTrace written(*evaluation);
    written.collectives[3].bytes = 999;
    const MeasuredComparison comparison = compare(evaluation, written);
    EXPECT_EQ(comparison.only_planned, 1u);
    EXPECT_EQ(comparison.only_measured, 1u);
    EXPECT_EQ(comparison.rows.size(), evaluation->simulation.collectives.size() + 1);
    EXPECT_NE(comparison.explain(row_of(comparison, 3)).find("planned, but"), std::string::npos);
    EXPECT_TRUE(std::ranges::is_sorted(comparison.rows, {}, &CollectiveComparison::start_ms));
}

}  // namespace
}  // namespace overlap
