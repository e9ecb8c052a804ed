#include "core/run/move_launches.h"

#include <gtest/gtest.h>

namespace overlap::test {
namespace {

ComputeWork work_of(std::int64_t read_bytes, std::int64_t written_bytes) {
    ComputeWork work;
    work.read_bytes = read_bytes;
    work.written_bytes = written_bytes;
    return work;
}

TEST(MoveLaunches, OneHasTheBytesOfTheKernelAndAllItsTensors) {
    const Operands places{{{0, 512}, {512, 1024}}, {{4096, 256}}};
    const std::vector<MoveLaunch> launches = move_launches(work_of(1000, 300), places, 2);
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].inputs.size(), 2u);
    EXPECT_EQ(launches[0].outputs.size(), 1u);
    EXPECT_EQ(launches[0].read_bytes, 1000);
    EXPECT_EQ(launches[0].written_bytes, 300);
}

TEST(MoveLaunches, MoreOutputsThanThereIsRoomForShareWhatIsRead) {
    const Operands places{{{0, 4096}}, {{8192, 1024}, {9216, 1024}, {10240, 1024}}};
    const std::vector<MoveLaunch> launches = move_launches(work_of(6000, 3072), places, 2);
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[0].outputs.size(), 2u);
    EXPECT_EQ(launches[0].written_bytes, 2048);
    EXPECT_EQ(launches[0].read_bytes, 4000);
    EXPECT_EQ(launches[1].outputs.size(), 1u);
    EXPECT_EQ(launches[1].written_bytes, 1024);
    EXPECT_EQ(launches[1].read_bytes, 2000);
}

TEST(MoveLaunches, TheLongestInputsAreRead) {
    const Operands places{{{0, 64}, {512, 4096}, {8192, 2048}}, {{16384, 64}}};
    const std::vector<MoveLaunch> launches = move_launches(work_of(6208, 64), places, 2);
    ASSERT_EQ(launches.at(0).inputs.size(), 2u);
    EXPECT_EQ(launches[0].inputs[0].offset, 512);
    EXPECT_EQ(launches[0].inputs[1].offset, 8192);
    EXPECT_EQ(launches[0].read_bytes, 6208) << "those that are left out are read of the others";
}

TEST(MoveLaunches, SpansAreOfWholeWords) {
    const Operands places{{{8, 40}, {512, 8}}, {{1024, 4}}};
    const std::vector<MoveLaunch> launches = move_launches(work_of(48, 4), places, 4);
    ASSERT_EQ(launches.size(), 1u) << "a launch all the same";
    ASSERT_EQ(launches[0].inputs.size(), 1u);
    EXPECT_EQ(launches[0].inputs[0].offset, 16);
    EXPECT_EQ(launches[0].inputs[0].bytes, 32);
    EXPECT_TRUE(launches[0].outputs.empty());
}

TEST(MoveLaunches, WhatWorksOnAHostIsNone) {
    EXPECT_TRUE(move_launches(work_of(64, 64), {}, 4).empty());
}

}  // namespace
}  // namespace overlap::test
