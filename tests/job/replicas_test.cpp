// Where the copies of a pipeline lie, and with whom they reduce their gradients.

#include "core/job/pipeline/replicas.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/job/document/job_file.h"
#include "tests/support/problem_of.h"

namespace overlap::job {
namespace {

using test::problem_of;

using Ranks = std::vector<std::int64_t>;

const std::vector<std::int32_t> one_stage = {0};

/// The ranks that rank 0 reduces its gradients with.
Ranks gradient_group(const std::string& mesh) {
    const JobDocument job =
        read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, )" +
                          mesh + "}",
                      "x");
    Replicas replicas(job, 1, one_stage);
    return replicas.ranks_of_group(replicas.gradient_kind(), 0, 0);
}

TEST(Replicas, GradientsAreReducedOverDataParallelDimensions) {
    // Four ranks: beside `tp`, whose ranks are neighbours, the others are two apart.
    for (const std::string name : {"dp", "dp_shard", "fsdp", "replica", "replicas"})
        EXPECT_EQ(gradient_group(R"("mesh": {"dims": [[")" + name + R"(", 2], ["tp", 2]]})"), (Ranks{0, 2})) << name;
    EXPECT_EQ(gradient_group(R"("mesh": {"dims": [["dp_replicate", 2], ["cp", 2], ["dp_shard", 2]]})"),
              (Ranks{0, 1, 4, 5}));
    for (const std::string name : {"dpx", "ep", "x"})
        EXPECT_EQ(gradient_group(R"("mesh": {"dims": [[")" + name + R"(", 2], ["tp", 2]]})"), (Ranks{0, 1, 2, 3}))
            << name;
    EXPECT_EQ(gradient_group(R"("replicas": 3)"), (Ranks{0, 1, 2}));
}

TEST(Replicas, SlowOnesThatAreAlikeAreAsSlowAsEach) {
    const JobDocument job =
        read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "replicas": 5, "variation": {"slow": [
        {"replica": 1, "factor": 2}, {"replica": 3, "factor": 2}, {"replica": 4, "factor": 3}]}})",
                      "x");
    Replicas replicas(job, 1, one_stage);
    replicas.classify(true);
    EXPECT_EQ(replicas.class_count(), 3u);
    const std::vector<double> factors = {1, 2, 1, 2, 3};
    for (std::size_t replica = 0; replica < factors.size(); ++replica)
        EXPECT_EQ(replicas.factor(replicas.class_of(static_cast<std::int64_t>(replica)), 0), factors[replica])
            << replica;
}

TEST(Replicas, AreAlikeWhereAllThatTheyMeetAreAlike) {
    // Three dimensions of two ranks each, and one slow corner: which edges lead to it tells all eight apart.
    const JobDocument job =
        read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "mesh": {"dims": [["a", 2], ["b", 2], ["c", 2]]},
        "variation": {"slow": [{"replica": 0, "factor": 2}]}})",
                      "x");
    const auto classes = [&](const std::vector<std::string>& dims) {
        Replicas replicas(job, 1, one_stage);
        for (const std::string& dim : dims) replicas.kind_over(dim, "here");
        replicas.classify(true);
        return replicas.class_count();
    };
    EXPECT_EQ(classes({}), 2u) << "nobody meets";
    EXPECT_EQ(classes({"a"}), 3u);
    EXPECT_EQ(classes({"a", "b"}), 5u);
    EXPECT_EQ(classes({"a", "b", "c"}), 8u);
}

TEST(Replicas, PlacesOfRanksAreWhereRanksLie) {
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "GPipe", "microbatches": 1},
        "mesh": {"dims": [["pp", 2], ["dp", 3], ["tp", 4]], "order": ["dp", "pp", "tp"]}})",
                                    "x");
    const std::vector<std::int32_t> two_stages = {0, 1};
    const auto check = [&] {
        const Replicas replicas(job, 2, two_stages);
        ASSERT_EQ(replicas.count(), 12);
        for (std::int64_t replica = 0; replica < 12; ++replica)
            for (std::int32_t pipeline_rank = 0; pipeline_rank < 2; ++pipeline_rank) {
                const Replicas::Place place = replicas.place_of(replicas.rank_of(replica, pipeline_rank));
                EXPECT_EQ(place.replica, replica);
                EXPECT_EQ(place.pipeline_rank, pipeline_rank);
            }
    };
    check();
    job.mesh.reset();
    job.replicas = 12;
    check();
}

/// A slow rank is a device: whichever stages the schedule gives it are slow, on its replica alone.
TEST(Replicas, ASlowRankSlowsTheStagesThatItHas) {
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "replicas": 3, "variation": {"slow": [
        {"rank": 3, "factor": 2}]}})",
                                    "x");
    const auto factors = [&](std::int32_t ranks, std::vector<std::int32_t> rank_of_stage) {
        Replicas replicas(job, ranks, rank_of_stage);
        replicas.classify(true);
        std::vector<double> found;
        for (std::int64_t replica = 0; replica < 3; ++replica)
            for (std::int32_t stage = 0; stage < static_cast<std::int32_t>(rank_of_stage.size()); ++stage)
                found.push_back(replicas.factor(replicas.class_of(replica), stage));
        return found;
    };
    EXPECT_EQ(factors(2, {0, 1, 1, 0}), (std::vector<double>{1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1}));
    EXPECT_EQ(factors(4, {0, 1, 2, 3}), (std::vector<double>{1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(problem_of([&] {
                  factors(1, {0, 0});
              }),
              "variation.slow[0].rank: found 3, and the job has 3 ranks, numbered from 0");
}

TEST(Replicas, ThereAreTenMillionRanksAtMost) {
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "replicas": 10000000})",
                                    "x");
    EXPECT_EQ(Replicas(job, 1, one_stage).count(), 10'000'000);
    job.replicas = 5'000'001;
    EXPECT_EQ(problem_of([&] {
                  Replicas(job, 2, std::vector{0, 1});
              }),
              "replicas: 5,000,001 replicas of 2 ranks are more than 10,000,000");
}

}  // namespace
}  // namespace overlap::job
