#include "core/bound/service_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace overlap::test {
namespace {

TEST(ServiceQueue, EndsWhenTheLongestBusyStretchDoes) {
    ServiceQueue queue;
    EXPECT_TRUE(queue.empty());
    queue.add(5, 1, 0);
    EXPECT_EQ(queue.end_ms(), 6);
    queue.add(0, 4, 1);
    EXPECT_EQ(queue.end_ms(), 6);
    EXPECT_EQ(queue.first_job(), 0u);
    queue.add(3, 3, 2);
    EXPECT_EQ(queue.end_ms(), 8);
    EXPECT_EQ(queue.first_job(), 1u);
}

TEST(ServiceQueue, IsTheMaximumOverAllReleases) {
    std::mt19937 random(3);
    for (int run = 0; run < 200; ++run) {
        ServiceQueue queue;
        std::vector<std::pair<double, double>> jobs;
        for (std::uint32_t job = 0; job < 60; ++job) {
            jobs.emplace_back(random() % 20, random() % 5);
            queue.add(jobs.back().first, jobs.back().second, job);
            double expected = 0;
            for (const auto& [from, unused] : jobs) {
                double end = from;
                for (const auto& [release, work] : jobs) end += release >= from ? work : 0;
                expected = std::max(expected, end);
            }
            ASSERT_EQ(queue.end_ms(), expected);
        }
    }
}

}  // namespace
}  // namespace overlap::test
