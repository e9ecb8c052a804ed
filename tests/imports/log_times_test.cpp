#include "core/imports/log_times.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace overlap {
namespace {

ImportedGraph graph_with_collectives() {
    const std::string text =
        "def forward(self, a: \"f32[4, 8][8, 1]cpu\"):\n"
        "    b = torch.ops.aten.neg.default(a)\n"
        "    c = torch.ops._c10d_functional.all_reduce.default(b, 'sum', '0')\n"
        "    d = torch.ops._c10d_functional.all_gather_into_tensor.default(c, 2, '0')\n"
        "    return (d,)\n";
    return read_fx_text(text, find_fx_functions(text).at(0), {});
}

/// The time of each node of that graph; -1 where it has none. Behind them the last note.
std::string times_with(const std::string& json) {
    ImportedGraph imported = graph_with_collectives();
    add_logged_times(imported, parse_logged_times(json));
    std::string text;
    for (const std::string_view name : {"b", "c", "d"}) {
        const auto estimate = imported.graph->metadata(imported.graph->find(name)).estimate_ms;
        text += std::to_string(static_cast<int>(estimate.value_or(-1))) + " ";
    }
    return text + imported.notes.back().sentence;
}

std::string note(std::string_view times, std::string_view taken) {
    return "Inductor logged " + std::string(times) + " times, of which " + std::string(taken) +
           " name nodes of this graph and were taken; the others are of fused kernels";
}

constexpr std::string_view reduce =
    R"({"name": "torch.ops._c10d_functional.all_reduce_.default", "type": "collective", "estimated_runtime_ns": 3e6})";
constexpr std::string_view gather =
    R"({"name": "_c10d_functional.all_gather_into_tensor.default", "type": "collective", "estimated_runtime_ns": 5e6})";

std::string operations(const std::vector<std::string_view>& items) {
    std::string json = R"({"ops": [)";
    for (const std::string_view item : items) json.append(json.ends_with('[') ? "" : ", ").append(item);
    return json + "]}";
}

TEST(LogTimes, AreOfNodesByName) {
    EXPECT_EQ(times_with(operations({R"({"name": "b", "type": "compute", "estimated_runtime_ns": 2000000})",
                                     R"({"name": "fused", "type": "compute", "estimated_runtime_ns": 1})"})),
              "2 -1 -1 " + note("2", "1"));
}

TEST(LogTimes, CollectivesAreMatchedByTheirOrderWhereAllAreAlike) {
    EXPECT_EQ(times_with(operations({reduce, gather})), "-1 3 5 " + note("2", "2"));
    EXPECT_EQ(times_with(operations({gather, reduce})), "-1 -1 -1 " + note("2", "0"));
    EXPECT_EQ(times_with(operations({reduce})), "-1 -1 -1 " + note("1", "0"));
    EXPECT_EQ(times_with(operations({reduce, gather, gather})), "-1 -1 -1 " + note("3", "0"));
}

TEST(LogTimes, RecordsOfAnotherFormHaveNone) {
    for (const char* json : {"", "{", "[]", "{}", R"({"ops": 3})"}) EXPECT_TRUE(parse_logged_times(json).empty());
    const std::vector<LoggedTime> times = parse_logged_times(operations(
        {R"({"type": "compute", "estimated_runtime_ns": 1})", R"({"name": "b", "estimated_runtime_ns": 1})",
         R"({"name": "b", "type": "compute"})", R"({"name": "b", "type": "compute", "estimated_runtime_ns": -1})",
         R"({"name": "b", "type": "compute", "estimated_runtime_ns": 1e300})",
         R"({"name": "kept", "type": "compute", "estimated_runtime_ns": 0})"}));
    ASSERT_EQ(times.size(), 1u);
    EXPECT_EQ(times[0].name, "kept");
    EXPECT_FALSE(times[0].is_collective);
}

}  // namespace
}  // namespace overlap
