// Times of collectives and operators in profilers' traces.

#include "core/io/profile_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/problem_of.h"

namespace overlap::test {

namespace {

using Ranks = std::vector<std::int64_t>;

/// @param members further members of the document, each behind a comma.
ProfileRecords profile_of(const std::string& events, const std::string& members = "") {
    return read_profile_text(R"({"traceEvents": [)" + events + "]" + members + "}", "p");
}

std::string gather_of(const std::string& group, const std::string& ranks) {
    return R"({"cat": "kernel", "dur": 12.5, "args": {"Collective name": "_allgather_base", "Group size": 4,
        "Out msg nelems": 64, "dtype": "BFloat16", "Process Group Name": ")" +
           group + R"(", "Process Group Ranks": ")" + ranks + R"(", "Seq": 7}})";
}

const std::string configured = R"(, "distributedInfo": {"pg_config": [{"pg_name": "3", "ranks": [3, 1, 2, 0]},
    {"pg_name": "4", "ranks": "[0, 1]"}, {"pg_name": "5", "ranks": []}]})";

}  // namespace

TEST(ProfileFile, CollectivesSayTheirGroupAndSize) {
    const ProfileRecords records = profile_of(gather_of("3", "[2, 0]"));
    ASSERT_EQ(records.collectives.size(), 1u);
    const ProfiledCollective& gather = records.collectives[0];
    EXPECT_EQ(gather.name, "_allgather_base");
    EXPECT_EQ(gather.group, "3");
    EXPECT_EQ(gather.ranks, (Ranks{0, 2}));
    EXPECT_EQ(gather.group_size, 4);
    EXPECT_EQ(gather.output_elements, 64);
    EXPECT_EQ(gather.dtype, "BFloat16");
    EXPECT_EQ(gather.time_us, 12.5);
    EXPECT_EQ(gather.sequence, 7);
}

TEST(ProfileFile, ASimulatedStepIsNoMeasurement) {
    const auto says = [](const std::string& times) {
        return profile_of("", R"(, "otherData": {"times": )" + times + "}").is_simulated;
    };
    EXPECT_TRUE(says(R"("simulated")"));
    EXPECT_FALSE(says(R"("measured")"));
    EXPECT_FALSE(says("1"));
    EXPECT_FALSE(profile_of("", R"(, "otherData": "simulated")").is_simulated);
    EXPECT_FALSE(profile_of("").is_simulated);
    EXPECT_TRUE(profile_of("").has_events);
    EXPECT_FALSE(read_profile_text("{}", "p").has_events);
    ProfileRecords simulated;
    simulated.is_simulated = true;
    EXPECT_TRUE(combine_profiles({profile_of(""), simulated}).is_simulated);
}

TEST(ProfileFile, RanksThatAreElidedAreThoseOfTheConfiguration) {
    const auto ranks = [](const std::string& group, const std::string& text) {
        return profile_of(gather_of(group, text), configured).collectives.at(0).ranks;
    };
    EXPECT_EQ(ranks("3", "[0, ..., 3]"), (Ranks{0, 1, 2, 3}));
    EXPECT_EQ(ranks("3", ""), (Ranks{0, 1, 2, 3}));
    EXPECT_EQ(ranks("3", "[9]"), Ranks{9}) << "the event's own come first";
    EXPECT_EQ(ranks("5", ""), Ranks{});
    EXPECT_EQ(ranks("unknown", ""), Ranks{});
    EXPECT_EQ(problem_of([&] { ranks("4", ""); }),
              "p: traceEvents[0]: the ranks of its process group are no list of numbers, and PyTorch raises");
}

TEST(ProfileFile, OperatorsHaveTheTimeOfTheirKernels) {
    const auto kernel = [](const char* id, const char* duration) {
        return std::string(R"(, {"cat": "kernel", "dur": )") + duration + R"(, "args": {"External id": )" + id + "}}";
    };
    const std::string multiply =
        R"({"cat": "cpu_op", "name": "aten::mm", "args": {"External id": 5, "Input Dims": [[4, 8], [8, 2], []],
            "Input Strides": [[8, 1], [2, 1], []], "Input type": ["float", "float", "Scalar"]}})";
    const std::string of_list = R"({"cat": "cpu_op", "name": "aten::cat", "args": {"External id": 6,
            "Input Dims": [[[4, 8], [8, 2]]], "Input Strides": [[[8, 1], [2, 1]]]}})";
    const std::string without_kernel = R"({"cat": "cpu_op", "name": "aten::view", "args": {"External id": 7}})";
    const ProfileRecords records = profile_of(multiply + ", " + of_list + ", " + without_kernel + kernel("5", "3") +
                                              kernel("5", "4.5") + kernel("6", "1") + kernel("8", "1"));
    ASSERT_EQ(records.operators.size(), 1u);
    EXPECT_EQ(records.operators[0].name, "aten::mm");
    EXPECT_EQ(records.operators[0].time_us, 7.5);
    EXPECT_EQ(records.operators[0].shapes, (TensorSizes{{4, 8}, {8, 2}}));
    EXPECT_EQ(records.operators[0].strides, (TensorSizes{{8, 1}, {2, 1}}));
    EXPECT_EQ(records.operators[0].dtype, dtype_by_name("float32"));
    EXPECT_EQ(records.operators_with_lists, 1u);
}

}  // namespace overlap::test
