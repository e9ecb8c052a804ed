// What a module reads or others read of it, of which no halves can be made.

#include <functional>

#include "tests/passes/experts/chunk_fixture.h"

namespace overlap {
namespace {

class ChunkRefusalsTest : public test::ChunkTest {
  protected:
    static constexpr std::string_view pass = "ep_overlap_chunk_pass", module = "layers.1.moe";

    NodeMetadata with_fields(std::string_view of, std::string_view fields) {
        NodeMetadata metadata = in(of);
        metadata.extra_json = builder_.intern(fields);
        return metadata;
    }
    NodeMetadata backward(NodeMetadata metadata) {
        metadata.autograd_backward = true;
        return metadata;
    }
    /// A number that a node outside the module takes from another one, as this expression.
    NodeId number(NodeId of, std::string_view target, std::int64_t place, std::string_view expression) {
        const Value args[] = {Value::of_node(of), Value::of_integer(place)};
        const std::string fields = R"({"symbolic_value":{"symbol":")" + std::string(expression) + R"(","hint":8}})";
        return builder_.call("number", target, args, {}, with_fields("layers.1", fields));
    }
    /// The module computes with a number, which others read, too: else it would be the module's own.
    void scale_by(NodeId x, NodeId number, NodeMetadata metadata, std::int64_t size = 8) {
        const NodeId scaled = node("scaled", "aten.mul.Tensor", {x, number}, metadata, size);
        const NodeId whole = call("whole", "aten.mul.Tensor", {placeholder("y"), number});
        output({node("add", "aten.sigmoid.default", {tokens("exchanged", scaled, size)}, in("layers.1"), size), whole});
    }
    void finish_with(NodeId last) {
        output({node("add", "aten.sigmoid.default", {tokens("exchanged", last)}, in("layers.1"))});
    }
};

TEST_F(ChunkRefusalsTest, NameTheNodeAndTheReason) {
    struct Case {
        std::function<void()> build;
        std::string reason;
        Json options;
    };
    const Case cases[] = {
        {[&] {
             const NodeId x = batch("x"), y = placeholder("y", {4});
             const NodeId late =
                 call("late", "aten.neg.default", {Value::of_node(y)}, {4}, backward(with_fields("layers.2", "")));
             finish_with(node("sum", "aten.add.Tensor", {x, late}, in(module)));
         },
         "node \"sum\": it is in the forward pass and reads \"late\" of the backward pass; torchtitan raises a "
         "ValueError",
         {}},
        // The number is nobody else's, so it becomes the module's own, and with it what it is taken from.
        {[&] {
             const NodeId x = batch("x");
             const NodeId late = call("late", "aten.neg.default", {Value::of_node(x)}, {8, 4},
                                      backward(with_fields("layers.2", R"({"symbolic_shapes":[["u0",4]]})")));
             finish_with(
                 node("scaled", "aten.mul.Tensor", {x, number(late, "aten.sym_size.int", 0, "u0")}, in(module)));
         },
         "node \"late\": it is in the backward pass, and the forward pass of \"layers.1.moe\" reads it; torchtitan "
         "raises a ValueError",
         {}},
        {[&] {
             const NodeId x = batch("x");
             scale_by(x, number(x, "aten.sym_size.int", 5, "u0"), in(module));
         },
         "node \"number\": the value that it measures has no such dimension; torchtitan raises a ValueError",
         {}},
        {[&] {
             const NodeId x = batch("x");
             scale_by(x, number(x, "aten.sym_size.int", -3, "u0"), in(module));
         },
         "node \"number\": the value that it measures has no such dimension; torchtitan raises a ValueError",
         {}},
        {[&] {
             const NodeId x = batch("x");
             scale_by(x, number(x, "operator.add", 1, "u0 + 1"), in(module));
         },
         "node \"number\": its value \"u0 + 1\" is no multiple of the halved size; no graph shows what torchtitan "
         "makes of it",
         {}},
        {[&] {
             const NodeId x = batch("x", 7);
             const NodeId twice = call("twice", "aten.repeat.default", {Value::of_node(x)}, {14, 4},
                                       with_fields("layers.1", R"({"symbolic_shapes":[["2*u0",4]]})"));
             scale_by(twice, number(x, "operator.pos", 0, "u0"),
                      with_fields(module, R"({"symbolic_shapes":[["2*u0",4]]})"), 14);
         },
         "node \"number\": its value is 7, which is odd; torchtitan raises a ValueError",
         {}},
        {[&] {
             const NodeId x = batch("x");
             const NodeId longer = call("longer", "aten.constant_pad_nd.default", {Value::of_node(x)}, {10, 4},
                                        with_fields("layers.1", R"({"symbolic_shapes":[["u0 + 2",4]]})"));
             finish_with(call("relu", "aten.relu.default", {Value::of_node(longer)}, {10, 4},
                              with_fields(module, R"({"symbolic_shapes":[["u0 + 2",4]]})")));
         },
         "node \"longer\": half of its size \"u0 + 2\" is asked for, and how torch writes that is known of multiples "
         "of one symbol only",
         {}},
        {[&] {
             const NodeId relu = node("relu", "aten.relu.default", {batch("x")}, in(module));
             const NodeId rows =
                 call("rows", "aten.sum.dim_IntList", {Value::of_node(relu)}, {4}, with_fields(module, ""));
             const NodeId loss = node("loss", "aten.sigmoid.default", {tokens("exchanged", relu)}, in("layers.1"));
             const NodeId gradient = node("gradient", "aten.mul.Tensor", {relu, rows}, backward(in(module)));
             output({loss, node("behind", "aten.neg.default", {gradient}, in("layers.0")), rows});
         },
         "node \"rows\": the backward pass of \"layers.1.moe\" reads halves of it and others all of it, and it has no "
         "halved dimension to join along; torchtitan raises a ValueError",
         {}},
        {[&] {
             const NodeId relu = node("relu", "aten.relu.default", {batch("x")}, in("layers.1.attention.inner"));
             output({node("add", "aten.sigmoid.default", {tokens("exchanged", relu, 8, "layers.1")}, in("norm"))});
         },
         "node \"relu\": it belongs to attention, which needs the keys and values of the whole sequence; torchtitan "
         "raises a NotImplementedError: use the mode batch",
         {{"mode", "seq"}, {"module_pattern", "layers.*"}, {"num_static_inputs", 0}}},
    };
    for (const Case& one : cases) {
        builder_ = {};
        one.build();
        EXPECT_EQ(refusal(pass, one.options.empty() ? options_ : one.options), std::string(pass) + ": " + one.reason);
    }
}

}  // namespace
}  // namespace overlap
