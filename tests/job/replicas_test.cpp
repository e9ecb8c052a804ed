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

/// The ranks that rank 0 reduces its gradients with.
Ranks gradient_group(const std::string& mesh) {
    const JobDocument job =
        read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, )" +
                          mesh + "}",
                      "x");
    Replicas replicas(job, 1, 1);
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
    Replicas replicas(job, 1, 1);
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
        Replicas replicas(job, 1, 1);
        for (const std::string& dim : dims) replicas.kind_over(dim, "here");
        replicas.classify(true);
        return replicas.class_count();
    };
    EXPECT_EQ(classes({}), 2u) << "nobody meets";
    EXPECT_EQ(classes({"a"}), 3u);
    EXPECT_EQ(classes({"a", "b"}), 5u);
    EXPECT_EQ(classes({"a", "b", "c"}), 8u);
}

TEST(Replicas, ThereAreTenMillionRanksAtMost) {
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "replicas": 10000000})",
                                    "x");
    EXPECT_EQ(Replicas(job, 1, 1).count(), 10'000'000);
    job.replicas = 5'000'001;
    EXPECT_EQ(problem_of([&] { Replicas(job, 2, 2); }),
              "replicas: 5,000,001 replicas of 2 ranks are more than 10,000,000");
}

}  // namespace
}  // namespace overlap::job
