// Which process groups go over one link where a cost model does not say so.

#include "core/cost/shared_links.h"

#include <gtest/gtest.h>

#include "core/cost/cost_differences.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

using Links = std::vector<std::vector<std::string>>;

ProcessGroup group(const std::string& name, std::vector<int> ranks) {
    ProcessGroup made;
    made.name = name;
    made.ranks = std::move(ranks);
    return made;
}

TEST(SharedLinks, AreThatWithinAHostAndThatAcrossHosts) {
    GraphHeader header;
    header.process_groups = {group("card", {0, 8}), group("nvlink", {0, 1}), group("alone", {3}),
                             group("second_host", {8, 15}), group("all", {0, 7, 8})};
    EXPECT_EQ(links_by_host(header), (Links{{"nvlink", "second_host"}, {"card", "all"}}));
    header.process_groups = {group("card", {0, 8}), group("alone", {3})};
    EXPECT_EQ(links_by_host(header), (Links{{"card"}}));
}

std::shared_ptr<const Graph> two_groups(bool with_cost = true) {
    GraphSketch sketch;
    sketch.group("1", 16, 0, 1e9);
    if (!with_cost) sketch.header().cost.reset();
    return std::make_shared<const Graph>(sketch.finish());
}

TEST(SharedLinks, ArePutIntoAGraphThatSaysNothing) {
    const auto graph = two_groups();
    EXPECT_FALSE(says_shared_links(*graph));
    const auto by_host = with_shared_links(graph, LinkSharing::by_host);
    EXPECT_EQ(by_host->header().cost->contention->shared_links, (Links{{"0"}, {"1"}}));
    const auto by_group = with_shared_links(graph, LinkSharing::by_group);
    EXPECT_EQ(by_group->header().cost->contention->shared_links, (Links{{"0"}, {"1"}}));
    EXPECT_TRUE(says_shared_links(*by_group));
    EXPECT_EQ(with_shared_links(by_group, LinkSharing::by_host), by_group);
    const auto without = two_groups(false);
    EXPECT_EQ(with_shared_links(without, LinkSharing::by_host), without);
}

TEST(CostDifferencesInWords, AreOfTheGroupThatDiffersMost) {
    CostParameters before;
    before.memory_bytes_per_s = 2e12;
    before.links = {{"a", 0, 1e9}, {"b", 0, 1e9}, {"c", 0, 1e9}};
    CostParameters after = before;
    after.memory_bytes_per_s = 3e12;
    after.links = {{"a", 0, 2e9}, {"b", 0, 4e9}, {"c", 0, 3e9}};
    EXPECT_EQ(cost_differences(before, after),
              (std::vector<std::string>{"an all-gather of 64 MiB on group \"b\" takes 16.78 ms and not 67.11 ms",
                                        "memory moves 3000 GB/s and not 2000 GB/s"}));
}

}  // namespace
}  // namespace overlap::test
