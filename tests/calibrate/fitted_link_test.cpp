#include "core/calibrate/fitted_link.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/cost/cost_model.h"

namespace overlap {
namespace {

/// An all-reduce takes twice what a gather of as many bytes takes; small gathers have a way of their own.
CostParameters::Link known_link() {
    CostParameters::Link link{"0", 0.02, 3e11};
    link.kinds[CollectiveKind::all_gather] = {{0.02, 3e11}, {0.005, 1e11}};
    link.kinds[CollectiveKind::all_reduce] = {{0.03, 1.5e11}};
    return link;
}

/// What collectives take where everything is a third slower, and 10 us later.
double true_ms(CollectiveKind kind, std::int64_t bytes) {
    return 0.01 + 1.3 * collective_time_ms(known_link(), kind, bytes);
}

std::vector<FittedSample> samples(bool of_all_kinds) {
    std::vector<FittedSample> samples;
    for (std::int64_t bytes = 1 << 16; bytes <= 1 << 28; bytes *= 2) {
        for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_reduce}) {
            if (kind == CollectiveKind::all_reduce && !of_all_kinds) continue;
            samples.push_back({static_cast<double>(bytes), true_ms(kind, bytes), 0.0, 0,
                               collective_time_ms(known_link(), kind, bytes)});
        }
    }
    return samples;
}

TEST(FittedLink, KindsOfCollectivesKeepWaysOfTheirOwn) {
    const FittedLink found = fit_link(samples(true), known_link());
    ASSERT_TRUE(found.fit);
    ASSERT_EQ(found.link.kinds.size(), 2u);
    const CostParameters::Link link{"0", found.link.latency_ms, found.link.bytes_per_s, found.link.kinds};
    for (const std::int64_t bytes : {std::int64_t{1} << 14, std::int64_t{3} << 20, std::int64_t{1} << 30}) {
        for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_reduce}) {
            const double expected_ms = true_ms(kind, bytes);
            EXPECT_NEAR(collective_time_ms(link, kind, bytes), expected_ms, 1e-4 * expected_ms) << bytes;
        }
    }
    ASSERT_TRUE(found.held_out);
    EXPECT_LT(*found.held_out, 1e-3);
}

TEST(FittedLink, TheSmallestAloneSayNothingOfBandwidth) {
    // A plan that hides every large exchange: only those that count tokens run alone.
    CostParameters::Link plain = known_link();
    plain.kinds.clear();
    std::vector<FittedSample> exchanges;
    for (int index = 0; index < 60; ++index) {
        const bool counts = index % 5 == 0;
        const double bytes = counts ? 256 : 2e8;
        const double time_ms = 0.1 + bytes / 1e11 * 1e3;
        exchanges.push_back({bytes, time_ms, counts ? 0.0 : time_ms, 0, time_ms});
    }
    const FittedLink found = fit_link(exchanges, plain);
    ASSERT_TRUE(found.fit);
    EXPECT_TRUE(found.fit->few_alone);
    EXPECT_NEAR(found.link.bytes_per_s, 1e11, 1e9);
    EXPECT_NEAR(found.link.latency_ms, 0.1, 0.001);
}

TEST(FittedLink, ALinkWithoutKindsHasOneLine) {
    CostParameters::Link plain = known_link();
    plain.kinds.clear();
    const FittedLink found = fit_link(samples(true), plain);
    ASSERT_TRUE(found.fit);
    EXPECT_TRUE(found.link.kinds.empty());
    // One line cannot be right for both kinds, and what is held out of it shows that.
    ASSERT_TRUE(found.held_out);
    EXPECT_GT(*found.held_out, 0.05);
}

TEST(FittedLink, WhatKindsKnewIsLeftWhereALineOverBytesIsBetter) {
    // Times that have nothing to do with what was known.
    std::vector<FittedSample> unlike = samples(false);
    for (FittedSample& sample : unlike) {
        sample.time_ms = 0.1 + sample.work / 1e8;
        sample.known_ms = 1 + std::fmod(sample.work / 7, 13.0);
    }
    const FittedLink found = fit_link(unlike, known_link());
    ASSERT_TRUE(found.fit);
    EXPECT_TRUE(found.link.kinds.empty());
    EXPECT_NEAR(found.link.bytes_per_s, 1e11, 1e9);
}

TEST(FittedLink, WhatKindsKnewIsLeftWhereItIsNoBetter) {
    CostParameters::Link known = known_link();
    known.latency_ms = 0;
    const std::vector<FittedSample> alike(5, FittedSample{1024, 2, 0.0, 0, 1});
    const FittedLink found = fit_link(alike, known);
    ASSERT_TRUE(found.fit);
    EXPECT_TRUE(found.link.kinds.empty());
    EXPECT_DOUBLE_EQ(found.link.bytes_per_s, 1024 / 2 * 1e3);
}

TEST(FittedLink, WhatKindsKnewIsLeftWhereItWasNotKnownOfAll) {
    // What was known of the others would fit exactly, and bytes do not.
    std::vector<FittedSample> known = samples(true);
    EXPECT_FALSE(fit_link(known, known_link()).link.kinds.empty());
    known[0].known_ms = 0;
    known[0].time_ms = 0.01;
    EXPECT_TRUE(fit_link(known, known_link()).link.kinds.empty());
}

TEST(Misfit, IsTheMeanOverWhatTheLineWasFittedTo) {
    const FittedSample close{1, 2, 0.0, 0, 0}, far{1, 4, 0.0, 0, 0}, beside{1, 8, 8.0, 0, 0};
    SamplesFit fit;
    fit.line.slope = 1;
    EXPECT_DOUBLE_EQ(misfit({close, far, beside}, fit), (0.5 + 0.75) / 2);
    fit.few_alone = true;
    EXPECT_DOUBLE_EQ(misfit({close, far, beside}, fit), (0.5 + 0.75 + 0.875) / 3);
    EXPECT_EQ(misfit({}, fit), 0);
}

TEST(HeldOutError, TellsHowFarAFitCarries) {
    std::vector<FittedSample> straight, bent;
    for (int index = 1; index <= 50; ++index) {
        straight.push_back({double(index), 0.1 + 0.5 * index, 0.0, 0, 0});
        bent.push_back({double(index), 0.01 * index * index, 0.0, 0, 0});
    }
    EXPECT_NEAR(*held_out_error(straight, 0, HeldOut::by_work), 0, 1e-6);
    EXPECT_GT(*held_out_error(bent, 0, HeldOut::by_work), 0.2);
    EXPECT_FALSE(held_out_error({straight.begin(), straight.begin() + 4}, 0, HeldOut::by_work));
}

}  // namespace
}  // namespace overlap
