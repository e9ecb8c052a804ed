#include "core/exports/page_pictures.h"

#include <gtest/gtest.h>

#include "core/timeline/timeline_builder.h"

namespace overlap {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

/// Compute for 10 ms, a stall of 10 ms, then many short events that touch one another.
std::shared_ptr<const Timeline> timeline() {
    TimelineBuilder builder;
    const std::uint32_t compute = builder.add_lane({"Compute </svg>", "", LaneKind::compute, EventRole::compute});
    builder.add(compute, {{0, 10'000'000}, builder.intern("mm"), EventRole::compute, 0, 0});
    builder.add(compute, {{10'000'000, 20'000'000}, builder.intern("wait"), EventRole::exposed, 1, 0});
    for (std::int64_t event = 0; event < 1000; ++event) {
        const std::int64_t begin = 20'000'000 + event * 10'000;
        builder.add(compute, {{begin, begin + 10'000}, builder.intern("add"), EventRole::bucket_1, 2, 0});
    }
    builder.set_memory({{0, 10'000'000, 20'000'000}, {100, 300, 200}});
    return builder.finish();
}

TEST(TimelinePicture, DrawsARoleAsOnePath) {
    const std::string svg = timeline_picture(*timeline(), {0, 60'000'000}, "before & after");
    EXPECT_EQ(count(svg, "class=\"r1\""), 1u);
    EXPECT_EQ(count(svg, "class=\"r3\""), 1u);
    EXPECT_EQ(count(svg, "class=\"stall\""), 1u);
    EXPECT_NE(svg.find("<title>before &amp; after</title>"), std::string::npos);
    EXPECT_NE(svg.find("Compute &lt;/svg&gt;"), std::string::npos);
    EXPECT_EQ(count(svg, "</svg>"), 1u);
}

TEST(TimelinePicture, EventsThatTouchAreOneBar) {
    const std::string svg = timeline_picture(*timeline(), {0, 60'000'000}, "");
    const std::size_t path = svg.find("class=\"r3\"");
    const std::string bars = svg.substr(path, svg.find("/>", path) - path);
    EXPECT_EQ(count(bars, "M"), 1u) << bars;
}

TEST(TimelinePicture, MemoryEndsWithItsStep) {
    const std::shared_ptr<const Timeline> drawn = timeline();
    const std::string svg = memory_picture(*drawn, drawn.get(), {0, 60'000'000}, "");
    EXPECT_EQ(count(svg, "class=\"held-area\""), 1u);
    // Half of the plot is behind the end of the step, which lasts 30 of 60 ms: 170 to the left of the plot, 1000 wide.
    EXPECT_NE(svg.find("H670"), std::string::npos);
    EXPECT_EQ(svg.find("H1169"), std::string::npos);
    EXPECT_NE(svg.find("300 B"), std::string::npos);
}

TEST(TimelinePicture, AloneBringsItsStyle) {
    const std::shared_ptr<const Timeline> drawn = timeline();
    const std::string alone = timeline_picture(*drawn, drawn->range(), "a", PictureHome::alone);
    const std::string in_page = timeline_picture(*drawn, drawn->range(), "a");
    EXPECT_TRUE(alone.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_EQ(count(alone, "<style>"), 1u);
    EXPECT_EQ(count(alone, "id=\"hatching\""), 1u);
    EXPECT_EQ(count(in_page, "<style>") + count(in_page, "id=\"hatching\""), 0u);
    // What is drawn is the same.
    EXPECT_EQ(alone.substr(alone.find("<title>")), in_page.substr(in_page.find("<title>")));
}

TEST(TimelinePicture, MemoryOfOneStepHasNoOtherBehindIt) {
    EXPECT_EQ(count(memory_picture(*timeline(), nullptr, {0, 60'000'000}, ""), "held-before"), 0u);
}

TEST(TimelinePicture, WhatOverlapsHasARowOfItsOwn) {
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({"Gathers", "", LaneKind::process_group, EventRole::bucket_1});
    for (const std::int64_t begin : {0, 5'000'000, 20'000'000})
        builder.add(lane, {{begin, begin + 10'000'000}, builder.intern("gather"), EventRole::bucket_1, 0, 0});
    const std::string svg = timeline_picture(*builder.finish(), {0, 30'000'000}, "", PictureHome::alone);
    EXPECT_NE(svg.find("width=\"1196\" height=\"94\" viewBox=\"-8 -8 1196 94\""), std::string::npos) << svg;
    EXPECT_EQ(svg.substr(svg.find("<text class=\"lane\"")),
              "<text class=\"lane\" x=\"0\" y=\"37\">Gathers</text>\n"
              "<path class=\"r3\" d=\"M170 22H503.33v22H170zM836.67 22H1170v22H836.67z\"/>\n"
              "<text class=\"lane\" x=\"0\" y=\"65\">Gathers (2)</text>\n"
              "<path class=\"r3\" d=\"M336.67 50H670v22H336.67z\"/>\n"
              "<path class=\"end\" d=\"M1170 18V78\"/>\n</svg>\n");
    EXPECT_NE(svg.find("<text class=\"tick\" x=\"1003.33\" y=\"14\">25 ms"), std::string::npos);
    EXPECT_NE(svg.find("<text class=\"tick last\" x=\"1170\" y=\"14\">30 ms"), std::string::npos);
}

}  // namespace
}  // namespace overlap
