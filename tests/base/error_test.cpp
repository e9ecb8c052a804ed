#include "core/base/error.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

TEST(InputError, IsOneSentenceOfTheKnownParts) {
    EXPECT_STREQ(InputError("", "it is empty").what(), "it is empty");
    EXPECT_STREQ(InputError("nodes[3]", "it is empty").what(), "nodes[3]: it is empty");
    EXPECT_STREQ(InputError("a.json", "nodes[3]", "it is empty").what(), "a.json: nodes[3]: it is empty");
    EXPECT_STREQ(InputError("nodes[3]", "it is empty").in_file("b.json").what(), "b.json: nodes[3]: it is empty");
}

TEST(InputError, KeepsItsCode) {
    EXPECT_EQ(InputError("", "it is empty").code(), ErrorCode::general);
    const InputError timeless("node \"mm\"", "it has no time", ErrorCode::no_cost_model);
    EXPECT_EQ(timeless.code(), ErrorCode::no_cost_model);
    EXPECT_EQ(timeless.in_file("a.json").code(), ErrorCode::no_cost_model);
    const PassRefusal refusal("a_pass", timeless.place(), timeless.problem(), timeless.code());
    EXPECT_EQ(refusal.code(), ErrorCode::no_cost_model);
    EXPECT_EQ(refusal.pass(), "a_pass");
    EXPECT_STREQ(refusal.what(), "a_pass: node \"mm\": it has no time");
}

}  // namespace
}  // namespace overlap
