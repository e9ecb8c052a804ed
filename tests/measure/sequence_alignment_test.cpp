#include "core/measure/sequence_alignment.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/base/error.h"

namespace overlap {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

SequenceItem gather(std::int64_t bytes, double place = 0) {
    return {CollectiveKind::all_gather, bytes, place};
}

TEST(SequenceAlignment, LeavesOutWhatOnlyOneSideHas) {
    const std::vector<SequenceItem> a = {gather(10), gather(20), gather(30), gather(40)};
    const std::vector<SequenceItem> b = {gather(10), gather(30), gather(35), gather(40)};
    EXPECT_EQ(align_sequences(a, b).pairs, (Pairs{{0, 0}, {2, 1}, {3, 3}}));
    EXPECT_TRUE(align_sequences(a, {}).pairs.empty());
}

TEST(SequenceAlignment, AmongEqualOnesThePlaceDecides) {
    const std::vector<SequenceItem> a = {gather(8, 0.1), gather(8, 0.3), gather(8, 0.5), gather(8, 0.7)};
    const std::vector<SequenceItem> b = {gather(8, 0.12), gather(8, 0.52), gather(8, 0.69)};
    EXPECT_EQ(align_sequences(a, b).pairs, (Pairs{{0, 0}, {2, 1}, {3, 2}}));
}

TEST(SequenceAlignment, UnknownSizesFitAnyButKnownOnesFitBetter) {
    EXPECT_EQ(fit_of(gather(8), gather(0)), 2);
    EXPECT_EQ(fit_of(gather(8), {CollectiveKind::none, 8, 0}), 2);
    EXPECT_EQ(fit_of(gather(8), {CollectiveKind::all_reduce, 8, 0}), 0);
    EXPECT_EQ(fit_of({CollectiveKind::all_to_all, 8, 0}, {CollectiveKind::all_to_all, 9, 0}), 2);
    const std::vector<SequenceItem> a = {gather(10), gather(20)};
    const std::vector<SequenceItem> b = {gather(0), gather(10), gather(20)};
    EXPECT_EQ(align_sequences(a, b).pairs, (Pairs{{0, 1}, {1, 2}}));
}

/// The best sum of fits by trying everything.
double best_by_trying(const std::vector<SequenceItem>& a, const std::vector<SequenceItem>& b) {
    const std::function<double(std::size_t, std::size_t)> best = [&](std::size_t i, std::size_t j) -> double {
        if (i == a.size() || j == b.size()) return 0;
        double found = std::max(best(i + 1, j), best(i, j + 1));
        const int fit = fit_of(a[i], b[j]);
        if (fit > 0) found = std::max(found, best(i + 1, j + 1) + 1e6 * fit - std::abs(a[i].place - b[j].place));
        return found;
    };
    return best(0, 0);
}

TEST(SequenceAlignment, IsTheBestOfAll) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<SequenceItem> sides[2];
        for (std::vector<SequenceItem>& side : sides) {
            for (std::size_t count = random() % 8; count > 0; --count) {
                SequenceItem& item = side.emplace_back(gather(random() % 4, (random() % 100) / 100.0));
                if (random() % 4 == 0) item.kind = CollectiveKind::reduce_scatter;
                if (random() % 8 == 0) item.kind = CollectiveKind::none;
            }
        }
        const SequenceAlignment alignment = align_sequences(sides[0], sides[1]);
        EXPECT_DOUBLE_EQ(alignment.worth, best_by_trying(sides[0], sides[1]));
        for (std::size_t index = 1; index < alignment.pairs.size(); ++index) {
            EXPECT_LT(alignment.pairs[index - 1].first, alignment.pairs[index].first);
            EXPECT_LT(alignment.pairs[index - 1].second, alignment.pairs[index].second);
        }
    }
}

TEST(SequenceAlignment, RefusesWhatNoTableHolds) {
    const std::vector<SequenceItem> many(40'000, gather(8));
    EXPECT_THROW(align_sequences(many, many), InputError);
}

}  // namespace
}  // namespace overlap
