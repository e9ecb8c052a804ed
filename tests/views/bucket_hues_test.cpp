#include "core/views/bucket_hues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/plan/plan_edits.h"
#include "core/timeline/lane.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

using Hues = std::vector<std::uint32_t>;

class BucketHues : public testing::Test {
  protected:
    std::shared_ptr<const Graph> graph_ = test_graph("llama3_8b_fsdp64.prebucket");
    ModuleTree tree_{*graph_, preferred_module_source(*graph_)};

    Hues hues(const Buckets& buckets) const { return bucket_hues(tree_, buckets); }
};

bool neighbours_differ(const Hues& hues) {
    return std::ranges::adjacent_find(hues) == hues.end() &&
           std::ranges::all_of(hues, [](std::uint32_t hue) { return hue < bucket_hue_count; });
}

TEST_F(BucketHues, StayWhereOthersComeAndGo) {
    const Buckets start = one_bucket_per_block(tree_, graph_.get());
    const Hues before = hues(start);
    EXPECT_TRUE(neighbours_differ(before));
    EXPECT_EQ((std::set<std::uint32_t>(before.begin(), before.end()).size()), bucket_hue_count);
    for (const std::size_t gone : {0u, 1u, 7u, 20u}) {
        Hues left = before;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(gone));
        EXPECT_EQ(hues(edits::remove(start, {gone})), left) << gone;
    }
    Hues moved = before;
    std::rotate(moved.begin() + 2, moved.begin() + 3, moved.begin() + 13);
    EXPECT_EQ(hues(edits::move_entry(start, 2, 12)), moved);
    // What joins an entry, or leaves it, changes no hue; nor does a name.
    EXPECT_EQ(hues(edits::merge(start, {3, 4}))[3], before[3]);
    EXPECT_EQ(hues(edits::rename(start, 3, "third")), before);
}

TEST_F(BucketHues, OfNeighboursDiffer) {
    for (std::size_t blocks = 1; blocks <= 16; ++blocks)
        EXPECT_TRUE(neighbours_differ(hues(one_bucket_per_blocks(tree_, blocks, graph_.get())))) << blocks;
    Buckets parts;
    for (int block = 0; block < 8; ++block)
        for (const char* part : {".attention", ".feed_forward"})
            parts.push_back({{"layers." + std::to_string(block) + part}});
    EXPECT_TRUE(neighbours_differ(hues(parts)));
    // The same module over and over, and names that no module has.
    const Buckets odd = {{{"norm"}}, {{"norm"}}, {{"norm"}}, {{"x"}}, {{"x"}}, {{"y"}}, {}, {}};
    EXPECT_TRUE(neighbours_differ(hues(odd)));
    EXPECT_EQ(hues({}), Hues());
}

TEST_F(BucketHues, AreTheSameInAllPlans) {
    const Buckets start = one_bucket_per_block(tree_, graph_.get());
    const Buckets one = {start[9]};
    EXPECT_EQ(hues(one)[0], hues(start)[9]);
}

}  // namespace
}  // namespace overlap
