#include "core/timeline/lane_rasterizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/timeline/interval_union.h"
#include "tests/timeline/random_lane.h"

namespace overlap {
namespace {

constexpr Pixel background = 0xff000000u;

LanePalette palette() {
    LanePalette result;
    result.background = background;
    for (std::size_t role = 0; role < event_role_count; ++role) {
        result.fill[role] = 0xff0000c0u + static_cast<Pixel>(role);
        result.stripe[role] = 0xffc00000u + static_cast<Pixel>(role);
    }
    return result;
}

struct Row {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    EventRole role;
    std::int64_t exposed_ns = 0;
};

std::shared_ptr<const Timeline> timeline_of(const std::vector<Row>& rows) {
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({});
    std::uint32_t reference = 0;
    for (const Row& row : rows)
        builder.add(lane, {{row.begin_ns, row.end_ns}, 0, row.role, reference++, row.exposed_ns});
    return builder.finish();
}

Scanline draw(const Timeline& timeline, TimeRange range, double width_px, RasterOptions options = {}) {
    Scanline scanline;
    rasterize_lane(timeline.lanes()[0], timeline.mip(0), {range, width_px}, palette(), options, scanline);
    return scanline;
}

/// One letter a pixel: '.' background, 'c' compute, 'x' exposed, '0'..'7' buckets, '~' a mixture.
std::string letters(const Scanline& scanline) {
    std::string text;
    for (const Pixel pixel : scanline.fill) {
        const Pixel role = pixel - 0xff0000c0u;
        if (pixel == background)
            text += '.';
        else if (role == static_cast<Pixel>(EventRole::compute))
            text += 'c';
        else if (role == static_cast<Pixel>(EventRole::exposed))
            text += 'x';
        else if (role >= 2 && role < 10)
            text += static_cast<char>('0' + role - 2);
        else
            text += '~';
    }
    return text;
}

TEST(LaneRasterizer, DrawsGoldenLines) {
    const auto timeline = timeline_of({{0, 400, EventRole::compute},
                                       {400, 500, EventRole::exposed},
                                       {600, 900, EventRole::bucket_0},
                                       {900, 1000, EventRole::bucket_1}});
    const RasterOptions no_gap{40, 0};
    EXPECT_EQ(letters(draw(*timeline, {0, 1000}, 10, no_gap)), "ccccx.0001");
    EXPECT_EQ(letters(draw(*timeline, {0, 1000}, 20, no_gap)), "ccccccccxx..00000011");
    EXPECT_EQ(letters(draw(*timeline, {350, 650}, 6, no_gap)), "cxx..0");
    EXPECT_EQ(letters(draw(*timeline, {-200, 200}, 4, no_gap)), "..cc");
    EXPECT_EQ(letters(draw(*timeline, {2000, 3000}, 4, no_gap)), "....");
}

TEST(LaneRasterizer, KeepsNeighboursApartWhereThereIsRoom) {
    const auto timeline = timeline_of({{0, 600, EventRole::compute}, {600, 1200, EventRole::compute}});
    EXPECT_EQ(letters(draw(*timeline, {0, 1200}, 12)), "ccccc.cccccc");
    EXPECT_EQ(letters(draw(*timeline, {0, 1200}, 4)), "cccc");
}

TEST(LaneRasterizer, HatchesStallsAndExposedTails) {
    const auto timeline = timeline_of({{0, 500, EventRole::exposed}, {500, 1000, EventRole::bucket_2, 200}});
    const Scanline scanline = draw(*timeline, {0, 1000}, 10, {40, 0});
    const std::vector<HatchRun> expected{{0, 5, palette().stripe_of(EventRole::exposed)},
                                         {8, 10, palette().stripe_of(EventRole::bucket_2)}};
    EXPECT_EQ(scanline.hatches, expected);
    EXPECT_EQ(letters(scanline), "xxxxx22222");
}

TEST(LaneRasterizer, NamesWideEventsOnly) {
    const auto timeline = timeline_of({{0, 500, EventRole::compute}, {500, 600, EventRole::compute}});
    const std::vector<LabelSlot> expected{{0, 0, 50, 50}};
    EXPECT_EQ(draw(*timeline, {0, 1000}, 100).labels, expected);
    const std::vector<LabelSlot> clipped{{0, 0, 60, 60}};
    EXPECT_EQ(draw(*timeline, {200, 500}, 60).labels, clipped);
}

TEST(LaneRasterizer, TellsWhereTextWouldStandOnStripes) {
    const auto timeline = timeline_of({{0, 1000, EventRole::bucket_0, 300}});
    const std::vector<LabelSlot> before{{0, 0, 100, 70}};
    EXPECT_EQ(draw(*timeline, {0, 1000}, 100).labels, before);
    const std::vector<LabelSlot> across{{0, 0, 50, 35}};
    EXPECT_EQ(draw(*timeline, {0, 1000}, 50).labels, across);
}

TEST(LaneRasterizer, ALongEventBesideNoiseSurvives) {
    // Noise of 1 ns every 2 ns on either side of an event that is 1.2 pixels long, at any position within a pixel.
    for (std::int64_t begin_ns = 40'000; begin_ns < 41'000; begin_ns += 90) {
        std::vector<Row> rows;
        for (std::int64_t time_ns = 0; time_ns < begin_ns; time_ns += 2) {
            rows.push_back({time_ns, time_ns + 1, EventRole::compute});
        }
        rows.push_back({begin_ns, begin_ns + 1200, EventRole::bucket_5});
        for (std::int64_t time_ns = begin_ns + 1200; time_ns < 100'000; time_ns += 2) {
            rows.push_back({time_ns, time_ns + 1, EventRole::compute});
        }
        const std::string line = letters(draw(*timeline_of(rows), {0, 100'000}, 100));
        EXPECT_NE(line.find('5'), std::string::npos) << begin_ns;
        EXPECT_EQ(std::count(line.begin(), line.end(), '.'), 0);
    }
}

TEST(LaneRasterizer, ASparsePixelIsFainterThanABusyOne) {
    const auto timeline = timeline_of({{0, 500, EventRole::compute}, {3000, 3900, EventRole::compute}});
    const Scanline scanline = draw(*timeline, {0, 4000}, 4);
    EXPECT_LT(scanline.fill[0] & 255u, scanline.fill[3] & 255u);
    EXPECT_GT(scanline.fill[0] & 255u, 0u);
    EXPECT_EQ(scanline.fill[1], background);
}

/// Exposed share of all that is drawn: stalls that have pixels of their own, and bands.
double exposed_area(const Scanline& scanline) {
    double area = 0;
    for (std::size_t x = 0; x < scanline.fill.size(); ++x) {
        const bool whole = scanline.fill[x] == palette().fill_of(EventRole::exposed);
        area += whole ? 1 : scanline.band_share.empty() ? 0 : scanline.band_share[x] / 255.0;
    }
    return area / static_cast<double>(scanline.fill.size());
}

TEST(LaneRasterizer, StallsKeepTheirAreaAtEveryZoom) {
    // A sixth of the time stands still, in stalls a fifth as long as the compute between them.
    std::vector<Row> rows;
    for (std::int64_t begin_ns = 0; begin_ns < 600'000; begin_ns += 600) {
        rows.push_back({begin_ns, begin_ns + 500, EventRole::compute});
        rows.push_back({begin_ns + 500, begin_ns + 600, EventRole::exposed});
    }
    const auto timeline = timeline_of(rows);
    for (const double width_px : {40.0, 333.0, 700.0, 1000.0, 1511.0, 1920.0, 3840.0, 6000.0})
        EXPECT_NEAR(exposed_area(draw(*timeline, {0, 600'000}, width_px)), 1.0 / 6, 0.02) << width_px;
    // Where everything else has a pixel of its own, too: each stall is 0.4 pixels long.
    const Scanline wide = draw(*timeline, {0, 600'000}, 2400);
    EXPECT_EQ(std::ranges::count(wide.fill, palette().fill_of(EventRole::exposed)), 0);
    EXPECT_NEAR(exposed_area(wide), 1.0 / 6, 0.02);
}

TEST(LaneRasterizer, AShortStallIsABandOverWhatRanBeforeIt) {
    const auto timeline = timeline_of({{0, 950, EventRole::bucket_3},
                                       {950, 1020, EventRole::exposed},
                                       {1020, 1050, EventRole::bucket_3},
                                       {1050, 2000, EventRole::bucket_3}});
    const Scanline scanline = draw(*timeline, {0, 2000}, 20, {40, 0});
    EXPECT_EQ(letters(scanline), "33333333333333333333");
    ASSERT_EQ(scanline.band_share.size(), 20u);
    EXPECT_NEAR(scanline.band_share[9], 255 / 2, 1);
    EXPECT_NEAR(scanline.band_share[10], 255 / 5, 1);
    EXPECT_EQ(scanline.band_share[8], 0);
    EXPECT_EQ(scanline.band_stripe[9], palette().stripe_of(EventRole::exposed));
}

TEST(LaneRasterizer, ShortCollectivesAreHatchedAsFarAsTheyAreExposed) {
    const auto timeline = timeline_of({{0, 40, EventRole::bucket_1, 10}, {50, 90, EventRole::bucket_1, 10}});
    const Scanline scanline = draw(*timeline, {0, 100}, 1);
    ASSERT_EQ(scanline.band_share.size(), 1u);
    EXPECT_NEAR(scanline.band_share[0], 255 / 4, 8);
    EXPECT_EQ(scanline.band[0], scanline.fill[0]);  // no colour but the group's own
    EXPECT_EQ(scanline.band_stripe[0], palette().stripe_of(EventRole::bucket_1));
}

TEST(LaneRasterizer, ShortCollectivesThatAreExposedAsAWholeHaveTheWholeBand) {
    const auto timeline = timeline_of({{0, 40, EventRole::bucket_1, 40}, {50, 90, EventRole::bucket_1, 40}});
    const Scanline scanline = draw(*timeline, {0, 100}, 1);
    ASSERT_EQ(scanline.band_share.size(), 1u);
    EXPECT_GE(scanline.band_share[0], 250);
}

TEST(LaneRasterizer, MeasuredCollectivesAreHatchedWhereNothingComputes) {
    TimelineBuilder builder;
    LaneDescription description;
    description.computing = std::make_shared<const IntervalUnion>(std::vector<TimeRange>{{-50, 200}, {400, 600}});
    builder.add(builder.add_lane(description), {{0, 1000}, 0, EventRole::unbucketed, 0, 600});
    const Pixel stripe = palette().stripe_of(EventRole::exposed);
    EXPECT_EQ(draw(*builder.finish(), {0, 1000}, 100, {40, 0}).hatches,
              (std::vector<HatchRun>{{20, 40, stripe}, {60, 100, stripe}}));
}

TEST(LaneRasterizer, NeverLosesAnEventOfAPixelOnRandomLanes) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const auto timeline = test::random_lane(seed, 3000);
        const Lane& lane = timeline->lanes()[0];
        for (const double width_px : {37.0, 400.0, 1920.0}) {
            const TimeAxis axis{timeline->range(), width_px};
            RasterOptions options;
            options.min_label_px = 1;  // a label for each event that was drawn for itself
            const Scanline scanline = draw(*timeline, timeline->range(), width_px, options);
            std::set<std::uint32_t> drawn;
            for (const LabelSlot& slot : scanline.labels) drawn.insert(slot.event);
            for (std::uint32_t event = 0; event < lane.size(); ++event) {
                const double event_px = axis.x_of(lane.end_ns[event]) - axis.x_of(lane.start_ns[event]);
                if (event_px >= 1.001) {
                    EXPECT_TRUE(drawn.contains(event)) << seed << ' ' << event << ' ' << event_px;
                }
                const auto middle =
                    static_cast<std::size_t>((axis.x_of(lane.start_ns[event]) + axis.x_of(lane.end_ns[event])) / 2);
                if (event_px < 0.999 && middle > 0 && middle + 1 < scanline.fill.size()) {
                    EXPECT_TRUE(scanline.fill[middle] != background || scanline.fill[middle - 1] != background ||
                                scanline.fill[middle + 1] != background);
                }
            }
        }
    }
}

TEST(LaneRasterizer, SurvivesAnyRange) {
    const auto timeline = test::random_lane(3, 200);
    for (const double width_px : {0.0, 1.0, 2.5, 800.0}) {
        for (const std::int64_t begin_ns : {-1'000'000'000'000l, 0l, 1'000l, 50'000l, 1'000'000'000'000l}) {
            for (const std::int64_t length_ns : {1ll, 3ll, 1'000ll, 1'000'000'000'000'000ll}) {
                const Scanline scanline = draw(*timeline, {begin_ns, begin_ns + length_ns}, width_px);
                EXPECT_EQ(scanline.fill.size(), static_cast<std::size_t>(width_px));
                for (const LabelSlot& slot : scanline.labels) EXPECT_LE(slot.end_px, width_px);
            }
        }
    }
}

TEST(PaintScanline, DrawsLeaningStripesInHatchesOnly) {
    Scanline scanline;
    scanline.fill.assign(10, 1);
    scanline.hatches = {{2, 10, 2}};
    std::vector<Pixel> pixels(2 * 10, 0);
    paint_scanline(scanline, pixels.data(), 10, 2, {4, 0});
    EXPECT_EQ(pixels, (std::vector<Pixel>{1, 1, 1, 1, 2, 1, 1, 1, 2, 1,  //
                                          1, 1, 1, 2, 1, 1, 1, 2, 1, 1}));
    paint_scanline(scanline, pixels.data(), 10, 1, {4, -1});
    EXPECT_EQ(pixels[5], 2u);
    scanline.hatches = {{0, 4, 2}};
    paint_scanline(scanline, pixels.data(), 10, 1, {4, 0});
    EXPECT_EQ(pixels[0], 2u);
    EXPECT_EQ(pixels[4], 1u) << "behind the hatched part";
}

TEST(PaintScanline, BandsRiseFromTheLowerEdgeByTheirShare) {
    Scanline scanline;
    scanline.clear(4, 0xff000000u);
    scanline.set_band(0, 51, 0xff0000ffu, 0xff0000ffu);   // one row of five
    scanline.set_band(1, 255, 0xff0000ffu, 0xff0000ffu);  // all of them
    scanline.set_band(2, 1, 0xff0000ffu, 0xff0000ffu);    // less than a row: faint, but there
    std::vector<Pixel> pixels(5 * 4, 0);
    paint_scanline(scanline, pixels.data(), 4, 5, {});
    EXPECT_EQ(pixels[4 * 4], 0xff0000ffu);
    EXPECT_EQ(pixels[3 * 4], 0xff000000u);
    for (std::size_t row = 0; row < 5; ++row) EXPECT_EQ(pixels[row * 4 + 1], 0xff0000ffu) << row;
    EXPECT_GT(pixels[4 * 4 + 2] & 255u, 50u);
    EXPECT_EQ(pixels[3 * 4 + 2], 0xff000000u);
    EXPECT_EQ(pixels[4 * 4 + 3], 0xff000000u);

    std::vector<Pixel> over(5 * 4, 7);
    paint_scanline_over(scanline, 0xff000000u, over.data(), 4, 5, {});
    EXPECT_EQ(over[4 * 4], 0xff0000ffu);
    EXPECT_EQ(over[3 * 4], 7u);
}

TEST(PaintScanline, HatchesABandBelowItsEdgeOnly) {
    Scanline scanline;
    scanline.clear(8, 1);
    for (std::size_t x = 0; x < 8; ++x) scanline.set_band(x, 128, 1, 2);
    std::vector<Pixel> pixels(4 * 8, 0);
    paint_scanline(scanline, pixels.data(), 8, 4, {4, 0});
    EXPECT_EQ(std::count(pixels.begin(), pixels.begin() + 16, 2u), 0);
    EXPECT_EQ(std::count(pixels.begin() + 16, pixels.end(), 2u), 4);
}

TEST(PaintScanline, OverLeavesWhatIsUnderTheBackground) {
    Scanline scanline;
    scanline.fill = {7, 1, 7};
    std::vector<Pixel> pixels{5, 5, 5};
    paint_scanline_over(scanline, 7, pixels.data(), 3, 1, {});
    EXPECT_EQ(pixels, (std::vector<Pixel>{5, 1, 5}));
}

TEST(Lane, SubsetKeepsTheChosenEvents) {
    const auto timeline = test::random_lane(2, 50);
    const Lane& lane = timeline->lanes()[0];
    const std::vector<std::uint32_t> chosen{3, 17, 49};
    const Lane subset = lane.subset(chosen);
    ASSERT_EQ(subset.size(), 3u);
    for (std::uint32_t index = 0; index < 3; ++index) {
        EXPECT_EQ(subset.event(index), lane.event(chosen[index]));
        EXPECT_EQ(subset.reference[index], lane.reference[chosen[index]]);
        EXPECT_EQ(subset.role[index], lane.role[chosen[index]]);
    }
}

TEST(EventAt, FindsTheEventUnderThePointerOrNearIt) {
    const auto timeline = timeline_of({{0, 300, EventRole::compute},
                                       {500, 502, EventRole::compute},
                                       {503, 508, EventRole::compute},
                                       {900, 1000, EventRole::compute}});
    const Lane& lane = timeline->lanes()[0];
    const TimeAxis axis{{0, 1000}, 100};
    const auto at = [&](double x_px) { return event_at(lane, timeline->mip(0), axis, x_px); };
    EXPECT_EQ(at(10), 0u);
    EXPECT_EQ(at(31), 0u);        // one pixel beside it
    EXPECT_EQ(at(40), no_event);  // far from all
    EXPECT_EQ(at(48.5), 1u);      // the nearest, not the longest
    EXPECT_EQ(at(50.5), 2u);      // the longer of the two in this pixel, as it is drawn
    EXPECT_EQ(at(88.5), 3u);
    EXPECT_EQ(at(99.9), 3u);
    EXPECT_EQ(at(500), no_event);
}

TEST(EventAt, IsTheOneUnderThePointerWhereThatIsAPixelWide) {
    const auto timeline = timeline_of({{0, 13, EventRole::compute}, {13, 20, EventRole::compute}});
    const TimeAxis axis{{0, 100}, 10};
    EXPECT_EQ(event_at(timeline->lanes()[0], timeline->mip(0), axis, 1.2), 0u) << "although less of the pixel is its";
    EXPECT_EQ(event_at(timeline->lanes()[0], timeline->mip(0), axis, 1.4), 1u);
}

TEST(Mixed, IsExactAtItsEnds) {
    EXPECT_EQ(mixed(0xff102030u, 0xffa0b0c0u, 0), 0xff102030u);
    EXPECT_EQ(mixed(0xff102030u, 0xffa0b0c0u, 255), 0xffa0b0c0u);
}

}  // namespace
}  // namespace overlap
