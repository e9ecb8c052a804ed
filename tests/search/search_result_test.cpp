// What a search tells: the front of step against peak memory, and its report.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/bound/lower_bound.h"
#include "core/search/search_front.h"
#include "core/search/search_report.h"
#include "tests/advice/layers_sketch.h"

namespace overlap::test {
namespace {

using Texts = std::vector<std::string>;

/// Plans of a step and a peak.
std::vector<Candidate> candidates(const std::vector<std::pair<double, std::int64_t>>& figures) {
    std::vector<Candidate> all;
    for (const auto& [step_ms, bytes] : figures) {
        Candidate& candidate = all.emplace_back();
        candidate.step_ms = step_ms;
        candidate.corrected_peak_bytes = bytes;
        candidate.origin = "at " + std::to_string(bytes);
    }
    return all;
}

/// `limit: step at peak` of each point, the knee with a mark, and with its origin where that is not the peak.
/// @param recommended the first of all where none is given.
Texts front(const std::vector<std::pair<double, std::int64_t>>& figures, std::optional<std::int64_t> asked = {},
            std::optional<std::pair<double, std::int64_t>> recommended = {}) {
    LayersSketch sketch;
    const auto graph = sketch.drawn({sketch.layer("layers.0", "0", sketch.parameter("x"), 1, 1)});
    const BoundUnderLimits bounds(step_work(graph));
    Candidate best = candidates({recommended.value_or(figures.front())}).front();
    if (recommended) best.origin = "recommended";
    Texts texts;
    const std::vector<Candidate> usable = candidates(figures);
    for (const FrontPoint& point : front_of(usable, best, bounds, asked)) {
        const bool is_other = point.origin == "at " + std::to_string(point.peak_bytes);
        texts.push_back(std::to_string(point.limit_bytes) + ": " + std::to_string(static_cast<int>(point.step_ms)) +
                        " at " + std::to_string(point.peak_bytes) + (point.knee ? " knee" : "") +
                        (is_other ? "" : ", " + point.origin));
        EXPECT_EQ(point.bound_ms, bounds.at(point.limit_bytes).step_ms);
    }
    return texts;
}

TEST(SearchFront, HasTheShortestStepAtEachLimit) {
    EXPECT_EQ(front({{10, 1900}}), Texts{"1900: 10 at 1900"});
    // Of what is as short the smaller, and nothing beyond the shortest.
    EXPECT_EQ(front({{10, 1900}, {10, 1000}, {12, 900}, {11, 5000}}), (Texts{"900: 12 at 900", "1000: 10 at 1000"}));
    EXPECT_EQ(front({{20, 1000}, {10, 1900}, {11, 1200}, {19, 1100}}),
              (Texts{"1000: 20 at 1000", "1100: 19 at 1100", "1200: 11 at 1200 knee", "1900: 10 at 1900"}));
    // At limits between, unless one is asked for.
    EXPECT_EQ(front({{20, 1000}, {10, 1900}, {11, 1250}}),
              (Texts{"1000: 20 at 1000", "1300: 11 at 1250 knee", "1900: 10 at 1900"}));
    EXPECT_EQ(front({{20, 1000}, {10, 1900}, {11, 1250}}, 1260),
              (Texts{"1000: 20 at 1000", "1260: 11 at 1250 knee", "1900: 10 at 1900"}));
    EXPECT_EQ(front({{20, 1000}, {10, 1900}}, 1000), (Texts{"1000: 20 at 1000", "1900: 10 at 1900"}));
}

/// Also where its peak is between two limits at which the front has others.
TEST(SearchFront, HasTheRecommendedPlanOrOneAtLeastAsGood) {
    EXPECT_EQ(
        front({{20, 1000}, {10, 1900}, {11, 1250}}, {}, {{12, 1220}}),
        (Texts{"1000: 20 at 1000", "1220: 12 at 1220, recommended", "1300: 11 at 1250 knee", "1900: 10 at 1900"}));
    // At both ends.
    EXPECT_EQ(front({{20, 1000}, {10, 1900}}, {}, {{21, 900}}),
              (Texts{"900: 21 at 900 knee, recommended", "1011: 20 at 1000", "1900: 10 at 1900"}));
    EXPECT_EQ(front({{20, 1000}, {10, 1900}}, {}, {{9, 2000}}),
              (Texts{"1000: 20 at 1000", "2000: 9 at 2000, recommended"}));
    // Another one is as good in one figure and better in the other.
    EXPECT_EQ(front({{20, 1000}, {10, 1900}, {11, 1250}}, {}, {{11, 1260}}),
              (Texts{"1000: 20 at 1000", "1260: 11 at 1250 knee", "1900: 10 at 1900"}));
    EXPECT_EQ(front({{20, 1000}, {10, 1900}, {11, 1250}}, {}, {{12, 1250}}),
              (Texts{"1000: 20 at 1000", "1250: 11 at 1250 knee", "1900: 10 at 1900"}));
    // Of plans with the same figures it is the one that is shown.
    EXPECT_EQ(front({{20, 1000}, {10, 1900}, {11, 1250}}, {}, {{11, 1250}}),
              (Texts{"1000: 20 at 1000", "1250: 11 at 1250 knee, recommended", "1900: 10 at 1900"}));
}

/// What was found within a limit is on the front also where a faster plan takes little more.
TEST(SearchFront, HasTheBestWithinTheLimitThatWasAsked) {
    const std::vector<std::pair<double, std::int64_t>> figures{{5, 3000}, {10, 1000}, {8, 1050}, {7, 1060}};
    EXPECT_EQ(front(figures), (Texts{"1000: 10 at 1000", "1222: 7 at 1060 knee", "3000: 5 at 3000"}));
    EXPECT_EQ(front(figures, 1055),
              (Texts{"1000: 10 at 1000", "1055: 8 at 1050", "1222: 7 at 1060 knee", "3000: 5 at 3000"}));
}

TEST(SearchReport, HasAllOfTheResult) {
    SearchResult result;
    Candidate& best = result.best;
    best.step_ms = 4;
    best.exposed_ms = 1;
    best.peak_bytes = 20;
    best.corrected_peak_bytes = 2 << 20;
    best.mean_ms = 5;
    best.worst_ms = 6;
    best.disturbed_ms = {4.5, 5.5};
    best.changes_order = true;
    best.origin = "so";
    result.bound.step_ms = 3;
    result.bound.ordered_ms = 3;
    result.bound.order_free_ms = 2;
    result.bound.reason = "why";
    result.bound.least_peak_bytes = 7;
    result.baselines = candidates({{8, 30}, {9, 40}});
    result.baselines[1].refusal = "no";
    result.front = {{100, 4, 90, 3, "of it", {}, {}, true}, {200, 3.5, 150, 3, "other", {}, {}, false}};
    result.elements = {{"part", 0.5, -3, ""}, {"needed", 0, 0, "refused"}};
    result.locked = {"a lock"};
    result.groups_left_out = {"g", "h"};
    result.evaluations = 9;
    result.stopped = true;
    const std::string head =
        R"({"best":{"step_ms":4,"simulated_ms":3.75,"exposed_ms":1,"peak_bytes":2097152,)"
        R"("corrected_peak_bytes":2097152,"torch_peak_memory_bytes":20,)"
        R"("mean_ms":5,"worst_ms":6,"disturbed_ms":[4.5,5.5],"changes_order":true,"origin":"so"},)"
        R"("bound":{"step_ms":3,"ordered_ms":3,"order_free_ms":2,"reason":"why","least_peak_bytes":7,"chain":[]},)"
        R"("baselines":[{"name":"at 30","step_ms":8,"peak_bytes":30,"refusal":null,"disturbed_ms":[]},)"
        R"({"name":"at 40","step_ms":9,"peak_bytes":40,"refusal":"no","disturbed_ms":[]}],)"
        R"("front":[{"limit_bytes":100,"step_ms":4,"peak_bytes":90,"bound_ms":3,"knee":true,"origin":"of it"},)"
        R"({"limit_bytes":200,"step_ms":3.5,"peak_bytes":150,"bound_ms":3,"knee":false,"origin":"other"}],)"
        R"("evaluations":9,"stopped":true,"exhausted":false,"scenarios":["communication x 0.8","communication x 1.2",)"
        R"("communication x 1.5","latency x 3","compute x 0.9","compute x 1.1"],)"
        R"("elements":[{"element":"part","worth_ms":0.5,"worth_bytes":-3,"refusal":null},)"
        R"({"element":"needed","worth_ms":null,"worth_bytes":null,"refusal":"refused"}],)"
        R"("locked":["a lock"],"groups_left_out":["g","h"],"distance":)";
    EXPECT_EQ(search_report_json(result, 3.75), head + R"(null,"problems":[]})");
    result.from_start = PlanDifference{};
    result.from_start->buckets = 2;
    const std::string report = search_report_json(result, 3.75);
    EXPECT_TRUE(report.starts_with(
        head + R"({"buckets":2,"passes":0,"options":0,"overlaps":0,"order":false,"others":false,"text":")"))
        << report.substr(head.size());
    EXPECT_EQ(search_front_csv(result),
              "limit_bytes,step_ms,peak_bytes,bound_ms,knee,origin\r\n"
              "100,4,90,3,knee,of it\r\n200,3.5,150,3,,other\r\n");
    EXPECT_EQ(found_plan(result, 4).name, "Found 4 ms at 2 MiB");
    EXPECT_EQ(found_plan(result, 3.5).name, "Found 4 ms at 2 MiB") << "links shared make a difference";
    EXPECT_EQ(found_plan(result, 3.999).name, "Found 3.999 ms at 2 MiB") << "as the window shows it";
    EXPECT_EQ(found_plan(result, 4).notes,
              "Found by a search of 9 plans (so). Without the settings of process groups that this plan does not make: "
              "g, h.");
    result.groups_left_out.clear();
    EXPECT_EQ(found_plan(result, 4).notes, "Found by a search of 9 plans (so).");
}

}  // namespace
}  // namespace overlap::test
