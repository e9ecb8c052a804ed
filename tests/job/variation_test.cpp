// Draws, and what each thing costs.

#include "core/job/variation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/job/document/job_file.h"
#include "core/job/measured_variation.h"
#include "core/job/run_job.h"
#include "core/job/what_if.h"

namespace overlap::job {
namespace {

TEST(Job, TheMeanStepOfRanksThatMeetIsTheMeanOfTheirMaximum) {
    // Two replicas of one action, then a collective of no time: the mean of the larger of two log-normal numbers with
    // mean 1 is twice the normal distribution at sigma / sqrt 2.
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 0, "B": 1},
        "gradient_sync_ms": 0}], "schedule": {"name": "GPipe", "microbatches": 1}, "replicas": 2,
        "variation": {"samples": 20000, "compute": {"sigma": 0.5}}})",
                                    "x");
    EXPECT_NEAR(run_job(job).spread->mean_ms, 1 + std::erf(0.5 / 2), 0.01);
}

TEST(Job, TheMaximumOfDrawsHasItsClosedForm) {
    const auto mean = [](int replicas, const std::string& distribution) {
        const JobDocument job = read_job_text(
            R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 0, "B": 1}, "gradient_sync_ms": 0}],
                "schedule": {"name": "GPipe", "microbatches": 1}, "replicas": )" +
                std::to_string(replicas) + R"(, "variation": {"samples": 20000, )" + distribution + "}}",
            "x");
        EXPECT_EQ(write_job_text(read_job_text(write_job_text(job), "again")), write_job_text(job));
        return run_job(job).spread->mean_ms;
    };
    for (const int n : {1, 3, 8}) {
        double harmonic = 0;
        for (int i = 1; i <= n; ++i) harmonic += 1.0 / i;
        // Standard errors are below 0.004 and 0.02.
        EXPECT_NEAR(mean(n, R"("compute": {"uniform": [0.5, 1.5]})"), 0.5 + n / (n + 1.0), 0.02);
        EXPECT_NEAR(mean(n, R"("compute": {"exponential": 2})"), 2 * harmonic, 0.08);
        // One of n is the longer of two measured times, unless all are the shorter.
        EXPECT_NEAR(mean(n, R"("compute": {"factors": [1, 1, 1, 3]})"), 3 - 2 * std::pow(0.75, n), 0.05);
        // A pause of ten where one of n has it.
        EXPECT_NEAR(mean(n, R"("pauses": [{"probability": 0.1, "ms": 10}])"), 1 + 10 * (1 - std::pow(0.9, n)), 0.2);
    }
}

TEST(Job, WhatADistributionMayBeIsRefusedWithItsPlace) {
    const auto place = [](const std::string& variation) {
        try {
            read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 1}}], "schedule":
            {"name": "GPipe", "microbatches": 1}, "variation": {)" +
                              variation + "}}",
                          "x");
        } catch (const InputError& error) {
            return error.place();
        }
        return std::string("none");
    };
    EXPECT_EQ(place(R"("compute": {"sigma": 0.1, "uniform": [1, 2]})"), "variation.compute");
    EXPECT_EQ(place(R"("transfer": {"uniform": [2, 1]})"), "variation.transfer.uniform[1]");
    EXPECT_EQ(place(R"("compute": {"factors": []})"), "variation.compute.factors");
    EXPECT_EQ(place(R"("pauses": [{"probability": 2, "ms": 1}])"), "variation.pauses[0].probability");
}

/// The step without a thing; -1 where it is not asked.
double without(const std::vector<WhatIf>& rows, const std::string& what) {
    const auto row = std::ranges::find(rows, what, &WhatIf::without);
    return row == rows.end() ? -1 : row->step_ms;
}

TEST(Job, WhatEachStageKindAndHostCosts) {
    const std::string around =
        R"("schedule": {"name": "GPipe", "microbatches": 1}, "replicas": 4, "topology": {"levels":
        [{"ranks": 4, "bytes_per_s": 1}]}, "variation": {"slow": [{"replica": 0, "stage": 0, "factor": 2}, {"replica": 1,
        "stage": 1, "factor": 3}, {"replica": 3, "stage": 1, "factor": 1.5}, {"replica": 3, "stage": 0, "factor": 1.25}]}})";
    const JobDocument opaque = read_job_text(
        R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 4}}, {"ms": {"F": 3, "B": 4}}], )" +
            around,
        "x");
    std::vector<WhatIf> rows = what_ifs(opaque, {});
    // Replica 1: 1 + 9 + 12 + 4.
    EXPECT_EQ(*run_job(opaque).step_ms, 26);
    EXPECT_EQ(without(rows, "what F takes beyond its mean"), 23);
    EXPECT_EQ(without(rows, "what stage 1 computes beyond the mean"), 23);
    EXPECT_EQ(without(rows, "what B takes beyond its mean"), -1);
    // Replica 0 is 2 + 3 + 4 + 8, replica 3 is 1.25 + 4.5 + 6 + 5.
    EXPECT_EQ(without(rows, "all of slow ranks 0 to 3"), 16.75);
    EXPECT_EQ(without(rows, "all of slow stage 1"), 17);
    EXPECT_EQ(without(rows, "all of slow stage 0"), 26);
    EXPECT_EQ(without(rows, "all of slow replica 3"), 26);
    EXPECT_EQ(without(rows, "all of slow replica 1"), -1);
    EXPECT_EQ(without(rows, "gradient collectives"), -1) << "there are none";
    std::vector<std::string> slow;
    for (const WhatIf& row : rows)
        if (row.without.starts_with("slow ")) slow.push_back(row.without);
    EXPECT_EQ(slow, (std::vector<std::string>{"slow replica 1, stage 1", "slow replica 0, stage 0",
                                              "slow replica 3, stage 1", "slow replica 3, stage 0"}))
        << "what costs most first";
    const JobDocument segments = read_job_text(
        R"({"format": "overlap-job", "version": 1, "stages": [{"segments": {"F": [{"compute_ms": 1}], "B":
            [{"compute_ms": 1}]}}, {"segments": {"F": [{"compute_ms": 3}, {"collective": "all_reduce", "dim": "tp",
            "ms": 0.5}], "B": [{"compute_ms": 3}]}}], )" +
            around,
        "x");
    rows = what_ifs(segments, {});
    EXPECT_EQ(*run_job(segments).step_ms, 1 + 9 + 0.5 + 9 + 1);
    EXPECT_EQ(without(rows, "communication within stages"), 1 + 9 + 9 + 1);
    // Six in place of four for the mean of two stages.
    EXPECT_DOUBLE_EQ(without(rows, "what stage 1 computes beyond the mean"), 1 + 6 + 0.5 + 6 + 1);
    EXPECT_EQ(without(rows, "what stage 0 computes beyond the mean"), -1);
}

TEST(Variation, OneFactorARankMakesStepsVaryMoreThanOneAnAction) {
    const auto spread = [](const std::string& each) {
        const JobDocument job = read_job_text(
            R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 1}}], "schedule": {"name": "GPipe",
                "microbatches": 50}, "variation": {"samples": 2000, "compute": {"uniform": [0.5, 1.5], "each": ")" +
                each + "\"}}}",
            "x");
        EXPECT_EQ(write_job_text(read_job_text(write_job_text(job), "again")), write_job_text(job));
        const JobResult result = run_job(job);
        EXPECT_NEAR(result.spread->mean_ms, 100, 2);
        return result.spread->p90_ms - result.spread->p50_ms;
    };
    // Of 100 actions a tenth of the deviation; of a uniform factor 0.4 lie between the two.
    EXPECT_NEAR(spread("rank"), 40, 3);
    EXPECT_NEAR(spread("action"), 1.28 * std::sqrt(100.0 / 12), 0.5);
}

TEST(Variation, ANumberIsOfItsSeedItsSampleAndItsPlace) {
    DistributionSpec log_normal;
    log_normal.kind = DistributionSpec::Kind::log_normal;
    log_normal.sigma = 0.5;
    EXPECT_DOUBLE_EQ(drawn_factor(log_normal, 1, 2, 3), std::exp(0.5 * normal_draw(1, 2, 3) - 0.125));
    DistributionSpec uniform;
    uniform.kind = DistributionSpec::Kind::uniform;
    uniform.least = 2, uniform.most = 4;
    EXPECT_DOUBLE_EQ(drawn_factor(uniform, 1, 2, 3), 2 + 2 * uniform_draw(1, 2, 3));
    DistributionSpec exponential;
    exponential.kind = DistributionSpec::Kind::exponential;
    exponential.mean = 3;
    EXPECT_DOUBLE_EQ(drawn_factor(exponential, 1, 2, 3), -3 * std::log(uniform_draw(1, 2, 3)));
    for (const auto draw : {normal_draw, uniform_draw}) {
        EXPECT_EQ(draw(1, 2, 3), draw(1, 2, 3));
        for (const double other : {draw(2, 2, 3), draw(1, 3, 3), draw(1, 2, 4), draw(1, 3, 2)})
            EXPECT_NE(draw(1, 2, 3), other);
    }
}

TEST(Variation, MeasuredStepsMakeSlowRanksAndFactors) {
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 1}},
        {"ms": {"F": 1, "B": 1}}, {"ms": {"F": 1, "B": 1}}, {"ms": {"F": 1, "B": 1}}], "schedule": {"name":
        "Interleaved1F1B", "microbatches": 2}, "replicas": 2, "variation": {"seed": 5, "samples": 9, "slow":
        [{"factor": 3}]}})",
                                    "x");
    const std::vector<MeasuredSteps> measured = {{0, {9, 11}}, {2, {30, 30}}, {1, {8}}};
    const VariationSpec variation = measured_variation(job, "", measured);
    EXPECT_EQ(variation.seed, 5u);
    EXPECT_EQ(variation.samples, 9);
    // Ranks 0 and 2 have stages 0 and 2; of stage 1 and 3 one rank was measured, which is its own mean.
    ASSERT_EQ(variation.slow.size(), 2u);
    EXPECT_EQ(variation.slow[0].rank, 0);
    EXPECT_EQ(variation.slow[0].factor, 0.5);
    EXPECT_EQ(variation.slow[1].rank, 2);
    EXPECT_EQ(variation.slow[1].factor, 1.5);
    EXPECT_EQ(variation.compute.factors, (std::vector<double>{0.9, 1.1, 1, 1}));
    EXPECT_TRUE(variation.compute.each_rank);
    const auto problem = [&](std::vector<MeasuredSteps> steps) {
        try {
            measured_variation(job, "", steps);
        } catch (const InputError& error) {
            return error.problem();
        }
        return std::string();
    };
    EXPECT_EQ(problem({{4, {1}}}), "rank 4 was measured, and the job has 4 ranks, numbered from 0");
    EXPECT_EQ(problem({{1, {1}}, {1, {1}}}), "rank 1 was measured twice");
    EXPECT_EQ(problem({{1, {}}}), "rank 1 has no whole step in which it computes");
}

}  // namespace
}  // namespace overlap::job
