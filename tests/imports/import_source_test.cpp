#include "core/imports/import_source.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/md5.h"
#include "core/imports/any_graph_file.h"
#include "tests/support/problem_of.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

using test::problem_of;

ImportListing listing_of(const std::vector<std::string>& kinds) {
    ImportListing listing;
    for (const std::string& kind : kinds) {
        listing.graphs.emplace_back();
        listing.graphs.back().kind = kind;
        listing.graphs.back().compile_id = "0/0";
    }
    return listing;
}

TEST(ChooseGraph, ByNumberOrName) {
    ImportListing listing = listing_of({"aot_forward_graph", "aot_backward_graph"});
    listing.graphs[1].rank = 3;
    EXPECT_EQ(&choose_graph(listing, "2"), &listing.graphs[1]);
    EXPECT_EQ(&choose_graph(listing, "aot_forward_graph"), &listing.graphs[0]);
    EXPECT_EQ(&choose_graph(listing, "aot_backward_graph 0/0"), &listing.graphs[1]);
    EXPECT_EQ(&choose_graph(listing, "aot_backward_graph 0/0, rank 3"), &listing.graphs[1]);
    listing.graphs.pop_back();
    EXPECT_EQ(&choose_graph(listing, ""), &listing.graphs[0]);
}

TEST(ChooseGraph, WhatIsNotThereIsSaidWithWhatIs) {
    const ImportListing listing = listing_of({"a", "b"});
    const std::string there = "; there are number 1 (a 0/0), number 2 (b 0/0)";
    for (const auto& [wanted, problem] : std::vector<std::pair<std::string, std::string>>{
             {"", "which graph is meant is not clear: --graph NUMBER chooses one"},
             {"0", "there is no graph of number 0"},
             {"3", "there is no graph of number 3"},
             {"99999999999999999999999", "there is no graph \"99999999999999999999999\""},
             {"2nd", "there is no graph \"2nd\""}}) {
        EXPECT_EQ(problem_of([&, wanted = wanted] { choose_graph(listing, wanted); }), problem + there) << wanted;
    }
    EXPECT_EQ(problem_of([] {
                  choose_graph(listing_of({"a", "b", "c", "d", "e"}), "0");
              }),
              "there is no graph of number 0; there are number 1 (a 0/0), number 2 (b 0/0), number 3 (c 0/0), number 4 "
              "(d 0/0), number 5 (e 0/0)");
    EXPECT_EQ(problem_of([] { choose_graph({}, "1"); }), "there is no graph in it");
    EXPECT_EQ(problem_of([] {
                  choose_graph(listing_of({"a", "a", "b"}), "a");
              }),
              "\"a\" names several graphs; there are number 1 (a 0/0), number 2 (a 0/0)");
    EXPECT_EQ(problem_of([] {
                  choose_graph(listing_of({"a", "b", "c", "d", "e", "f"}), "");
              }),
              "which graph is meant is not clear: --graph NUMBER chooses one; there are number 1 (a 0/0), number 2 "
              "(b 0/0), number 3 (c 0/0), number 4 (d 0/0), number 5 (e 0/0), ...");
}

TEST(ChooseGraph, TheMostUsefulIsTheLatestThatCommunicates) {
    EXPECT_EQ(most_useful_graph({}), std::nullopt);
    ImportListing listing = listing_of({"dynamo_output_graph", "after_post_grad_graph", "aot_forward_graph", "other"});
    EXPECT_EQ(most_useful_graph(listing), 1u);
    listing.graphs[2].collectives = 1;
    EXPECT_EQ(most_useful_graph(listing), 2u);
    listing.graphs[2].problem = "broken";
    EXPECT_EQ(most_useful_graph(listing), 1u);
}

/// A file in a folder of its own.
class Written {
  public:
    Written(const std::string& name, const std::string& text) : path((folder_ / name).string()) {
        std::ofstream(path) << text;
    }

  private:
    const test::TemporaryFolder folder_;

  public:
    const std::string path;
};

const std::string function =
    "class GraphModule(torch.nn.Module):\n    def forward(self, a: \"f32[4][1]cpu\"):\n"
    "        b = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')\n        return (b,)\n";

std::string written_record(const std::string& json, const std::string& payload = "") {
    std::string text = "V0728 16:17:36.735000 60448 torch/x.py:1] ";
    text += json.substr(0, json.size() - 1);
    if (!payload.empty()) text += R"(, "has_payload": ")" + md5_hexadecimal(payload) + '"';
    text += "}\n";
    if (payload.empty()) return text;
    text += '\t';
    for (const char character : payload) text += character == '\n' ? std::string("\n\t") : std::string(1, character);
    return text + '\n';
}

const std::string post_grad = R"({"artifact": {"name": "after_post_grad_graph", "encoding": "string"}, "frame_id": 0, )"
                              R"("frame_compile_id": 1, "rank": 2})";

std::string start(const std::string& stack) {
    return written_record(R"({"dynamo_start": {"stack": )" + stack + R"(}, "frame_id": 0, "frame_compile_id": 1})");
}

std::string label_of(const std::string& stack) {
    const Written log("trace.log", written_record(R"({"str": ["/a/train.py", 4]})") + start(stack) +
                                       written_record(post_grad, function));
    const ImportListing listing = list_importable_graphs({log.path});
    EXPECT_EQ(listing.graphs.size(), 1u);
    return listing.graphs.at(0).label;
}

TEST(ImportSource, LogsSayWhatWasCompiled) {
    EXPECT_EQ(label_of(R"([{"name": "outer", "line": 1, "filename": 4}, {"name": "main", "line": 52, "filename": 4}])"),
              "main at train.py:52");
    EXPECT_EQ(label_of(R"([{"name": "main", "line": 52, "filename": "/b/other.py"}])"), "main at other.py:52");
    EXPECT_EQ(label_of(R"([{"name": "main", "line": 52, "filename": 9}])"), "main at line 52");
    for (const char* stack : {"[]", "3", R"([{"line": 52, "filename": 4}])", R"([{"name": "main", "filename": 4}])",
                              R"([{"name": "main", "line": 52}])", R"([{"name": "main", "line": 52, "filename": []}])"})
        EXPECT_EQ(label_of(stack), "") << stack;
}

TEST(ImportSource, GraphsOfALogAreCalledByTheirArtifactOrRecord) {
    const Written log(
        "trace_rank_3.log",
        written_record(post_grad, function) +
            written_record(R"({"aot_forward_graph": {}, "frame_id": 0, "frame_compile_id": 1, "rank": 2})", function));
    const ImportListing listing = list_importable_graphs({log.path});
    ASSERT_EQ(listing.graphs.size(), 2u);
    EXPECT_EQ(listing.graphs[0].title(), "after_post_grad_graph 0/1, rank 3");
    EXPECT_EQ(listing.graphs[1].title(), "aot_forward_graph 0/1, rank 3");
    EXPECT_EQ(import_graph(listing.graphs[0], {}).graph->header().rank, 3);
    ImportOptions told;
    told.rank = 5;
    EXPECT_EQ(import_graph(listing.graphs[0], told).graph->header().rank, 5);
    EXPECT_EQ(listing.notes, std::vector<std::string>{
                                 log.path + ": its records say rank 2 and its name says rank 3; the name's is taken"});
}

TEST(ImportSource, TimesOfInductorAreTaken) {
    const std::string times = R"({"ops": [{"name": "b", "type": "collective", "estimated_runtime_ns": 2e6}]})";
    const std::string of_times =
        R"({"artifact": {"name": "inductor_runtime_and_tensor_meta", "encoding": "json"}, "frame_id": 0, )"
        R"("frame_compile_id": 1, "rank": 2})";
    const std::string other_rank =
        R"({"artifact": {"name": "inductor_runtime_and_tensor_meta", "encoding": "json"}, "frame_id": 0, )"
        R"("frame_compile_id": 1, "rank": 3})";
    const auto estimate = [&](const std::string& header) {
        const Written log("trace.log", written_record(post_grad, function) + written_record(header, times));
        const ImportedGraph graph = import_graph(list_importable_graphs({log.path}).graphs.at(0), {});
        return graph.graph->metadata(graph.graph->find("b")).estimate_ms;
    };
    EXPECT_EQ(estimate(of_times), 2.0);
    EXPECT_EQ(estimate(other_rank), std::nullopt);
}

TEST(ImportSource, CodeOfInductorIsNoGraph) {
    const Written log("trace.log", written_record(R"({"inductor_output_code": {}, "frame_id": 0})", function));
    const ImportListing listing = list_importable_graphs({log.path});
    EXPECT_TRUE(listing.graphs.empty());
    EXPECT_EQ(listing.notes, std::vector<std::string>{log.path + ": none of its records holds a graph; there are 1"});
}

TEST(ImportSource, GraphsInsideOfOthersAreCounted) {
    const Written text("nested.py", function +
                                        "    class body(torch.nn.Module):\n        def forward(self, c):\n"
                                        "            return c\n");
    const ImportListing listing = list_importable_graphs({text.path});
    ASSERT_EQ(listing.graphs.size(), 1u);
    EXPECT_EQ(import_graph(listing.graphs[0], {}).notes.back().sentence,
              "1 graph inside of higher-order operators is not part of the graph");
    const std::string body = "    class body(torch.nn.Module):\n        def forward(self, c):\n            return c\n";
    const Written two("nested_twice.py", function + body + body);
    EXPECT_EQ(import_graph(list_importable_graphs({two.path}).graphs.at(0), {}).notes.back().sentence,
              "2 graphs inside of higher-order operators are not part of the graph");
}

TEST(ImportSource, WhatIsNoGraphIsSaid) {
    const Written text("nothing.txt", "some words\n");
    const std::string problem =
        "this is neither a text of an FX graph nor a TORCH_TRACE log: there is no function "
        "forward and no graph in it";
    EXPECT_EQ(problem_of([&] { list_importable_graphs({text.path}); }), text.path + ": " + problem);
    EXPECT_FALSE(is_importable_file(text.path));
    EXPECT_FALSE(is_importable_file(text.path + ".missing"));
    const Written empty("empty.txt", "");
    EXPECT_EQ(problem_of([&] { list_importable_graphs({empty.path}); }), empty.path + ": it is empty");
    const Written code("code.py", "import torch\n");
    EXPECT_TRUE(is_importable_file(code.path));
    EXPECT_EQ(problem_of([&] { read_any_graph_file(code.path); }), code.path + ": " + problem);
    const Written broken("trace.log", "V0728 16:17:36.735000 60448 torch/x.py:1] {\n");
    EXPECT_EQ(problem_of([&] { list_importable_graphs({broken.path}); }),
              broken.path + ": the log has no record that can be read");
}

TEST(ImportSource, AFileThatChangedIsSaid) {
    const Written text("graph.py", function + function);
    const ImportListing listing = list_importable_graphs({text.path});
    ASSERT_EQ(listing.graphs.size(), 2u);
    std::ofstream(text.path) << function;
    EXPECT_EQ(problem_of([&] { import_graph(listing.graphs[1], {}); }),
              text.path + ": the file has changed: the graph is no longer there");
}

TEST(ImportSource, SeveralGraphsAreNoDocument) {
    const Written text("graph.py", function + function);
    EXPECT_EQ(problem_of([&] { read_any_graph_file(text.path); }),
              text.path +
                  ": it holds 2 graphs; overlap import --list lists them, and --graph with -o makes a document of "
                  "one");
}

TEST(ImportSource, MistakesInLogsHaveTheirRecord) {
    const Written log("trace.log", written_record(R"({"dynamo_start": {}})") +
                                       written_record(post_grad, "def forward(self, a):\n    b = 3\n    return b\n"));
    const ImportListing listing = list_importable_graphs({log.path});
    ASSERT_EQ(listing.graphs.size(), 1u);
    EXPECT_EQ(listing.graphs[0].problem, "line 2, column 9: expected a call, found \"3\"");
    EXPECT_EQ(problem_of([&] { import_graph(listing.graphs[0], {}); }),
              log.path + ": record of line 2, its line 2, column 9: expected a call, found \"3\"");
}

}  // namespace
}  // namespace overlap
