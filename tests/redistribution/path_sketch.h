#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/redistribution/redistribution_path.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {

/// Draws the ways of tensors through collectives, one line an operator. Nodes are named as torch names them: `slice`,
/// `slice_1`. Process group "0" has ranks 0 to 3, of which this is rank 0.
class PathSketch : public GraphSketch {
  public:
    /// A process group with the cost of a link.
    void ranks(std::string_view name, std::vector<int> ranks, int rank, std::string_view description = "") {
        group(name, 1, 0.02, 1e9);
        ProcessGroup& added = header().process_groups.back();
        added.ranks = std::move(ranks);
        added.rank = rank;
        added.description = description;
    }

    NodeId parameter(Extents sizes) { return input(fresh("parameter"), tensor("float32", std::move(sizes))); }

    NodeId op(std::string_view target, std::vector<Value> arguments, Extents sizes) {
        return call(fresh(stem(target)), target, std::move(arguments), {tensor("float32", std::move(sizes))});
    }
    NodeId wait(NodeId start, Extents sizes) {
        return op("_c10d_functional.wait_tensor.default", values({start}), std::move(sizes));
    }
    /// @returns the wait of an all-gather of dimension 0.
    NodeId gather(NodeId from, int ranks, const Extents& sizes, std::string_view group = "0") {
        return wait(op("_c10d_functional.all_gather_into_tensor.default",
                       {Value::of_node(from), Value::of_integer(ranks), text(group)}, sizes),
                    sizes);
    }
    /// @returns the wait of a reduce-scatter along dimension 0.
    NodeId scatter(NodeId from, int ranks, const Extents& sizes, std::string_view group = "0",
                   std::string_view reduction = "sum") {
        return wait(op("_c10d_functional.reduce_scatter_tensor.default",
                       {Value::of_node(from), text(reduction), Value::of_integer(ranks), text(group)}, sizes),
                    sizes);
    }
    /// @returns the wait of an all-reduce.
    NodeId reduce(NodeId from, const Extents& sizes, std::string_view group = "0", std::string_view reduction = "sum") {
        return wait(
            op("_c10d_functional.all_reduce.default", {Value::of_node(from), text(reduction), text(group)}, sizes),
            sizes);
    }
    NodeId exchange(NodeId from, int gathered, int cut, Extents sizes, std::string_view group = "0") {
        return op("_dtensor.shard_dim_alltoall.default",
                  {Value::of_node(from), Value::of_integer(gathered), Value::of_integer(cut), text(group)},
                  std::move(sizes));
    }
    NodeId slice(NodeId from, int dim, std::int64_t begin, std::int64_t end, Extents sizes, std::int64_t step = 1) {
        return op("aten.slice.Tensor",
                  {Value::of_node(from), Value::of_integer(dim), Value::of_integer(begin), Value::of_integer(end),
                   Value::of_integer(step)},
                  std::move(sizes));
    }
    /// @param widths added before and behind the last dimension, then the one before it.
    NodeId pad(NodeId from, const std::vector<std::int64_t>& widths, Extents sizes) {
        std::vector<Value> added;
        for (const std::int64_t width : widths) added.push_back(Value::of_integer(width));
        return op("aten.constant_pad_nd.default", {Value::of_node(from), list(added)}, std::move(sizes));
    }
    /// @returns the split itself, into `count` pieces of `sizes`.
    NodeId split(NodeId from, int dim, int count, const Extents& sizes) {
        const std::vector<TensorMeta> pieces(static_cast<std::size_t>(count), tensor("float32", sizes));
        return call(
            fresh("split"), "aten.split.Tensor",
            {Value::of_node(from), Value::of_integer(sizes[static_cast<std::size_t>(dim)]), Value::of_integer(dim)},
            pieces);
    }
    NodeId piece(NodeId of, int index, Extents sizes) {
        return op("operator.getitem", {Value::of_node(of), Value::of_integer(index)}, std::move(sizes));
    }
    std::vector<NodeId> pieces(NodeId of, int count, const Extents& sizes) {
        std::vector<NodeId> all;
        for (int index = 0; index < count; ++index) all.push_back(piece(of, index, sizes));
        return all;
    }
    NodeId cat(const std::vector<NodeId>& joined, int dim, Extents sizes) {
        std::vector<Value> items;
        for (const NodeId node : joined) items.push_back(Value::of_node(node));
        return op("aten.cat.default", {list(items), Value::of_integer(dim)}, std::move(sizes));
    }
    /// What is no redistribution.
    NodeId compute(NodeId from, Extents sizes) { return op("aten.mul.Tensor", values({from}), std::move(sizes)); }

    std::shared_ptr<const Graph> graph(std::initializer_list<NodeId> returned = {}) {
        return std::make_shared<const Graph>(finish(returned));
    }

  private:
    static std::string_view stem(std::string_view target) {
        target.remove_prefix(target.find('.') + 1);
        return target.substr(0, target.find('.'));
    }
    std::string fresh(std::string_view stem) {
        const int before = used_[std::string(stem)]++;
        return before == 0 ? std::string(stem) : std::string(stem) + "_" + std::to_string(before);
    }

    std::map<std::string, int> used_;  ///< how many nodes have a name already
};

}  // namespace overlap::test
