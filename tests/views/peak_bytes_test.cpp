#include "core/views/peak_bytes.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/plan/plan_edits.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

double sum(const PeakBytesOfInput& peak) {
    return std::accumulate(peak.nodes.begin(), peak.nodes.end(), peak.other);
}

class PeakBytes : public testing::Test {
  protected:
    std::shared_ptr<const Graph> graph_ = test_graph("llama3_debugmodel_fsdp8.prebucket");
};

TEST_F(PeakBytes, OfTheGraphAsItIsAreOfWhatAllocatesThem) {
    const auto baseline = evaluate_baseline(graph_);
    const PeakBytesOfInput peak = peak_bytes_of_input(*baseline);
    EXPECT_EQ(peak.other, 0);
    EXPECT_EQ(sum(peak), static_cast<double>(baseline->corrected_memory.peak_bytes));
}

TEST_F(PeakBytes, OfBucketsAreSharedAmongTheirMembers) {
    Plan plan = make_plan(*graph_, "");
    plan.buckets = {{.modules = {"layers.0"}}, {.modules = {"layers.1", "layers.2"}}};
    const auto result = evaluate(graph_, plan);
    ASSERT_FALSE(result->refused);
    const PeakBytesOfInput peak = peak_bytes_of_input(*result);
    EXPECT_NEAR(sum(peak), static_cast<double>(result->corrected_memory.peak_bytes), 1);
    // What packs and unpacks a bucket is its members', so nothing is left over.
    EXPECT_EQ(peak.other, 0);
}

}  // namespace
}  // namespace overlap
