#include "core/pipeline/bucket_marks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cost/graph_sketch.h"

namespace overlap {
namespace {

using Marks = std::vector<std::int32_t>;

TEST(CarriedBucketMarks, AreThoseOfWhatAPassKeeps) {
    EXPECT_EQ(carry_bucket_marks({-1, 3, 0}, {2, no_node, 0, 1}), (Marks{0, -1, -1, 3}));
    EXPECT_EQ(carry_bucket_marks({-1, -1}, {1, 0, no_node}), (Marks{-1, -1, -1}));
    EXPECT_EQ(carry_bucket_marks({}, {no_node}), Marks{-1});
}

BucketReport bucket(std::optional<std::size_t> entry, const std::string& start, const std::vector<std::string>& waits) {
    BucketReport report;
    report.plan_entry = entry;
    report.start = start;
    report.waits = waits;
    return report;
}

/// Two buckets of which each packs, gathers and unpacks, and one that no entry of the plan asks for.
class BucketMarks : public testing::Test {
  protected:
    test::GraphSketch sketch_;
    const NodeId x_ = sketch_.input("x", sketch_.tensor("float32", {4}));
    const NodeId pack_ = sketch_.cast("pack", x_, 0);
    const NodeId first_ = sketch_.gather("first", pack_, 1);
    const NodeId first_done_ = sketch_.wait("first_done", first_);
    const NodeId unpack_ = sketch_.item("unpack", first_done_, 0);
    const NodeId again_ = sketch_.item("again", unpack_, 0);
    const NodeId between_ = sketch_.compute("between", {again_}, 1);
    const NodeId second_ = sketch_.gather("second", between_, 1);
    const NodeId second_done_ = sketch_.wait("second_done", second_);
    const NodeId other_ = sketch_.gather("other", x_, 1);

    /// Marks by name, of nodes that have one. @param kept by name: not made by the pass.
    std::vector<std::string> marked(const PassReport& report, const std::vector<std::string>& kept, Marks marks = {}) {
        const Graph graph = sketch_.finish({second_done_, other_});
        std::vector<NodeId> origin(graph.node_count(), no_node);
        for (const std::string& name : kept) origin[graph.find(name)] = 0;
        marks.resize(graph.node_count(), -1);
        mark_buckets(graph, origin, report, marks);
        std::vector<std::string> found;
        for (NodeId node = 0; node < graph.node_count(); ++node)
            if (marks[node] >= 0) found.push_back(std::string(graph.name(node)) + " " + std::to_string(marks[node]));
        return found;
    }
};

TEST_F(BucketMarks, AreOfWhatWasMadeForABucketAndStopAtWhatWasThere) {
    PassReport report;
    report.buckets = {bucket(4, "first", {"first_done"}), bucket(7, "second", {"second_done"}),
                      bucket({}, "other", {})};
    EXPECT_EQ(marked(report, {"x", "between", "output"}),
              (std::vector<std::string>{"pack 4", "first 4", "first_done 4", "unpack 4", "again 4", "second 7",
                                        "second_done 7"}));
}

TEST_F(BucketMarks, OfWhatTouchesTwoBucketsAreOfTheNearer) {
    PassReport report;
    report.buckets = {bucket(4, "first", {"first_done"}), bucket(7, "second", {"second_done"})};
    // From the first bucket's wait it is two steps to `again`, from the second bucket's start it is two as well.
    EXPECT_EQ(marked(report, {"x", "output", "other"}),
              (std::vector<std::string>{"pack 4", "first 4", "first_done 4", "unpack 4", "again 4", "between 7",
                                        "second 7", "second_done 7"}));
}

TEST_F(BucketMarks, OfAnEarlierStepStayAndNamesThatAreGoneMarkNothing) {
    PassReport report;
    report.buckets = {bucket(4, "first", {"gone"}), bucket(5, "gone", {})};
    Marks marks(first_ + 1, -1);
    marks[pack_] = 2;
    EXPECT_EQ(marked(report, {"x", "between", "output", "other"}, marks),
              (std::vector<std::string>{"pack 2", "first 4", "first_done 4", "unpack 4", "again 4"}));
}

}  // namespace
}  // namespace overlap
