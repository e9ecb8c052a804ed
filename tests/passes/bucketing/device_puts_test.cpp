#include "core/passes/bucketing/device_puts.h"

#include "tests/passes/altered_graph.h"
#include "tests/passes/pass_fixture.h"

namespace overlap::test {
namespace {

/// A copy to a device with these arguments, as the pass leaves it: its arguments, or `stays`.
std::string copied(const std::string& args, const std::string& kwargs = "{}") {
    const auto graph =
        graph_of({"x"}, {{"neg", "aten.neg.default", R"(["%x"])"}, {"put", "prims.device_put.default", args, kwargs}},
                 R"("%put")");
    GraphEditor editor(graph);
    make_device_puts_blocking(editor);
    std::vector<NodeId> origin;
    const auto made = nlohmann::json::parse(write_graph_text(*editor.finish(origin)));
    const nlohmann::json before = nlohmann::json::parse(write_graph_text(*graph));
    const auto of_put = [](const nlohmann::json& document) {
        for (const nlohmann::json& node : document["nodes"])
            if (node["name"] == "put")
                return node["args"].dump() + (node.contains("kwargs") ? node["kwargs"].dump() : "");
        return std::string();
    };
    const std::string text = of_put(made);
    const bool stays = text == of_put(before);
    EXPECT_TRUE(stays || has_asynchronous_device_put(*graph)) << args;
    return stays ? "stays" : text.substr(0, text.find(']') + 1);
}

TEST(DevicePuts, CopiesThatDoNotBlockAreMadeToBlock) {
    const std::string blocking = R"([{"node":"x"},{"device":"cuda:0"},false])";
    EXPECT_EQ(copied(R"(["%x", {"device": "cuda:0"}, true])"), blocking);
    EXPECT_EQ(copied(R"(["%x", {"device": "cuda:0"}])", R"({"non_blocking": true})"), blocking);
    EXPECT_EQ(copied(R"(["%x"])", R"({"device": {"device": "cuda:0"}, "non_blocking": true})"), blocking);
}

TEST(DevicePuts, OthersStay) {
    EXPECT_EQ(copied(R"(["%x", {"device": "cuda:0"}, false])"), "stays");
    EXPECT_EQ(copied(R"(["%x", {"device": "cuda:0"}])"), "stays");
    EXPECT_EQ(copied(R"(["%x", {"device": "cuda:0"}, null])"), "stays");
    EXPECT_EQ(copied(R"(["%x"])", R"({"non_blocking": true})"), "stays");
    EXPECT_EQ(copied("[]", R"({"device": {"device": "cuda:0"}, "non_blocking": true})"), "stays");
}

TEST(DevicePuts, OnlyThoseThatDoNotBlockAreFound) {
    const auto has = [](const std::string& args) {
        return has_asynchronous_device_put(*graph_of({"x"}, {{"put", "prims.device_put.default", args}}, R"("%put")"));
    };
    EXPECT_TRUE(has(R"(["%x", {"device": "cuda:0"}, true])"));
    EXPECT_FALSE(has(R"(["%x", {"device": "cuda:0"}, false])"));
    EXPECT_FALSE(has_asynchronous_device_put(*graph_of({"x"}, {}, R"("%x")")));
}

}  // namespace
}  // namespace overlap::test
