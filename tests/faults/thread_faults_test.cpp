// Work for several threads, of which some cannot be started.

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <vector>

#include "core/base/on_threads.h"
#include "tests/faults/system_faults.h"

namespace overlap {
namespace {

TEST(ThreadFaults, WhatIsToBeDoneIsDoneByAsManyThreadsAsThereCanBe) {
    constexpr std::size_t wanted = 4, items = 1000;
    for (const bool stays : {false, true}) {
        for (unsigned long at = 1; at < wanted; ++at) {
            std::vector<std::atomic<int>> done(items);
            std::atomic<std::size_t> next = 0, calls = 0;
            test::begin_faults({test::Call::thread, at, EAGAIN, stays, "/"});
            on_threads(wanted, [&] {
                ++calls;
                for (std::size_t item = next++; item < items; item = next++) ++done[item];
            });
            test::end_faults();
            EXPECT_TRUE(test::has_failed());
            EXPECT_EQ(calls, at) << "those that were started, and the caller";
            for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
        }
    }
}

TEST(ThreadFaults, WhereMemoryForAThreadIsMissingTheOthersDoTheWork) {
    constexpr std::size_t wanted = 4, items = 1000;
    unsigned long at = 1;
    for (;; ++at) {
        std::vector<std::atomic<int>> done(items);
        std::atomic<std::size_t> next = 0, calls = 0;
        const auto work = [&] {
            ++calls;
            for (std::size_t item = next++; item < items; item = next++) ++done[item];
        };
        test::begin_faults({test::Call::memory, at, ENOMEM, false, "/"});
        EXPECT_NO_THROW(on_threads(wanted, work)) << at;
        test::end_faults();
        if (!test::has_failed()) break;
        EXPECT_GE(calls, 1u);
        EXPECT_LT(calls, wanted);
        for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    }
    EXPECT_GT(at, wanted) << "each thread needs some, and so does the list of them";
}

TEST(ThreadFaults, TheCallerAloneStartsNone) {
    int calls = 0;
    test::begin_faults({test::Call::thread, 0, EAGAIN, false, "/"});
    on_threads(1, [&] { ++calls; });
    on_threads(0, [&] { ++calls; });
    test::end_faults();
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(test::calls_of(test::Call::thread), 0u);
}

}  // namespace
}  // namespace overlap
