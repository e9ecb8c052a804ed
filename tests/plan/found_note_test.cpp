#include "core/plan/found_note.h"

#include <gtest/gtest.h>

#include <string>

namespace overlap {
namespace {

TEST(FoundPlanName, IsKnownAgain) {
    for (const double step_ms : {0.0, 0.00947, 4.0, 61.42, 1588.2, 123456.7})
        for (const std::int64_t bytes : {std::int64_t{12}, std::int64_t{2} << 20, std::int64_t{31} << 30}) {
            const std::string found = found_plan_name(step_ms, bytes), edited = edited_plan_name(step_ms, bytes);
            EXPECT_TRUE(is_found_plan_name(found)) << found;
            EXPECT_TRUE(is_found_plan_name(found + " 2")) << "of two with the same figures";
            EXPECT_FALSE(is_edited_plan_name(found)) << found;
            for (const std::string& so_far : {found_so_far_name(step_ms, bytes), found_so_far_name(step_ms, 0)}) {
                EXPECT_TRUE(is_found_plan_name(so_far)) << so_far;
                EXPECT_TRUE(is_found_plan_name(so_far + " 2")) << "of two with the same figures";
                EXPECT_FALSE(is_found_plan_name(so_far + " or so")) << so_far;
                EXPECT_FALSE(is_edited_plan_name(so_far)) << so_far;
            }
            EXPECT_TRUE(is_edited_plan_name(edited)) << edited;
            EXPECT_FALSE(is_found_plan_name(edited)) << edited;
        }
    EXPECT_TRUE(is_edited_plan_name(edited_plan_words));
}

TEST(FoundPlanName, OfASearchThatDidNotEndHasThePeakWhereItIsKnown) {
    EXPECT_EQ(found_so_far_name(12.3, std::int64_t{3} << 30), "Found so far 12.3 ms at 3 GiB");
    EXPECT_EQ(found_so_far_name(12.3, 0), "Found so far 12.3 ms");
}

TEST(FoundPlanName, GivesAPeakOrNone) {
    constexpr std::int64_t peak = std::int64_t{3} << 30, other = std::int64_t{31} << 30;
    for (const std::string& name : {found_plan_name(5, peak), found_so_far_name(5, peak), edited_plan_name(5, peak)})
        for (const char* number : {"", " 2"}) {
            EXPECT_FALSE(gives_another_peak(name + number, peak)) << name;
            EXPECT_TRUE(gives_another_peak(name + number, other)) << name;
        }
    for (const std::string& name :
         {found_so_far_name(5, 0), std::string(edited_plan_words), std::string("Mine at 3 GiB")})
        EXPECT_FALSE(gives_another_peak(name, other)) << name;
}

TEST(FoundPlanName, GivesAStepOrNone) {
    constexpr std::int64_t peak = std::int64_t{3} << 30;
    for (const std::string& name :
         {found_plan_name(5, peak), found_so_far_name(5, peak), found_so_far_name(5, 0), edited_plan_name(5, peak)})
        for (const char* number : {"", " 2"}) {
            EXPECT_FALSE(gives_another_step(name + number, 5)) << name;
            EXPECT_TRUE(gives_another_step(name + number, 50)) << name;
            EXPECT_TRUE(gives_another_step(name + number, 0.5)) << name;
        }
    for (const std::string& name : {std::string(edited_plan_words), std::string("Mine 5 ms at 3 GiB")})
        EXPECT_FALSE(gives_another_step(name, 50)) << name;
}

TEST(FoundPlanName, WordsOfAUserAreNone) {
    for (const char* name : {"", "Found", "Found it at home", "Found so far", "Found so far away", "Found 61.42 ms",
                             "Found 61.42 ms at 4 GiB, mine", "Found 61.42 ms at 4 GiB with offload",
                             "found 61.42 ms at 4 GiB", "Plan A", "Edited"}) {
        EXPECT_FALSE(is_found_plan_name(name)) << name;
        EXPECT_FALSE(is_edited_plan_name(name)) << name;
    }
}

}  // namespace
}  // namespace overlap
