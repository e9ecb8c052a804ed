// The lists that PyTorch 2.15 makes by name, for many shapes. tests/data/job/torch_schedules.csv has, for schedule,
// ranks, stages a rank and microbatches, the MD5 of the lists without spacing, a line a rank (1F1B with the last rank's
// forwards numbered from 0), or that PyTorch refuses the shape.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/base/error.h"
#include "core/base/md5.h"
#include "core/job/schedules/checked_schedule.h"
#include "core/job/schedules/named_schedules.h"
#include "core/job/schedules/schedule_csv.h"

namespace overlap::job {
namespace {

std::string without_spacing(const ActionLists& lists) {
    std::string text;
    for (const ActionRow& row : lists) {
        std::string line;
        for (std::size_t cell = 0; cell < row.size(); ++cell)
            if (!row[cell].empty()) line.append(line.empty() ? "" : ",").append(cell_text(row[cell]));
        text.append(line).append("\n");
    }
    return text;
}

/// Makes the lists of one name for all shapes of the file.
void expect_those_of_pytorch(std::string_view wanted, int shapes_made, int shapes_refused) {
    std::ifstream file(OVERLAP_TEST_DATA "/job/torch_schedules.csv");
    int made = 0, refused = 0;
    for (std::string line; std::getline(file, line);) {
        std::istringstream cells(line);
        std::string name, p, v, m, expected;
        for (std::string* cell : {&name, &p, &v, &m, &expected}) std::getline(cells, *cell, ',');
        if (name != wanted) continue;
        const NamedSchedule* schedule = find_named_schedule(name);
        ASSERT_TRUE(schedule) << line;
        const ScheduleShape shape{std::stoi(p), std::stoi(m), std::stoi(v)};
        if (expected == "refused") {
            ++refused;
            EXPECT_THROW(make_schedule(*schedule, shape), InputError) << line;
            continue;
        }
        ++made;
        ActionLists lists = make_schedule(*schedule, shape);
        EXPECT_EQ(md5_hexadecimal(without_spacing(lists)), expected) << line;
        EXPECT_EQ(without_spacing(read_schedule_csv(schedule_csv(lists))), without_spacing(lists)) << line;
        EXPECT_TRUE(check_schedule(std::move(lists), shape.stages(), shape.microbatches).notes.empty()) << line;
    }
    EXPECT_EQ(made, shapes_made);
    EXPECT_EQ(refused, shapes_refused);
}

TEST(Schedules, GPipeIsThatOfPyTorch) {
    expect_those_of_pytorch("GPipe", 176, 0);
}

TEST(Schedules, OneForwardOneBackwardIsThatOfPyTorch) {
    expect_those_of_pytorch("1F1B", 148, 28);
}

TEST(Schedules, InterleavedIsThatOfPyTorch) {
    expect_those_of_pytorch("Interleaved1F1B", 387, 141);
}

TEST(Schedules, InterleavedZeroBubbleIsThatOfPyTorch) {
    expect_those_of_pytorch("InterleavedZeroBubble", 258, 94);
}

TEST(Schedules, ZeroBubbleInAVIsThatOfPyTorch) {
    expect_those_of_pytorch("ZBVZeroBubble", 176, 0);
}

TEST(Schedules, DualPipeInAVIsThatOfPyTorch) {
    expect_those_of_pytorch("DualPipeV", 112, 64);
}

TEST(Schedules, LaterRanksBeginLater) {
    for (const NamedSchedule& schedule : named_schedules()) {
        if (!schedule.name.starts_with("Interleaved")) continue;
        const ActionLists lists = make_schedule(schedule, {4, 8, schedule.usual_stages_per_rank});
        for (std::size_t rank = 0; rank < lists.size(); ++rank) {
            std::size_t first = 0;
            while (lists[rank][first].empty()) ++first;
            EXPECT_EQ(first, rank) << schedule.name;
        }
    }
}

TEST(Schedules, ACellThatIsNoActionIsRefusedWithItsPlace) {
    for (const char* text :
         {"0X0", "0F", "F0", "0F0x", "(0F0;)OVERLAP_F_B", "(0F0", "(0F0)", "99999999999F0", "-1F0", "0F-1"}) {
        try {
            read_schedule_csv(std::string("0F0\n0F1,") + text + "\n");
            ADD_FAILURE() << text;
        } catch (const InputError& error) {
            EXPECT_EQ(error.place(), "row 2, cell 2") << text;
        }
    }
}

TEST(Schedules, SpaceAroundCellsAndTheirPartsMeansNothing) {
    EXPECT_EQ(schedule_csv(read_schedule_csv(" 0F0 ,\t0F1\t, ( 0B0 ; 0F2 )OVERLAP_F_B , 0B1 \n")),
              "0F0,0F1,(0B0;0F2)OVERLAP_F_B,0B1\n");
}

TEST(Schedules, TheLastRanksForwardsNumberedFromOneAreRepairedWithANote) {
    const CheckedSchedule repaired = check_schedule(read_schedule_csv("0F0,0F1,0B0,0B1\n1F1,1B0,1F2,1B1\n"), 2, 2);
    EXPECT_EQ(schedule_csv(repaired.lists), "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
    EXPECT_EQ(repaired.notes.size(), 1u);
}

TEST(Schedules, CountsThatNoListHasAreRefusedBeforeMemoryIsTaken) {
    EXPECT_THROW(check_schedule(read_schedule_csv("0F0,0B0\n"), 10'000'000, 10'000'000), InputError);
    for (const NamedSchedule& schedule : named_schedules())
        EXPECT_THROW(make_schedule(schedule, {1'000'000, 10'000'000, schedule.usual_stages_per_rank}), InputError);
}

}  // namespace
}  // namespace overlap::job
