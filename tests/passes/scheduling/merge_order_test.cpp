#include "core/passes/scheduling/merge_order.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

namespace overlap::scheduling {
namespace {

/// Nodes with dependencies and merges, searched without any order.
struct Reference {
    explicit Reference(std::uint32_t count) : dependencies(count), set_of(count) {
        std::iota(set_of.begin(), set_of.end(), 0u);
    }
    bool depends_on(NodeId later, NodeId earlier) const {
        std::set<NodeId> seen;
        std::vector<NodeId> stack = {later};
        while (!stack.empty()) {
            const NodeId node = stack.back();
            stack.pop_back();
            for (NodeId member = 0; member < set_of.size(); ++member) {
                if (set_of[member] != set_of[node]) continue;
                for (const NodeId dependency : dependencies[member]) {
                    if (set_of[dependency] == set_of[earlier]) return true;
                    if (seen.insert(dependency).second) stack.push_back(dependency);
                }
            }
        }
        return false;
    }
    std::vector<std::vector<NodeId>> dependencies;
    std::vector<NodeId> set_of;
};

class MergeOrderTest : public testing::Test {
  protected:
    static constexpr std::uint32_t count = 24;

    MergeOrderTest() : reference_(count), nodes_(count), order_(with_ascending_numbers(nodes_)) {}

    bool depends_on(NodeId later, NodeId earlier) {
        return order_.depends_on(later, earlier, [&](NodeId of, auto&& visit) {
            for (const NodeId dependency : reference_.dependencies[of]) visit(dependency);
        });
    }
    /// Whether both answers to "is one of these before the other" agree, and what they are.
    bool are_connected(NodeId left, NodeId right) {
        if (order_.slot(left) > order_.slot(right)) std::swap(left, right);
        const bool connected = depends_on(right, left);
        EXPECT_EQ(connected, reference_.depends_on(right, left) || reference_.depends_on(left, right));
        return connected;
    }
    void expect_order() {
        for (NodeId node = 0; node < count; ++node) {
            for (const NodeId dependency : reference_.dependencies[node]) {
                EXPECT_LT(order_.slot(dependency), order_.slot(node)) << node << " after " << dependency;
            }
            for (NodeId other = 0; other < count; ++other) {
                EXPECT_EQ(order_.are_merged(node, other), reference_.set_of[node] == reference_.set_of[other]);
                EXPECT_EQ(order_.slot(node) == order_.slot(other), order_.are_merged(node, other));
            }
        }
    }

    Reference reference_;
    std::vector<NodeId> nodes_;
    MergeOrder order_;

  private:
    static std::span<const NodeId> with_ascending_numbers(std::vector<NodeId>& nodes) {
        std::iota(nodes.begin(), nodes.end(), 0u);
        return nodes;
    }
};

TEST_F(MergeOrderTest, MembersComeInTheOrderInWhichTheyWereMerged) {
    ASSERT_FALSE(are_connected(7, 2));
    order_.merge(7, 2);
    ASSERT_FALSE(depends_on(7, 4));
    order_.merge(7, 4);
    const std::span<const NodeId> members = order_.members(2);
    EXPECT_EQ(std::vector<NodeId>(members.begin(), members.end()), (std::vector<NodeId>{7, 2, 4}));
    EXPECT_EQ(order_.members(5).size(), 1u);
}

TEST_F(MergeOrderTest, KeepsAnOrderThroughRandomChanges) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        reference_ = Reference(count);
        order_ = MergeOrder(nodes_);
        for (int edge = 0; edge < 20; ++edge) {
            const NodeId first = random() % count, second = random() % count;
            if (first != second) reference_.dependencies[std::max(first, second)].push_back(std::min(first, second));
        }
        std::vector<NodeId> merged;
        for (int step = 0; step < 60; ++step) {
            const NodeId first = random() % count, second = random() % count;
            if (reference_.set_of[first] == reference_.set_of[second]) continue;
            if (random() % 4 == 0 && !merged.empty()) {
                order_.split(merged.back());
                reference_.set_of[merged.back()] = merged.back();
                merged.pop_back();
            } else if (random() % 2 == 0) {
                const bool single = order_.members(second).size() == 1;
                if (are_connected(first, second) || !single) continue;
                order_.merge(first, second);
                reference_.set_of[second] = reference_.set_of[first];
                merged.push_back(second);
            } else if (!reference_.depends_on(second, first)) {  // a new edge: first behind second
                if (order_.slot(second) > order_.slot(first)) {
                    ASSERT_FALSE(depends_on(second, first));
                    order_.move_behind(first, second);
                }
                reference_.dependencies[first].push_back(second);
            }
            expect_order();
            if (HasFailure()) FAIL() << "seed " << seed << ", step " << step;
        }
    }
}

}  // namespace
}  // namespace overlap::scheduling
