#include "core/timeline/time_axis.h"

#include <gtest/gtest.h>

#include "core/timeline/lane_stack.h"

namespace overlap {
namespace {

TEST(TimeAxis, MapsBothWays) {
    struct Case {
        TimeAxis axis;
        std::int64_t time_ns;
        double x_px;
    };
    const std::int64_t day_ns = 86'400'000'000'000;
    for (const Case& c :
         {Case{{{0, 1000}, 100}, 0, 0.0}, Case{{{0, 1000}, 100}, 500, 50.0}, Case{{{0, 1000}, 100}, 2000, 200.0},
          Case{{{500, 1500}, 10}, 0, -5.0}, Case{{{day_ns, day_ns + 100}, 1000}, day_ns + 1, 10.0}}) {
        EXPECT_DOUBLE_EQ(c.axis.x_of(c.time_ns), c.x_px);
        EXPECT_EQ(c.axis.time_at(c.x_px), c.time_ns);
    }
}

TEST(TimeAxis, ZoomKeepsTheTimeUnderThePointer) {
    const TimeRange limits{0, 1'000'000};
    struct Case {
        TimeRange range;
        double factor;
        double pivot;
        TimeRange expected;
    };
    for (const Case& c :
         {Case{{0, 1'000'000}, 0.5, 0.5, {250'000, 750'000}}, Case{{0, 1'000'000}, 0.5, 0.0, {0, 500'000}},
          Case{{0, 1'000'000}, 0.5, 1.0, {500'000, 1'000'000}}, Case{{400'000, 600'000}, 2.0, 0.25, {350'000, 750'000}},
          Case{{0, 200'000}, 2.0, 0.5, {0, 400'000}},      // pushed back into the limits
          Case{{0, 200'000}, 100.0, 0.5, {0, 1'000'000}},  // no farther than all
          Case{{500, 700}, 0.001, 0.5, {550, 650}}}) {     // no nearer than 100 ns
        EXPECT_EQ(zoomed(c.range, c.factor, c.pivot, limits), c.expected);
    }
}

TEST(TimeAxis, PanStopsAtTheLimits) {
    const TimeRange limits{0, 1000};
    EXPECT_EQ(panned({200, 400}, 0.5, limits), (TimeRange{300, 500}));
    EXPECT_EQ(panned({200, 400}, -5.0, limits), (TimeRange{0, 200}));
    EXPECT_EQ(panned({200, 400}, 50.0, limits), (TimeRange{800, 1000}));
}

TEST(TimeAxis, ClampKeepsWhatItCan) {
    EXPECT_EQ(clamped({-100, 300}, {0, 1000}), (TimeRange{0, 400}));
    EXPECT_EQ(clamped({900, 1300}, {0, 1000}), (TimeRange{600, 1000}));
    EXPECT_EQ(clamped({-500, 5000}, {0, 1000}), (TimeRange{0, 1000}));
    EXPECT_EQ(clamped({10, 10}, {0, 1000}), (TimeRange{10, 110}));
    EXPECT_EQ(clamped({0, 1}, {0, 1}), (TimeRange{0, 100}));  // a timeline shorter than the shortest view
}

TEST(Ticks, StepIsOneTwoOrFive) {
    struct Case {
        std::int64_t length_ns;
        double width_px;
        double spacing_px;
        std::int64_t step_ns;
    };
    for (const Case& c :
         {Case{1000, 1000, 80, 100}, Case{1000, 1000, 110, 200}, Case{1000, 1000, 201, 500},
          Case{1'671'500'000, 720, 70, 200'000'000}, Case{100, 1000, 80, 10}, Case{100, 10'000, 50, 1}}) {
        EXPECT_EQ(tick_step_ns({{0, c.length_ns}, c.width_px}, c.spacing_px), c.step_ns);
    }
}

TEST(Ticks, LieOnMultiplesOfTheStep) {
    const std::vector<Tick> marks = ticks({{150, 450}, 300}, 100);
    ASSERT_EQ(marks.size(), 3u);
    EXPECT_EQ(marks[0].time_ns, 200);
    EXPECT_DOUBLE_EQ(marks[0].x_px, 50.0);
    EXPECT_EQ(marks[2].time_ns, 400);
    EXPECT_EQ(ticks({{-150, 150}, 300}, 100).front().time_ns, -100);
}

TEST(Ticks, LabelsCarryUnitsAndTheDecimalsOfTheStep) {
    struct Case {
        std::int64_t time_ns;
        std::int64_t step_ns;
        std::int64_t largest_ns;
        const char* label;
    };
    for (const Case& c :
         {Case{250'000'000, 20'000'000, 430'000'000, "250 ms"}, Case{250'250'000, 50'000, 251'000'000, "250.25 ms"},
          Case{250'000'000, 50'000, 251'000'000, "250.00 ms"}, Case{1'671'500'000, 500'000, 1'680'000'000, "1671.5 ms"},
          Case{0, 100, 900, "0 ms"}, Case{300, 100, 900, "300 ns"}, Case{12'300, 100, 13'000, "12.3 µs"},
          Case{12'000'000'000, 1'000'000'000, 60'000'000'000, "12 s"},
          Case{-1'500'000, 500'000, 4'000'000, "\u22121.5 ms"}}) {
        EXPECT_EQ(tick_label(c.time_ns, c.step_ns, c.largest_ns), c.label);
    }
}

TEST(LaneStack, FindsRowsByPosition) {
    const std::vector<std::int32_t> heights{30, 20, 10};
    const LaneStack stack(heights);
    EXPECT_EQ(stack.size(), 3u);
    EXPECT_EQ(stack.total_px(), 60);
    EXPECT_EQ(stack.row_at(-1), -1);
    EXPECT_EQ(stack.row_at(0), 0);
    EXPECT_EQ(stack.row_at(29), 0);
    EXPECT_EQ(stack.row_at(30), 1);
    EXPECT_EQ(stack.row_at(59), 2);
    EXPECT_EQ(stack.row_at(60), -1);
    EXPECT_EQ(LaneStack().row_at(0), -1);
}

}  // namespace
}  // namespace overlap
