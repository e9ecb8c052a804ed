// Every version of every format is read; a newer one is refused with what would read it.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/base/error.h"
#include "core/io/cost_model/cost_model_file.h"
#include "core/io/graph_file.h"
#include "core/io/plan/plan_file.h"
#include "core/io/run_file.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

struct Format {
    std::string name;    ///< of its files
    std::string people;  ///< as sentences have it
    int newest;
    std::function<void(const std::string& path)> read;
};

const std::vector<Format> formats{
    {"graph", "graph", 1, [](const std::string& path) { EXPECT_GT(read_graph_file(path)->node_count(), 0u); }},
    {"plan", "plan", 1, [](const std::string& path) { EXPECT_FALSE(read_plan_file(path).buckets.empty()); }},
    {"cost_model", "cost model", 1,
     [](const std::string& path) { EXPECT_FALSE(read_cost_model_file(path).name.empty()); }},
    {"run", "run", 1, [](const std::string& path) { EXPECT_EQ(read_run_file(path).node_ms.size(), 2u); }},
};

TEST(FormatVersions, EveryVersionIsRead) {
    for (const Format& format : formats) {
        for (int version = 1; version <= format.newest; ++version) {
            SCOPED_TRACE(format.name + " " + std::to_string(version));
            format.read(OVERLAP_TEST_DATA "/versions/" + format.name + ".v" + std::to_string(version) + ".json");
        }
    }
}

TEST(FormatVersions, ANewerOneIsRefusedWithWhatIsNeeded) {
    const test::TemporaryFolder folder;
    for (const Format& format : formats) {
        const std::string newest = std::to_string(format.newest);
        std::string text = test::read_bytes(OVERLAP_TEST_DATA "/versions/" + format.name + ".v" + newest + ".json");
        const std::string written = "\"version\": " + newest;
        ASSERT_NE(text.find(written), std::string::npos) << format.name;
        text.replace(text.find(written), written.size(), "\"version\": 30");
        const std::string path = (folder / (format.name + ".json")).string();
        std::ofstream(path) << text;
        try {
            format.read(path);
            ADD_FAILURE() << format.name << " of version 30 was accepted";
        } catch (const InputError& error) {
            EXPECT_EQ(error.file(), path);
            EXPECT_EQ(error.place(), "version");
            std::string wanted = "written by version 30 of the " + format.people;
            wanted += " format; this program reads up to version " + newest + ": update Overlap Studio";
            EXPECT_EQ(error.problem(), wanted);
        }
    }
}

TEST(FormatVersions, WhatIsWrittenCarriesIts) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/versions/graph.v1.json");
    EXPECT_NE(write_graph_text(*graph).substr(0, 200).find("\"version\""), std::string::npos);
    EXPECT_NE(write_plan_text(Plan()).find("\"version\": 1,"), std::string::npos);
}

}  // namespace
}  // namespace overlap
