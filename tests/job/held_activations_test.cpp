// What ranks of a schedule hold for backwards that are still to come.

#include "core/job/pipeline/held_activations.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/job/document/job_file.h"
#include "core/job/pipeline/pipeline_step.h"
#include "core/job/schedule_table.h"

namespace overlap::job {
namespace {

JobDocument four_equal_stages(const std::string& schedule) {
    return read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [
        {"ms": {"F": 1, "I": 1, "W": 1}}, {"ms": {"F": 1, "I": 1, "W": 1}}, {"ms": {"F": 1, "I": 1, "W": 1}},
        {"ms": {"F": 1, "I": 1, "W": 1}}], "schedule": )" +
                             schedule + "}",
                         "x");
}

std::vector<std::int32_t> forwards_held(const std::string& schedule,
                                        const std::vector<std::optional<std::int64_t>>& bytes = {1, 1, 1, 1}) {
    const CheckedSchedule checked = job_schedule(four_equal_stages(schedule), "");
    std::vector<std::int32_t> forwards;
    for (const HeldActivations& held : held_activations(checked, bytes)) forwards.push_back(held.forwards);
    return forwards;
}

TEST(HeldActivations, GPipeHoldsAllMicrobatchesAnd1F1BAsManyAsStagesAreBehind) {
    EXPECT_EQ(forwards_held(R"({"name": "GPipe", "microbatches": 8})"), (std::vector<std::int32_t>{8, 8, 8, 8}));
    EXPECT_EQ(forwards_held(R"({"name": "1F1B", "microbatches": 8})"), (std::vector<std::int32_t>{4, 3, 2, 1}));
}

TEST(HeldActivations, WhereTheBackwardIsDividedTheyAreHeldUntilTheWeightsHaveTheirs) {
    EXPECT_EQ(
        forwards_held(
            R"({"actions": [["0F0", "0I0", "0F1", "0W0", "0I1", "0W1"], ["1F0", "1I0", "1W0", "1F1", "1I1", "1W1"],
        ["2F0", "2F1", "2I0", "2W0", "2I1", "2W1"], ["3F0", "3I0", "3W0", "3F1", "3I1", "3W1"]], "microbatches": 2})"),
        (std::vector<std::int32_t>{2, 1, 2, 1}));
}

TEST(HeldActivations, OfACellOfBothTheForwardBeginsBeforeTheBackwardHasEnded) {
    const JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1,
        "stages": [{"ms": {"F": 1, "B": 1}}],
        "schedule": {"actions": [["0F0", "(0F1;0B0)OVERLAP_F_B", "0B1"]], "microbatches": 2}})",
                                          "x");
    const std::optional<std::int64_t> bytes = 100;
    const auto held = held_activations(job_schedule(job, ""), {&bytes, 1});
    ASSERT_EQ(held.size(), 1u);
    EXPECT_EQ(held[0].forwards, 2);
    EXPECT_EQ(held[0].bytes, 200);
}

TEST(HeldActivations, BytesAreThoseOfTheStagesAndNotKnownWhereOneDoesNotTell) {
    const CheckedSchedule checked = job_schedule(four_equal_stages(R"({"name": "1F1B", "microbatches": 8})"), "");
    const std::vector<std::optional<std::int64_t>> bytes{10, std::nullopt, 30, 40};
    const auto held = held_activations(checked, bytes);
    ASSERT_EQ(held.size(), 4u);
    EXPECT_EQ(held[0].bytes, 40);
    EXPECT_EQ(held[1].bytes, std::nullopt);
    EXPECT_EQ(held[2].bytes, 60);
    EXPECT_EQ(held[3].bytes, 40);
}

TEST(HeldActivations, TheTableHasTheRankThatHoldsMost) {
    std::map<std::string, const ScheduleRow*> rows;
    const auto table = schedule_table(four_equal_stages(R"({"name": "1F1B", "microbatches": 8})"), {});
    for (const ScheduleRow& row : table) rows[row.name] = &row;
    EXPECT_EQ(rows["1F1B"]->held_forwards, 4);
    EXPECT_EQ(rows["GPipe"]->held_forwards, 8);
    EXPECT_EQ(rows["GPipe"]->held_bytes, std::nullopt);
}

}  // namespace
}  // namespace overlap::job
