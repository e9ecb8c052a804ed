#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/graph_file.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

std::shared_ptr<const Graph> small_graph() {
    return read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8_aot_fw.graph.json.gz");
}

TEST(GraphWriteFile, PlainAndCompressedHoldTheSameText) {
    const test::TemporaryFolder folder;
    const auto graph = small_graph();
    const std::string text = write_graph_text(*graph);
    write_graph_file(*graph, folder / "a.graph.json");
    write_graph_file(*graph, folder / "a.graph.json.gz");
    EXPECT_EQ(test::read_bytes(folder / "a.graph.json"), text);
    EXPECT_EQ(test::read_text(folder / "a.graph.json.gz"), text);
    EXPECT_LT(std::filesystem::file_size(folder / "a.graph.json.gz"), text.size() / 4);
    EXPECT_EQ(write_graph_text(*read_graph_file(folder / "a.graph.json.gz")), text);
}

TEST(GraphWriteFile, SameGraphGivesTheSameBytes) {
    const test::TemporaryFolder folder;
    write_graph_file(*small_graph(), folder / "a.gz");
    write_graph_file(*small_graph(), folder / "b.gz");
    EXPECT_EQ(test::read_bytes(folder / "a.gz"), test::read_bytes(folder / "b.gz"));
}

TEST(GraphWriteFile, ReplacesAFileAndLeavesNothingElse) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "a.graph.json") << "before";
    std::filesystem::permissions(folder / "a.graph.json", std::filesystem::perms(0640));
    write_graph_file(*small_graph(), folder / "a.graph.json");
    EXPECT_GT(std::filesystem::file_size(folder / "a.graph.json"), 1000u);
    EXPECT_EQ(std::filesystem::status(folder / "a.graph.json").permissions(), std::filesystem::perms(0640));
    const std::filesystem::directory_iterator entries(folder.path());
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(GraphWriteFile, KeepsTheLinkThatPointsAtTheFile) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "real.graph.json") << "before";
    std::filesystem::create_symlink(folder / "real.graph.json", folder / "link.graph.json");
    write_graph_file(*small_graph(), folder / "link.graph.json");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.graph.json"));
    EXPECT_GT(std::filesystem::file_size(folder / "real.graph.json"), 1000u);
}

TEST(GraphWriteFile, SaysWhyItCannotWrite) {
    const test::TemporaryFolder folder;
    try {
        write_graph_file(*small_graph(), folder / "absent/a.graph.json");
        FAIL() << "a folder that does not exist was written to";
    } catch (const InputError& error) {
        EXPECT_EQ(error.file(), (folder / "absent/a.graph.json").string());
        EXPECT_NE(error.problem().find("No such file"), std::string::npos) << error.what();
    }
    EXPECT_THROW(write_graph_file(*small_graph(), folder.path()), InputError);
}

}  // namespace
}  // namespace overlap
