#include "core/io/run_file.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace overlap {
namespace {

const std::string run = R"({"format": "overlap-run", "version": 1, "mode": "gpu",
    "graph": {"name": "g", "nodes": 2, "digest": "0123456789abcdef"}, "step_ms": {"median": 12.5},
    "recorded": {"steps": 3, "exposed_ms": 1.5}, "device": "NVIDIA H200", "libraries": {"nccl": "2.28.3"},
    "nodes": [{"name": "mm", "median_ms": 2.5, "minimum_ms": 2}, {"name": "relu", "median_ms": 0.25}]})";

std::string error_of(std::string from, std::string to) {
    std::string text = run;
    text.replace(text.find(from), from.size(), to);
    try {
        read_run_text(text, "x.run.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(RunFile, TimesAreReadByName) {
    const RunnerTimes times = read_run_text(run, "x.run.json");
    EXPECT_EQ(times.graph_digest, "0123456789abcdef");
    EXPECT_EQ(times.step_ms, 12.5);
    EXPECT_EQ(times.exposed_ms, 1.5);
    EXPECT_EQ(times.device, "NVIDIA H200");
    EXPECT_EQ(times.versions.at("nccl"), "2.28.3");
    ASSERT_EQ(times.node_ms.size(), 2u);
    EXPECT_EQ(times.node_ms.at("relu"), 0.25);
}

TEST(RunFile, KernelsOfSeveralNodesAreReadWithWhatWasCompiled) {
    EXPECT_EQ(read_run_text(run, "x.run.json").compiled, CompiledScope::eager) << "where nothing is told";
    std::string text = run;
    const std::string nodes = "\"nodes\": [{";
    text.replace(text.find(nodes), nodes.size(),
                 R"("compiled": "whole", "nodes": [{"name": "exp", "kernel": "relu", "median_ms": 1}, {)");
    const RunnerTimes times = read_run_text(text, "x.run.json");
    EXPECT_EQ(times.compiled, CompiledScope::whole);
    EXPECT_EQ(times.kernel_of_node.at("exp"), "relu");
    EXPECT_EQ(times.kernel_of_node.size(), 1u);
}

TEST(RunFile, WhatNewerRunsTellBesideIsNoObstacle) {
    const std::string text = R"({"format": "overlap-run", "version": 1, "mode": "gpu",
        "graph": {"name": "g", "nodes": 2, "digest": "0123456789abcdef"},
        "ranks": [{"rank": 0, "machine": "a", "step_ms": {"median": 3, "minimum": 2, "maximum": 4}}],
        "work": {"own_products": 1, "stand_in_products": 0, "moved_bytes": 0},
        "environment": {"NCCL_LAUNCH_ORDER_IMPLICIT": "1"}, "notes": ["kernels were not recorded further: x"],
        "step_ms": {"median": 12.5}, "device": "NVIDIA H200", "libraries": {},
        "nodes": [{"name": "gather", "kind": "all_gather", "process_group": "0", "bytes": 64, "median_ms": 2.5,
                   "late_peers_ms": 1}]})";
    const RunnerTimes times = read_run_text(text, "x.run.json");
    EXPECT_EQ(times.node_ms.at("gather"), 2.5);
    EXPECT_FALSE(times.exposed_ms) << "nothing was recorded";
}

TEST(RunFile, ErrorsNameFileAndPlace) {
    EXPECT_EQ(error_of("\"gpu\"", "\"dry_run\""), "x.run.json: mode: a dry run has no times; a run on a device has");
    EXPECT_EQ(error_of("\"version\": 1", "\"version\": 2"),
              "x.run.json: version: written by version 2 of the run format; this program reads up to version 1: update "
              "Overlap Studio");
    EXPECT_EQ(error_of("0.25", "-1"),
              "x.run.json: nodes[1].median_ms: expected a finite number that is not negative, found the integer -1");
    EXPECT_EQ(error_of("\"relu\"", "\"mm\""), "x.run.json: nodes[1]: a second time of the node \"mm\"");
    EXPECT_EQ(error_of("\"device\": \"NVIDIA H200\"", "\"compiled\": \"all\""),
              "x.run.json: compiled: expected \"eager\", \"blocks\" or \"whole\", found the string \"all\"");
    EXPECT_EQ(error_of("\"step_ms\"", "\"step\""), "x.run.json: step_ms: this field is missing");
}

}  // namespace
}  // namespace overlap
