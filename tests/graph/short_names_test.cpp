#include "core/graph/short_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace overlap {
namespace {

using Names = std::vector<std::string>;

TEST(ModuleRanges, NeighboursAreOneRange) {
    const auto ranges = [](const Names& paths) { return module_ranges(paths); };
    EXPECT_EQ(ranges({"layers.1", "layers.2", "layers.3", "norm"}), (Names{"layers.[1-3]", "norm"}));
    EXPECT_EQ(ranges({"layers.9.attention", "layers.10.attention"}), Names{"layers.[9-10].attention"});
    EXPECT_EQ(ranges({"layers.0.experts.1", "layers.0.experts.2", "layers.1.experts.2"}),
              (Names{"layers.0.experts.[1-2]", "layers.1.experts.2"}))
        << "another number";
    EXPECT_EQ(ranges({"layers.2", "layers.1"}), (Names{"layers.2", "layers.1"})) << "falling";
    EXPECT_EQ(ranges({"layers.1", "layers.3"}), (Names{"layers.1", "layers.3"})) << "a gap";
    EXPECT_EQ(ranges({"layers.1", "layers.2.norm"}), (Names{"layers.1", "layers.2.norm"})) << "another level";
    EXPECT_EQ(ranges({"layers.01", "layers.02"}), (Names{"layers.01", "layers.02"}))
        << "a range would be read as layers.1";
    EXPECT_EQ(ranges({"layers.a", "layers.b"}), (Names{"layers.a", "layers.b"}));
    EXPECT_EQ(ranges({}), Names{});
}

TEST(ShortNames, FewAreNamedAsTheyAre) {
    const auto names = [](const Names& paths) { return short_names(paths); };
    EXPECT_EQ(names({}), Names{});
    const Names three{"layers.0", "layers.1", "layers.2"};
    EXPECT_EQ(names(three), three);
    EXPECT_EQ(names({"layers.0", "layers.1", "layers.2", "norm"}), (Names{"layers.[0-2]", "norm"}));
}

}  // namespace
}  // namespace overlap
