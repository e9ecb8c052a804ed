// Where the copies of a pipeline lie, and with whom they reduce their gradients.

#include "core/job/replicas.h"

#include "core/job/document/job_file.h"

namespace overlap::job {
namespace {

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

}  // namespace
}  // namespace overlap::job
