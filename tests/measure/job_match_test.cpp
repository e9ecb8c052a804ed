#include "core/measure/job_match.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "tests/measure/simulated_trace.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

std::shared_ptr<const Evaluation> step_of(const char* graph) {
    return evaluate_baseline(test_graph(graph));
}

MeasuredComparison compare(const std::shared_ptr<const Evaluation>& evaluation, const test::SimulatedTrace& written) {
    return compare_with_measurement(evaluation, measured_step(written.finish()));
}

TEST(JobMatch, HasNoDoubtWhereEachCollectiveIsFound) {
    const auto evaluation = step_of("llama3_debugmodel_fsdp8.prebucket");
    const JobMatch match = job_match(compare(evaluation, test::SimulatedTrace(*evaluation)));
    EXPECT_EQ(match.share_of_planned(), 1);
    EXPECT_EQ(match.share_of_measured(), 1);
    EXPECT_EQ(match.doubt(), "");
    EXPECT_NO_THROW(require_same_job(match));
}

TEST(JobMatch, RefusesAnotherJob) {
    const auto own = step_of("llama3_debugmodel_fsdp8.prebucket");
    const test::SimulatedTrace other(*step_of("deepseek_v3_debugmodel_fsdp8_ep4.prebucket"));
    const JobMatch match = job_match(compare(own, other));
    EXPECT_TRUE(match.is_another_job());
    EXPECT_EQ(match.doubt(), "");
    try {
        require_same_job(match);
        FAIL() << "nothing was refused";
    } catch (const InputError& error) {
        EXPECT_NE(error.problem().find(" of 140 planned collectives are in the trace"), std::string::npos)
            << error.problem();
        EXPECT_NE(error.problem().find("another job or another plan"), std::string::npos);
    }
}

TEST(JobMatch, SaysTheSharesWhereMoreIsLeftOverThanUsual) {
    const auto evaluation = step_of("llama3_debugmodel_fsdp8.prebucket");
    test::SimulatedTrace written(*evaluation);
    written.collectives.resize(105);
    const JobMatch match = job_match(compare(evaluation, written));
    EXPECT_FALSE(match.is_another_job());
    EXPECT_NO_THROW(require_same_job(match));
    EXPECT_NE(match.doubt().find("105 of 140 planned collectives are in the trace (75 %)"), std::string::npos)
        << match.doubt();
    EXPECT_NE(match.doubt().find("105 of 105 measured ones are in the plan (100 %)"), std::string::npos);
}

TEST(JobMatch, SaysThatNothingWasMeasuredBesideOtherDoubts) {
    JobMatch match;
    match.pairs = match.planned = match.measured = 4;
    match.is_simulated = true;
    const std::string simulated = "nothing was measured: the trace is a simulated step";
    EXPECT_EQ(match.doubt(), simulated);
    match.in_order_alone = 2;
    EXPECT_TRUE(match.doubt().starts_with(simulated + "; whether it is the same job is not known: of 2 of 4 "))
        << match.doubt();
}

TEST(JobMatch, SaysWhereOnlyTheOrderWasCompared) {
    const auto evaluation = step_of("llama3_debugmodel_fsdp8.prebucket");
    test::SimulatedTrace written(*evaluation);
    for (test::SimulatedTrace::Collective& collective : written.collectives) collective.has_arguments = false;
    const JobMatch match = job_match(compare(evaluation, written));
    EXPECT_EQ(match.in_order_alone, 140u);
    EXPECT_NE(match.doubt().find("140 of 140"), std::string::npos) << match.doubt();
}

TEST(JobMatch, SaysThatOnlyTheOrderWasComparedOfHalfAndMore) {
    EXPECT_EQ((JobMatch{.pairs = 4, .planned = 4, .measured = 4, .in_order_alone = 1}).doubt(), "");
    EXPECT_EQ((JobMatch{.pairs = 4, .planned = 4, .measured = 4, .in_order_alone = 2}).doubt(),
              "whether it is the same job is not known: of 2 of 4 matched collectives the trace says neither process "
              "group nor size, so only their order was compared");
}

TEST(JobMatch, AFewKernelsOfUnknownSizeAreNoPartOfAGroup) {
    const auto evaluation = step_of("llama3_debugmodel_fsdp8.prebucket");
    test::SimulatedTrace written(*evaluation);
    written.collectives.resize(10);
    for (test::SimulatedTrace::Collective& collective : written.collectives) collective.has_arguments = false;
    EXPECT_EQ(job_match(compare(evaluation, written)).pairs, 0u);
}

TEST(JobMatch, ADurationOfUnknownSizeIsNoStatementAboutTheKernel) {
    const auto evaluation = step_of("llama3_debugmodel_fsdp8.prebucket");
    test::SimulatedTrace written(*evaluation);
    for (test::SimulatedTrace::Collective& collective : written.collectives) {
        collective.has_arguments = false;
        collective.length_ns /= 10;
    }
    const MeasuredComparison comparison = compare(evaluation, written);
    const auto shorter =
        std::ranges::find(comparison.rows, DifferenceCause::shorter_kernel, &CollectiveComparison::cause);
    ASSERT_NE(shorter, comparison.rows.end());
    EXPECT_NE(comparison.explain(*shorter).find("the trace does not say its size"), std::string::npos)
        << comparison.explain(*shorter);
}

}  // namespace
}  // namespace overlap
