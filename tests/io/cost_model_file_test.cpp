#include "core/io/cost_model/cost_model_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/cost/built_in_cost_models.h"

namespace overlap {
namespace {

using Json = nlohmann::ordered_json;

const std::string everything = OVERLAP_TEST_DATA "/cost_models/everything.cost.json";

/// The error of reading the document of `everything` after `change`.
template <typename Change>
std::string error_after(Change&& change) {
    Json document = Json::parse(cost_model_text(read_cost_model_file(everything)));
    change(document);
    try {
        read_cost_model_text(document.dump(), "x.cost.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(CostModelFile, EveryFieldIsRead) {
    const NamedCostModel model = read_cost_model_file(everything);
    EXPECT_EQ(model.name, "cluster A");
    EXPECT_EQ(model.origin.kind, "calibration");
    EXPECT_EQ(model.origin.runs, std::vector<std::string>{"first.run.json"});
    EXPECT_EQ(model.origin.versions.at("nccl"), "2.28.3");
    EXPECT_EQ(model.flops_per_s.at("bfloat16"), 1e12);
    EXPECT_EQ(model.classes.at("matrix_multiply").efficiency, 0.5);
    EXPECT_EQ(model.classes.at("memory").overhead_ms, 0.125);
    EXPECT_EQ(model.links_of_groups.at("dp").bytes_per_s, 1e9);
    EXPECT_EQ(model.links_of_sizes.at(16).latency_ms, 0.75);
    EXPECT_EQ(model.gpus_per_node, 4);
    EXPECT_EQ(model.within_node->latency_per_rank_ms, 0.001);
    EXPECT_EQ(model.between_nodes->bytes_per_s, 3e9);
    ASSERT_TRUE(model.contention);
    EXPECT_EQ(model.contention->compute_slowdown.at("matrix_multiply"), 0.2);
    EXPECT_TRUE(model.contention->groups_share_links);
}

TEST(CostModelFile, EfficienciesOfTheDeviceAreKept) {
    NamedCostModel model = read_cost_model_file(everything);
    EXPECT_FALSE(Json::parse(cost_model_text(model))["device"].contains("flops_efficiency"));
    model.flops_efficiency = 0.65;
    model.memory_efficiency = 0.8;
    const NamedCostModel again = read_cost_model_text(cost_model_text(model), "again");
    EXPECT_EQ(again.flops_efficiency, 0.65);
    EXPECT_EQ(again.memory_efficiency, 0.8);
    const auto of_two = [](Json& document) { document["device"]["memory_efficiency"] = 2; };
    EXPECT_NE(error_after(of_two).find("device.memory_efficiency"), std::string::npos) << error_after(of_two);
}

TEST(CostModelFile, UnknownFieldsAreWrittenBack) {
    const NamedCostModel model = read_cost_model_file(everything);
    const Json again = Json::parse(cost_model_text(model));
    EXPECT_EQ(again["room"], 17);
    EXPECT_EQ(again["origin"]["by"], "a colleague");
    EXPECT_EQ(again["device"]["slots"], 2);
    EXPECT_EQ(again["classes"]["matrix_multiply"]["nodes"], 12);
    EXPECT_EQ(again["links"]["process_groups"]["dp"]["fitted"], true);
    EXPECT_EQ(cost_model_text(read_cost_model_text(again.dump(), "again")), cost_model_text(model));
}

TEST(CostModelFile, WhatAModelNoLongerHasIsNotWritten) {
    NamedCostModel model = read_cost_model_file(everything);
    model.classes.erase("memory");
    model.links_of_groups.clear();
    model.within_node.reset();
    model.contention.reset();
    const Json again = Json::parse(cost_model_text(model));
    EXPECT_FALSE(again["classes"].contains("memory"));
    EXPECT_TRUE(again["links"]["process_groups"].empty());
    EXPECT_FALSE(again["links"].contains("within_node"));
    EXPECT_FALSE(again.contains("contention"));
}

TEST(CostModelFile, ChangedLatenciesOfRanksAreWritten) {
    NamedCostModel model = read_cost_model_file(everything);
    ASSERT_EQ(model.within_node->latency_per_rank_ms, 0.001);
    model.within_node->latency_per_rank_ms = 0.5;
    EXPECT_EQ(read_cost_model_text(cost_model_text(model), "x").within_node->latency_per_rank_ms, 0.5);
}

TEST(CostModelFile, GroupsHaveAtLeastOneRank) {
    const auto with_size = [](const char* size) {
        return error_after([&](Json& document) {
            document["links"]["group_sizes"][size] = {{"latency_ms", 1}, {"bytes_per_s", 1}};
        });
    };
    EXPECT_EQ(with_size("1"), "accepted");
    EXPECT_EQ(with_size("0"), "x.cost.json: links.group_sizes.0: expected a number of ranks, found \"0\"");
}

TEST(CostModelFile, WaysOfKindsAreWrittenAndRead) {
    NamedCostModel model = read_cost_model_file(everything);
    LinkCost& link = model.links_of_groups["0"];
    link = {0.02, 0, 3e11, {}};
    link.kinds[CollectiveKind::all_reduce] = {{0.03, 1.5e11}, {0.01, 5e10}};
    const LinkCost again = read_cost_model_text(cost_model_text(model), "x").links_of_groups.at("0");
    ASSERT_EQ(again.kinds.size(), 1u);
    ASSERT_EQ(again.kinds.at(CollectiveKind::all_reduce).size(), 2u);
    EXPECT_EQ(again.kinds.at(CollectiveKind::all_reduce)[1].bytes_per_s, 5e10);
    model.links_of_groups["0"].kinds.clear();
    EXPECT_FALSE(Json::parse(cost_model_text(model))["links"]["process_groups"]["0"].contains("kinds"));
}

TEST(CostModelFile, BuiltInModelsAreDocuments) {
    for (const NamedCostModel& model : built_in_cost_models()) {
        const NamedCostModel again = read_cost_model_text(cost_model_text(model), model.name);
        EXPECT_EQ(again.name, model.name);
        EXPECT_EQ(again.classes.size(), model.classes.size());
        EXPECT_EQ(again.cluster, model.cluster);
        EXPECT_EQ(again.memory_bytes, model.memory_bytes);
        EXPECT_EQ(again.origin.checked, model.origin.checked);
        EXPECT_EQ(again.origin.checked_within, model.origin.checked_within);
        EXPECT_EQ(find_cost_model(model.name).name, model.name);
    }
}

TEST(CostModelFile, TheCheckedModelIsTheOneThatWasFitted) {
    const NamedCostModel fitted = read_cost_model_file(OVERLAP_TEST_DATA "/published_runs/h100_96gb_500w.cost.json");
    const NamedCostModel& built_in = *built_in_cost_model(fitted.name);
    EXPECT_EQ(built_in.cluster, fitted.cluster);
    EXPECT_EQ(built_in.memory_bytes_per_s, fitted.memory_bytes_per_s);
    for (const char* compute : {"matrix_multiply", "attention", "memory"}) {
        EXPECT_EQ(built_in.classes.at(compute).efficiency, fitted.classes.at(compute).efficiency) << compute;
        EXPECT_EQ(built_in.classes.at(compute).overhead_ms, fitted.classes.at(compute).overhead_ms) << compute;
    }
}

TEST(CostModelFile, ErrorsNameFileAndPlace) {
    EXPECT_EQ(error_after([](Json& document) { document["version"] = 2; }),
              "x.cost.json: version: written by version 2 of the cost model format; this program reads up to version "
              "1: update Overlap Studio");
    EXPECT_EQ(error_after([](Json& document) { document["format"] = "overlap-plan"; }),
              "x.cost.json: format: expected \"overlap-cost-model\", found the string \"overlap-plan\"");
    EXPECT_EQ(error_after([](Json& document) { document["device"].erase("memory_bytes_per_s"); }),
              "x.cost.json: device: the field \"memory_bytes_per_s\" is missing");
    EXPECT_EQ(error_after([](Json& document) { document["classes"]["memory"]["efficiency"] = 0; }),
              "x.cost.json: classes.memory.efficiency: expected a number greater than 0, found the integer 0");
    EXPECT_EQ(error_after([](Json& document) {
                  document["classes"]["memry"] = {{"efficiency", 1}};
              }),
              "x.cost.json: classes: there is no class of compute \"memry\"; nearest: \"memory\"");
    EXPECT_EQ(error_after([](Json& document) {
                  document["links"]["group_sizes"]["many"] = {{"latency_ms", 1}, {"bytes_per_s", 1}};
              }),
              "x.cost.json: links.group_sizes.many: expected a number of ranks, found \"many\"");
    EXPECT_EQ(error_after([](Json& document) { document["links"].erase("gpus_per_node"); }),
              "x.cost.json: links.gpus_per_node: this field is missing: which groups stay within a node is not known");
    EXPECT_EQ(
        error_after([](Json& document) { document["contention"]["communication_slowdown"] = -1; }),
        "x.cost.json: contention.communication_slowdown: expected a finite number that is not negative, found the "
        "integer -1");
}

TEST(CostModelFile, WhatCouldBeLostIsRefused) {
    EXPECT_THROW(read_cost_model_text(R"({"format": "overlap-cost-model", "version": 1, "name": "x", "room": {"a": 1,
        "a": 2}, "device": {"flops_per_s": {}, "memory_bytes_per_s": 1}})",
                                      "x"),
                 InputError);
    EXPECT_THROW(read_cost_model_text(R"({"format": "overlap-cost-model", "version": 1, "name": "x", "room": 1e999,
        "device": {"flops_per_s": {}, "memory_bytes_per_s": 1}})",
                                      "x"),
                 InputError);
}

TEST(CostModelFile, AFieldThatStandsThereTwiceIsRefused) {
    // Found by the fuzz target: the first of two "classes" was read, the second was written.
    const auto refusal = [](const std::string& fields) -> std::string {
        try {
            read_cost_model_text(R"({"format": "overlap-cost-model", "version": 1, "name": "twice",
                "device": {"name": "d", "flops_per_s": {"float32": 1e12}, "memory_bytes_per_s": 1e9}, )" +
                                     fields + "}",
                                 "twice.cost.json");
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(refusal(R"("classes": {"memory": {"efficiency": 0.5}}, "classes": {"memory": 0.1})"),
              "twice.cost.json: line 2, column 147: the key \"classes\" occurs twice in one object");
    EXPECT_EQ(refusal(R"("of_a_colleague": [{"a": 1, "a": 2}])"),
              "twice.cost.json: line 2, column 131: the key \"a\" occurs twice in one object");
    EXPECT_EQ(refusal(R"("classes": {"memory": {"efficiency": 0.5}})"), "no error");
}

TEST(CostModelFile, FieldsOfLinksKeepTheirPlaces) {
    const std::string text = cost_model_text(read_cost_model_text(
        R"({"format": "overlap-cost-model", "version": 1, "name": "links",
            "device": {"name": "d", "flops_per_s": {"float32": 1e12}, "memory_bytes_per_s": 1e9},
            "links": {"gpus_per_node": 4, "of_a_colleague": true,
                      "within_node": {"latency_ms": 1, "bytes_per_s": 1e9}}})",
        "links"));
    EXPECT_LT(text.find("gpus_per_node"), text.find("of_a_colleague"));
    EXPECT_LT(text.find("of_a_colleague"), text.find("within_node"));
}

TEST(CostModelFile, NeitherNameNorFile) {
    try {
        find_cost_model("h100-smx");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "there is neither a built-in cost model nor a file \"h100-smx\"; nearest: \"h100-sxm\"");
    }
}

}  // namespace
}  // namespace overlap
