#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/batch/scaled_batch.h"
#include "core/graph/graph_builder.h"

namespace overlap {

using Sizes = std::vector<std::int64_t>;

/// A step of two sequences of 8 tokens, through a table of 4 columns.
class Step {
  public:
    Step() : tokens(input("tokens", "int64", {2, 8})), table(input("table", "float32", {16, 4})) {
        embedded = call("embedding", "aten.embedding.default", {node(table), node(tokens)}, {2, 8, 4});
    }

    static Value node(NodeId id) { return Value::of_node(id); }
    Value list(const Sizes& sizes) {
        std::vector<Value> items;
        for (const std::int64_t size : sizes) items.push_back(Value::of_integer(size));
        return builder.list(items);
    }
    TensorMeta tensor(std::string_view dtype, const Sizes& sizes) {
        return builder.contiguous_tensor(*dtype_by_name(dtype), sizes);
    }
    NodeId input(std::string_view name, std::string_view dtype, const Sizes& sizes) {
        const TensorMeta value = tensor(dtype, sizes);
        return builder.placeholder(name, {&value, 1});
    }
    NodeId call(std::string_view name, std::string_view target, const std::vector<Value>& args, const Sizes& sizes) {
        const TensorMeta value = tensor("float32", sizes);
        return builder.call(name, target, args, {&value, 1});
    }
    /// A call that returns several tensors.
    NodeId calls(std::string_view name, std::string_view target, const std::vector<Value>& args,
                 const std::vector<Sizes>& results) {
        std::vector<TensorMeta> values;
        for (const Sizes& sizes : results) values.push_back(tensor("float32", sizes));
        return builder.call(name, target, args, values);
    }
    /// The graph with another batch. The table is a parameter.
    std::shared_ptr<const Graph> with(std::int64_t batch) { return with_local_batch(finish(), batch); }
    std::shared_ptr<const Graph> finish() {
        GraphHeader header;
        header.extra_json = R"({"placeholder_fqns":{"table":"embeddings.weight"}})";
        return std::make_shared<Graph>(builder.finish(header));
    }
    /// Why the batch cannot be changed; empty if it can.
    std::string refusal(std::int64_t batch) {
        try {
            with(batch);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

    GraphBuilder builder;
    NodeId tokens, table, embedded = no_node;
};

/// Sizes of what the node called `name` returns.
inline Sizes shape(const Graph& graph, std::string_view name, std::size_t output = 0) {
    const std::span<const std::int64_t> sizes = graph.shape(graph.outputs(graph.find(name))[output]);
    return {sizes.begin(), sizes.end()};
}

/// Strides of what the node called `name` returns.
inline Sizes strides(const Graph& graph, std::string_view name, std::size_t output = 0) {
    const std::span<const std::int64_t> found = graph.stride(graph.outputs(graph.find(name))[output]);
    return {found.begin(), found.end()};
}

/// The whole numbers of a list among the arguments of the node called `name`.
inline Sizes integers(const Graph& graph, std::string_view name, std::size_t argument) {
    Sizes found;
    for (const Value& value : graph.children(*graph.argument(graph.find(name), argument)))
        found.push_back(value.integer);
    return found;
}

}  // namespace overlap
