// What single kernels take by a small cost model: their bytes, their flops and their overheads.

#include <gtest/gtest.h>

#include "core/predict/compiled_times.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/call_with.h"
#include "tests/support/problem_of.h"

namespace overlap::test {
namespace {

class CompiledPrices : public ::testing::Test {
  protected:
    CompiledPrices() { start(); }

    void start() {
        sketch = GraphSketch();
        // 1 byte takes 2e-6 ms; one flop 2e-9 ms in bfloat16, 4e-9 ms in float32, four times that in attention.
        sketch.header().cost->classes = {{"memory", {0.5, 0.01}},
                                         {"matrix_multiply", {0.5, 0.02}},
                                         {"attention", {0.125, 0.04}},
                                         {"convolution", {0.5, 0.08}}};
    }

    NodeId input(std::vector<std::int64_t> sizes, std::string_view dtype = "float32") {
        return sketch.input("x" + std::to_string(sketch.builder().node_count()), sketch.tensor(dtype, sizes));
    }
    NodeId call(std::string_view target, std::vector<Value> arguments, std::vector<std::int64_t> sizes,
                std::string_view dtype = "float32") {
        const std::string name = "call" + std::to_string(sketch.builder().node_count());
        return sketch.call(name, target, std::move(arguments), {sketch.tensor(dtype, sizes)});
    }
    /// With a keyword argument.
    NodeId call_with(std::string_view target, std::vector<Value> arguments, std::string_view key, Value value,
                     std::vector<TensorMeta> outputs) {
        const std::string name = "call" + std::to_string(sketch.builder().node_count());
        return test::call_with(sketch.builder(), name, target, arguments, {{key, value}}, outputs);
    }
    CompiledTimes finish(std::initializer_list<NodeId> returned, const Compilation& compilation = {}) {
        return compiled_times(sketch.finish(returned), compilation);
    }

    GraphSketch sketch;
};

TEST_F(CompiledPrices, OfAKernelAreItsOverheadAndItsBytes) {
    const NodeId x = input({1000}), a = call("aten.exp.default", GraphSketch::values({x}), {1000});
    const CompiledTimes times = finish({a});
    EXPECT_DOUBLE_EQ(times.times_ms[a], 0.01 + 8000 * 2e-6);
    EXPECT_DOUBLE_EQ(times.without_reading_ms[a], 0.01 + 4000 * 2e-6);
    EXPECT_EQ(times.times_ms[x], 0);
    EXPECT_TRUE(times.generated[a]);
}

TEST_F(CompiledPrices, OfAKernelStandWithItsOperatorsByWhatTheyReturn) {
    const NodeId x = input({1000}), a = call("aten.exp.default", GraphSketch::values({x}), {1000});
    const NodeId b = call("aten.exp.default", GraphSketch::values({x}), {1000}, "float64");
    const CompiledTimes times = finish({a, b});
    const double whole_ms = 0.01 + 16000 * 2e-6;
    EXPECT_DOUBLE_EQ(times.times_ms[a], whole_ms / 3);
    EXPECT_DOUBLE_EQ(times.times_ms[b], whole_ms / 3 * 2);
}

TEST_F(CompiledPrices, OfAProductAreItsFlopsOrItsBytes) {
    const auto product = [&](std::int64_t rows, std::int64_t inner, std::int64_t columns) {
        const NodeId x = input({rows, inner}), y = input({inner, columns});
        return call("aten.mm.default", GraphSketch::values({x, y}), {rows, columns});
    };
    const NodeId of_bytes = product(100, 1000, 50), of_flops = product(10'000, 10'000, 10'000);
    const NodeId of_both = product(1000, 2000, 1000);
    const CompiledTimes times = finish({of_bytes, of_flops, of_both});
    // 620 kB, of which 20 kB are written, take longer than 10 million flops, 0.04 ms, but for its writing.
    EXPECT_NEAR(times.times_ms[of_bytes], 0.02 + 1.24, 1e-9);
    EXPECT_NEAR(times.without_reading_ms[of_bytes], 0.02 + 0.04, 1e-9);
    // 2e12 flops take longer than 1.2 GB, 2400 ms.
    EXPECT_NEAR(times.times_ms[of_flops], 0.02 + 8000, 1e-6);
    EXPECT_NEAR(times.without_reading_ms[of_flops], 0.02 + 8000, 1e-6);
    // 4e9 flops take 16 ms and 20 MB 40 ms; the 4 MB that are written 8 ms.
    EXPECT_NEAR(times.times_ms[of_both], 0.02 + 40, 1e-9);
    EXPECT_NEAR(times.without_reading_ms[of_both], 0.02 + 16, 1e-9);
    EXPECT_FALSE(times.generated[of_flops]);
}

TEST_F(CompiledPrices, OfAProductFollowFromTheRateOfItsType) {
    sketch.header().cost->memory_bytes_per_s = 1e15;
    sketch.header().cost->flops_per_s["float8_e4m3fn"] = 4e12;
    const NodeId x = input({100, 100}, "float8_e4m3fn"), y = input({100, 100}, "bfloat16");
    const std::vector<Value> of_x = GraphSketch::values({x, x}), of_y = GraphSketch::values({y, y});
    const NodeId single = call("aten.mm.default", of_y, {100, 100});
    const NodeId half = call("aten.mm.default", of_y, {100, 100}, "bfloat16");
    const NodeId unknown = call("aten.mm.default", of_y, {100, 100}, "float64");
    const NodeId scaled = call("aten._scaled_mm.default", of_x, {100, 100}, "bfloat16");
    const NodeId scaled_half = call("aten._scaled_mm.default", of_y, {100, 100});
    const NodeId of_int8 =
        call("aten._scaled_mm.default", GraphSketch::values({input({100, 100}, "int8"), y}), {100, 100}, "bfloat16");
    const std::vector<double> times_ms = finish({single, half, unknown, scaled, scaled_half, of_int8}).times_ms;
    const double flops = 2e6;
    EXPECT_NEAR(times_ms[single], 0.02 + flops * 4e-9, 1e-6);
    EXPECT_NEAR(times_ms[half], 0.02 + flops * 2e-9, 1e-6);
    EXPECT_NEAR(times_ms[unknown], 0.02 + flops * 4e-9, 1e-6);  // as float32
    EXPECT_NEAR(times_ms[scaled], 0.02 + flops * 5e-10, 1e-6);  // its factors'
    EXPECT_NEAR(times_ms[scaled_half], 0.02 + flops * 2e-9, 1e-6);
    EXPECT_NEAR(times_ms[of_int8], 0.02 + flops * 2e-9, 1e-6);  // the model has no rate of its factors
}

TEST_F(CompiledPrices, OfAProductNeedARate) {
    sketch.header().cost->flops_per_s = {{"bfloat16", 1e12}};
    const NodeId x = input({10, 10}), a = call("aten.mm.default", GraphSketch::values({x, x}), {10, 10});
    EXPECT_EQ(problem_of([&] { finish({a}); }), "cost_model.device.flops_per_s: expected a rate for float32");
}

/// Whether an attention with these further arguments is taken for causal.
bool is_causal(std::string_view target, std::size_t tensors, std::vector<Value> further,
               std::optional<bool> keyword = {}) {
    constexpr double whole_ms = 2.0 * 2 * 2 * 8 * 8 * 8 * 16;  // a flop of attention takes 1 ms
    GraphSketch sketch;
    sketch.header().cost->flops_per_s = {{"bfloat16", 1e3}, {"float32", 1e3}};
    sketch.header().cost->classes = {{"attention", {1, 0}}};
    const NodeId x = sketch.input("x", sketch.tensor("bfloat16", {2, 8, 8, 16}));
    std::vector<Value> arguments(tensors, Value::of_node(x));
    arguments.insert(arguments.end(), further.begin(), further.end());
    std::vector<test::Keyword> keywords;
    if (keyword) keywords.emplace_back("is_causal", Value::of_boolean(*keyword));
    const NodeId node = test::call_with(sketch.builder(), "attention", target, arguments, keywords,
                                        {sketch.tensor("bfloat16", {2, 8, 8, 16})});
    const double share = compiled_times(sketch.finish({node}), {}).times_ms[node] / whole_ms;
    const bool backward = target.find("backward") != std::string_view::npos;
    const double all = backward ? 2.5 : 1;  // five products instead of two
    EXPECT_TRUE(share == all || share == all / 2) << target << ' ' << share;
    return share == all / 2;
}

TEST_F(CompiledPrices, OfACausalAttentionAreHalf) {
    const Value yes = Value::of_boolean(true), no = Value::of_boolean(false), none = Value::of_none();
    const Value zero = Value::of_integer(0), one = Value::of_integer(1), dropout = Value::of_floating(0);
    struct Case {
        const char* target;
        std::size_t tensors;
        std::vector<Value> before;  ///< the argument that makes it causal
    };
    for (const Case& one_case :
         {Case{"aten._scaled_dot_product_flash_attention.default", 3, {dropout}},
          Case{"aten._scaled_dot_product_flash_attention_for_cpu.default", 3, {dropout}},
          Case{"aten._scaled_dot_product_flash_attention_for_cpu_backward.default", 6, {dropout}},
          Case{"aten._scaled_dot_product_flash_attention_backward.default", 6, {none, none, zero, zero, dropout}},
          // The log of the sum of each row is computed for a backward pass, causal or not.
          Case{"aten._scaled_dot_product_efficient_attention.default", 3, {none, yes, dropout}},
          Case{"aten._scaled_dot_product_cudnn_attention.default", 3, {none, yes, dropout}},
          Case{"aten._scaled_dot_product_cudnn_attention_backward.default", 9, {none, none, zero, zero, dropout}},
          Case{"aten._scaled_dot_product_efficient_attention_backward.default", 9, {dropout, none}},
          Case{"aten._flash_attention_forward.default", 3, {none, none, zero, zero, dropout}},
          Case{"aten._flash_attention_backward.default", 6, {none, none, zero, zero, dropout}},
          Case{"aten._efficient_attention_forward.default", 3, {none, none, none, none, none, dropout}},
          Case{"aten._efficient_attention_backward.default",
               5,
               {none, none, none, zero, zero, none, dropout, none, none}}}) {
        const auto with = [&](std::vector<Value> last) {
            std::vector<Value> further = one_case.before;
            further.insert(further.end(), last.begin(), last.end());
            return is_causal(one_case.target, one_case.tensors, further);
        };
        EXPECT_TRUE(with({yes})) << one_case.target;
        EXPECT_TRUE(with({one})) << one_case.target;
        EXPECT_FALSE(with({no})) << one_case.target;
        EXPECT_FALSE(with({zero, yes})) << one_case.target;
        EXPECT_FALSE(with({})) << one_case.target;
    }
}

TEST_F(CompiledPrices, OfAttentionFollowAKeyword) {
    constexpr std::string_view flash = "aten._scaled_dot_product_flash_attention.default";
    EXPECT_TRUE(is_causal(flash, 3, {}, true));
    EXPECT_FALSE(is_causal(flash, 3, {}, false));
}

TEST_F(CompiledPrices, OfCopiesOutOfABucketAreThoseOfAnEagerJobAlone) {
    for (const CompiledScope scope : {CompiledScope::eager, CompiledScope::blocks, CompiledScope::whole}) {
        start();
        const NodeId gathered = input({1000}), into = input({1000});
        const Value out = sketch.list(GraphSketch::values({into}));
        const std::vector<Value> source = GraphSketch::values({gathered});
        const NodeId copy = call_with("aten.split_with_sizes_copy.out", source, "out", out, {});
        const NodeId nothing = call_with("aten.split_with_sizes_copy.out", source, "out", sketch.list({}), {});
        const NodeId view = call_with("aten.view.default", source, "out", out, {});
        const NodeId made =
            call_with("aten.split_with_sizes_copy.out", source, "out", out, {sketch.tensor("float32", {1})});
        const std::vector<double> times_ms = finish({}, {.scope = scope}).times_ms;
        EXPECT_DOUBLE_EQ(times_ms[copy], scope == CompiledScope::eager ? 0.01 + 2 * 4000 * 2e-6 : 0);
        EXPECT_EQ(times_ms[nothing], 0);
        EXPECT_EQ(times_ms[view], 0);
        // What returns something is a kernel, which writes that where anything may read it.
        EXPECT_DOUBLE_EQ(times_ms[made], 0.01 + (2 * 4000 + (scope == CompiledScope::whole ? 0 : 4)) * 2e-6);
    }
}

TEST_F(CompiledPrices, AreOfGeneratedKernelsWhereSomethingIsCompiled) {
    for (const bool compiled : {true, false}) {
        start();
        const NodeId x = input({10, 10}), inlined = call("aten.exp.default", GraphSketch::values({x}), {10, 10});
        const NodeId kernel = call("aten.exp.default", GraphSketch::values({inlined}), {10, 10});
        const NodeId product = call("aten.mm.default", GraphSketch::values({kernel, x}), {10, 10});
        const NodeId gather = sketch.gather("gather", product, 1);
        const std::vector<bool> generated =
            finish({gather}, {.scope = compiled ? CompiledScope::whole : CompiledScope::eager}).generated;
        EXPECT_EQ(generated[inlined], compiled);
        EXPECT_EQ(generated[kernel], compiled);
        EXPECT_FALSE(generated[product]);
        EXPECT_FALSE(generated[gather]);
    }
}

}  // namespace
}  // namespace overlap::test
