#include "core/graph/operator_traits.h"

#include <gtest/gtest.h>

#include "core/graph/collective_words.h"
#include "core/graph/operator_names.h"

namespace overlap {
namespace {

TEST(DescribeTarget, CollectivesThatStartCommunication) {
    struct Expected {
        const char* target;
        CollectiveKind kind;
        int group_argument;
    };
    for (const Expected& expected : {
             Expected{"_c10d_functional.all_gather_into_tensor.default", CollectiveKind::all_gather, 2},
             Expected{"_c10d_functional.all_gather_into_tensor_out.default", CollectiveKind::all_gather, 2},
             Expected{"_c10d_functional.all_gather_into_tensor_coalesced.default", CollectiveKind::all_gather, 2},
             Expected{"_c10d_functional.reduce_scatter_tensor.default", CollectiveKind::reduce_scatter, 3},
             Expected{"_c10d_functional.reduce_scatter_tensor_coalesced.default", CollectiveKind::reduce_scatter, 3},
             Expected{"_c10d_functional.all_reduce.default", CollectiveKind::all_reduce, 2},
             Expected{"_c10d_functional.all_reduce_.default", CollectiveKind::all_reduce, 2},
             Expected{"_c10d_functional.all_reduce_coalesced.default", CollectiveKind::all_reduce, 2},
             Expected{"_c10d_functional.all_to_all_single.default", CollectiveKind::all_to_all, 3},
         }) {
        const TargetInfo info = describe_target(expected.target);
        EXPECT_EQ(info.starts, expected.kind) << expected.target;
        EXPECT_EQ(info.recognised, expected.kind) << expected.target;
        EXPECT_EQ(info.group_argument, expected.group_argument) << expected.target;
        EXPECT_FALSE(info.is_wait) << expected.target;
    }
}

TEST(DescribeTarget, WaitsAndGetitem) {
    EXPECT_TRUE(describe_target("_c10d_functional.wait_tensor.default").is_wait);
    EXPECT_EQ(describe_target("_c10d_functional.wait_tensor.default").starts, CollectiveKind::none);
    EXPECT_TRUE(describe_target("operator.getitem").is_getitem);
    EXPECT_FALSE(describe_target("aten.mm.default").is_wait);
}

TEST(DescribeTarget, NameIsRecognisedWhereNothingStarts) {
    // The bucketing operators carry a collective's name, as torch's substring test sees it, but start none.
    const TargetInfo info = describe_target("bucketing._pre_bucket_all_gather.default");
    EXPECT_EQ(info.recognised, CollectiveKind::all_gather);
    EXPECT_EQ(info.starts, CollectiveKind::none);
    EXPECT_EQ(describe_target("_c10d_functional.broadcast.default").recognised, CollectiveKind::none);
    EXPECT_EQ(describe_target("_c10d_functional.broadcast.default").starts, CollectiveKind::broadcast);
}

TEST(OperatorTraits, KnowsTorchsOperators) {
    EXPECT_TRUE(operator_traits("aten.view.default").view);
    EXPECT_TRUE(operator_traits("aten.t.default").view);
    EXPECT_TRUE(operator_traits("aten.mm.default").compute);
    EXPECT_FALSE(operator_traits("aten.mm.default").view);
    EXPECT_TRUE(operator_traits("aten.add.Tensor").cheap);
    EXPECT_FALSE(operator_traits("aten.add.Tensor").compute);
    const OperatorTraits unknown = operator_traits("mylibrary.mykernel.default");
    EXPECT_FALSE(unknown.view || unknown.cheap || unknown.fusible || unknown.compute);
    EXPECT_FALSE(operator_traits("").view);
}

TEST(OperatorNames, AreThoseOfTheTables) {
    EXPECT_TRUE(is_known_operator("aten.mm.default"));
    EXPECT_TRUE(is_known_operator("_c10d_functional.all_gather_into_tensor.default"));  // has no traits
    EXPECT_TRUE(is_known_operator("higher_order.flex_attention"));
    EXPECT_FALSE(is_known_operator("aten.mm"));
    EXPECT_FALSE(is_known_operator("aten.nothing.default"));
    EXPECT_TRUE(begins_known_operator("aten.mm"));
    EXPECT_TRUE(begins_known_operator("aten"));
    EXPECT_FALSE(begins_known_operator("aten.m"));
    EXPECT_FALSE(begins_known_operator("aten.mm.default"));
}

TEST(CollectiveWords, AreAsTheyAreUsuallyWritten) {
    EXPECT_EQ(collective_words(CollectiveKind::all_gather), "all-gather");
    EXPECT_EQ(collective_words(CollectiveKind::point_to_point), "point-to-point");
}

}  // namespace
}  // namespace overlap
