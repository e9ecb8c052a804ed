#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/graph_builder.h"
#include "core/pipeline/evaluation.h"
#include "core/views/timeline_of.h"

namespace overlap {
namespace {

/// A graph with a collective of each of these operators on one group, which is described so; without a text the header
/// does not know it.
std::shared_ptr<const Evaluation> evaluated(const std::vector<std::string_view>& operators,
                                            const std::string* description = nullptr, std::size_t ranks = 2) {
    GraphBuilder builder;
    const std::vector<std::int64_t> sizes{8, 4};
    const auto tensor = [&] { return builder.contiguous_tensor(*dtype_by_name("float32"), sizes); };
    const TensorMeta input = tensor();
    const Value x = Value::of_node(builder.placeholder("x", {&input, 1}));
    std::vector<Value> results;
    for (const std::string_view name : operators) {
        const Value group = builder.string("7"), sum = builder.string("sum"), two = Value::of_integer(2);
        std::vector<Value> args{x, sum, group};
        if (name == "all_gather_into_tensor") args = {x, two, group};
        if (name == "reduce_scatter_tensor") args = {x, sum, two, group};
        if (name == "broadcast") args = {x, Value::of_integer(0), group};
        const TensorMeta started = tensor(), ended = tensor();
        const Value starts[] = {Value::of_node(
            builder.call(name, "_c10d_functional." + std::string(name) + ".default", args, {&started, 1}))};
        results.push_back(Value::of_node(
            builder.call("wait_" + std::string(name), "_c10d_functional.wait_tensor.default", starts, {&ended, 1})));
    }
    builder.output(results);
    GraphHeader header;
    if (description) {
        ProcessGroup group;
        group.name = "7";
        group.description = *description;
        for (std::size_t rank = 0; rank < ranks; ++rank) group.ranks.push_back(static_cast<int>(rank));
        header.process_groups.push_back(group);
    }
    return evaluate_baseline(std::make_shared<const Graph>(builder.finish(header)));
}

std::string title_of(const std::vector<std::string_view>& operators, const std::string* description = nullptr) {
    return group_title(*evaluated(operators, description), 0);
}

TEST(GroupTitles, SayWhatRunsOnThem) {
    EXPECT_EQ(title_of({"all_gather_into_tensor"}), "Gathers");
    EXPECT_EQ(title_of({"reduce_scatter_tensor"}), "Scatters");
    EXPECT_EQ(title_of({"all_reduce"}), "Reductions");
    EXPECT_EQ(title_of({"broadcast"}), "Broadcasts");
    EXPECT_EQ(title_of({"all_gather_into_tensor", "all_reduce"}), "Reductions + gathers");
    EXPECT_EQ(title_of({"all_gather_into_tensor", "all_reduce", "broadcast"}), "Collectives");
    const std::string purpose = "mesh_tp";
    EXPECT_EQ(title_of({"all_reduce"}, &purpose), "TP reductions");
    EXPECT_EQ(title_of({"all_gather_into_tensor", "all_reduce", "broadcast"}, &purpose), "TP collectives");
}

TEST(GroupTitles, HaveThePurposeOfAMeshDimension) {
    for (const auto& [description, purpose] :
         std::vector<std::pair<std::string, std::string>>{{"", ""},
                                                          {"default_pg", ""},
                                                          {"undefined", ""},
                                                          {"mesh_fsdp", "FSDP"},
                                                          {"mesh_tp", "TP"},
                                                          {"fsdp_extra", "FSDP"},
                                                          {"mesh_dp_shard", "dp_shard"},
                                                          {"experts", "experts"}}) {
        EXPECT_EQ(group_purpose(description), purpose) << description;
    }
}

TEST(GroupTitles, LanesCountTheRanks) {
    const std::string undefined = "undefined";
    const auto subtitle = [&](const std::string* description, std::size_t ranks) {
        return timeline_of(*evaluated({"all_reduce"}, description, ranks))->lanes()[1].description.subtitle;
    };
    EXPECT_EQ(subtitle(nullptr, 0), "group 7");
    EXPECT_EQ(subtitle(&undefined, 1), "group 7, 1 rank");
    EXPECT_EQ(subtitle(&undefined, 2), "group 7, 2 ranks");
}

}  // namespace
}  // namespace overlap
