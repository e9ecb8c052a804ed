#include "core/base/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace overlap {
namespace {

TEST(EditDistance, CountsEdits) {
    EXPECT_EQ(edit_distance("", ""), 0u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("bucket_mode", "bucket_mod"), 1u);
    EXPECT_EQ(edit_distance("norm", "nrom"), 1u);  // neighbours exchanged
    EXPECT_EQ(edit_distance("ab", "xa"), 2u);      // one of the two alone is no exchange
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3u);
    EXPECT_EQ(edit_distance("a", "abcdefgh", 3), 4u);
    EXPECT_EQ(edit_distance("abcdefgh", "zyxwvuts", 2), 3u);
}

TEST(NearestNames, FindsWhatWasMeant) {
    const std::vector<std::string> names = {"insert_overlap_deps", "bucket_mode", "module_stack_fn"};
    EXPECT_EQ(nearest_names("bucket_mod", names, 1), std::vector<std::string>{"bucket_mode"});
    EXPECT_EQ(nearest_names("Bucket_Mode", names, 1), std::vector<std::string>{"bucket_mode"});
    EXPECT_EQ(nearest_names("BUCKET_MODE", names, 1), std::vector<std::string>{"bucket_mode"});
    EXPECT_TRUE(nearest_names("xy", names).empty());
    EXPECT_EQ(suggest_names("bucket_mod", names), "; nearest: \"bucket_mode\"");
    EXPECT_EQ(suggest_names("xy", std::vector<std::string>{"a", "b"}), "; there are: \"a\", \"b\"");
}

TEST(NearestNames, AreWithinAThirdOfTheLength) {
    const std::vector<std::string> three_edits = {"abcdefxyz"}, four_edits = {"abcdewxyz"};
    EXPECT_EQ(nearest_names("abcdefghi", three_edits), three_edits);
    EXPECT_TRUE(nearest_names("abcdefghi", four_edits).empty());
}

}  // namespace
}  // namespace overlap
