#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/graph/graph_builder.h"
#include "core/io/plan/plan_file.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

struct Variation {
    std::string node_name = "mm";
    std::string target = "aten.mm.default";
    std::int64_t size = 4;
    std::string module = "layers.0";
    double argument = 0.5;
    std::optional<double> estimate_ms{};
    bool unused_string = false;
};

Graph make_graph(const Variation& variation) {
    GraphBuilder builder;
    if (variation.unused_string) builder.intern("a string that changes all later numbers");
    const std::int64_t sizes[] = {variation.size, 4};
    const TensorMeta tensor = builder.contiguous_tensor(*dtype_by_name("float32"), sizes);
    const NodeId input = builder.placeholder("arg0_1", {&tensor, 1});
    NodeMetadata metadata;
    metadata.module_fqn = builder.intern(variation.module);
    metadata.estimate_ms = variation.estimate_ms;
    const Value args[] = {Value::of_node(input), Value::of_floating(variation.argument)};
    const NodeId made = builder.call(variation.node_name, variation.target, args, {&tensor, 1}, metadata);
    const Value outputs[] = {Value::of_node(made)};
    builder.output(outputs);
    GraphHeader header;
    header.name = "small";
    return builder.finish(std::move(header));
}

TEST(Fingerprint, IsTheSameOnEveryMachine) {
    const GraphFingerprint found = fingerprint(make_graph({}));
    EXPECT_EQ(found.name, "small");
    EXPECT_EQ(found.nodes, 3u);
    EXPECT_EQ(found.digest, "b233b1e4c669c6ac");  // of the algorithm as released; plans in the field carry such digests
}

TEST(Fingerprint, SeesWhatMakesAnotherGraph) {
    const std::string digest = fingerprint(make_graph({})).digest;
    EXPECT_NE(fingerprint(make_graph({.node_name = "mm_1"})).digest, digest);
    EXPECT_NE(fingerprint(make_graph({.target = "aten.bmm.default"})).digest, digest);
    EXPECT_NE(fingerprint(make_graph({.size = 8})).digest, digest);
    EXPECT_NE(fingerprint(make_graph({.module = "layers.1"})).digest, digest);
    EXPECT_NE(fingerprint(make_graph({.argument = 0.25})).digest, digest);
}

TEST(Fingerprint, DoesNotSeeTimesOrNumbersOfStrings) {
    const std::string digest = fingerprint(make_graph({})).digest;
    EXPECT_EQ(fingerprint(make_graph({.estimate_ms = 3.5})).digest, digest);
    EXPECT_EQ(fingerprint(make_graph({.unused_string = true})).digest, digest);
}

TEST(Fingerprint, RealGraphsDiffer) {
    const auto one = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    const auto other = test_graph("llama3_debugmodel_fsdp8_aot_reshard_fw");
    EXPECT_NE(fingerprint(*one).digest, fingerprint(*other).digest);
    EXPECT_EQ(fingerprint(*one), fingerprint(*test_graph("llama3_debugmodel_fsdp8_aot_fw")));
}

TEST(Fingerprint, PlansFitTheirGraphOnly) {
    const auto one = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    const Plan plan = make_plan(*one, "Plan A");
    EXPECT_NO_THROW(check_plan_fits(plan, *one));
    try {
        check_plan_fits(plan, *test_graph("llama3_debugmodel_fsdp8_aot_bw"));
        FAIL();
    } catch (const InputError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("the plan is for another graph"), std::string::npos) << message;
        EXPECT_NE(message.find("llama3_debugmodel_fsdp8_aot_fw"), std::string::npos) << message;
        EXPECT_NE(message.find("llama3_debugmodel_fsdp8_aot_bw"), std::string::npos) << message;
        EXPECT_NE(message.find(plan.graph->digest), std::string::npos) << message;
    }
}

TEST(Fingerprint, SeesFlagsAndWhatIsNoTensor) {
    const auto digest = [](bool flag, bool with_number) {
        GraphBuilder builder;
        const std::int64_t sizes[] = {4};
        std::vector<TensorMeta> outputs{builder.contiguous_tensor(*dtype_by_name("float32"), sizes)};
        if (with_number) outputs.emplace_back();
        const Value args[] = {Value::of_boolean(flag)};
        builder.call("made", "aten.full.default", args, outputs);
        builder.output({});
        return fingerprint(builder.finish({})).digest;
    };
    EXPECT_NE(digest(true, false), digest(false, false));
    EXPECT_NE(digest(true, false), digest(true, true));
    EXPECT_EQ(digest(false, true), "fcfc61eaa54550db");  // as released
}

}  // namespace
}  // namespace overlap
