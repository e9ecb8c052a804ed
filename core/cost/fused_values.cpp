#include "core/cost/fused_values.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/cost/fused_products.h"
#include "core/graph/editing/graph_editor.h"
#include "core/graph/strides.h"

namespace overlap {

namespace {

using Tensor = GraphEditor::GivenTensor;

class ValueFinder {
  public:
    ValueFinder(const Graph& graph, const FusedProducts& products)
        : graph_(graph), products_(products), first_(graph.node_count(), 0), count_(graph.node_count(), 0) {
        for (NodeId node = 0; node < graph.node_count(); ++node)
            for (const TensorMeta& tensor : graph.outputs(node))
                if (tensor.is_tensor) next_storage_ = std::max(next_storage_, tensor.storage + 1);
    }

    std::vector<Tensor> find() {
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            std::vector<Tensor> results;
            for (FusedProducts::Sizes& sizes : products_.results(node)) {
                std::optional<Tensor> tensor = contiguous(node, std::move(sizes));
                if (!tensor) break;
                results.push_back(std::move(*tensor));
            }
            if (results.empty() || !place(node, results)) continue;
            first_[node] = found_.size();
            count_[node] = results.size();
            std::ranges::move(results, std::back_inserter(found_));
        }
        return std::move(found_);
    }

  private:
    static std::optional<Tensor> contiguous(NodeId node, FusedProducts::Sizes sizes) {
        if (sizes.of.size() > std::numeric_limits<std::uint8_t>::max()) return {};
        Tensor tensor;
        tensor.node = node;
        tensor.dtype = sizes.dtype;
        tensor.sizes = std::move(sizes.of);
        tensor.strides = contiguous_strides(tensor.sizes);
        const std::optional<std::int64_t> reach = memory_reach(tensor.sizes, tensor.strides);
        if (!reach) return {};
        tensor.storage_bytes = *reach * dtype_info(tensor.dtype).bytes;
        return tensor;
    }

    /// Says in which memory the results of a node lie. @returns false where what it reads is not known.
    bool place(NodeId node, std::vector<Tensor>& results) {
        const std::vector<Tensor> read = tensors_of(node);
        if (read.empty()) return false;
        if (products_.is_fused(node)) {
            for (Tensor& result : results) {
                result.device = read.front().device;
                result.storage = next_storage_++;
            }
            return true;
        }
        if (graph_.target_info(node).is_getitem) return share_items(node, read, results);
        if (const Value* strides = graph_.argument(node, 1);
            graph_.target(node) == "prims.inductor_force_stride_order.default" && strides)
            restride(*strides, results.front());
        // A copy only where the tensor does not lie as it is asked to.
        const bool moves = graph_.target(node) != "aten.reshape.default" && results.front().strides != read[0].strides;
        results.front().device = read[0].device;
        results.front().storage = moves ? next_storage_++ : read[0].storage;
        if (!moves) results.front().storage_bytes = read[0].storage_bytes;
        return true;
    }

    /// What the first argument of a node returns.
    std::vector<Tensor> tensors_of(NodeId node) const {
        const Value* argument = graph_.argument(node, 0);
        if (!argument || !argument->is(ValueKind::node)) return {};
        const NodeId of = argument->node;
        std::vector<Tensor> tensors(found_.begin() + static_cast<std::ptrdiff_t>(first_[of]),
                                    found_.begin() + static_cast<std::ptrdiff_t>(first_[of] + count_[of]));
        for (const TensorMeta& known : graph_.outputs(of)) {
            if (!known.is_tensor) return {};
            const auto shape = graph_.shape(known), stride = graph_.stride(known);
            tensors.push_back({of,
                               known.dtype,
                               {shape.begin(), shape.end()},
                               {stride.begin(), stride.end()},
                               known.device,
                               known.storage,
                               known.storage_bytes});
        }
        return tensors;
    }

    /// Item 0 of a fused gather is what it gathered, item 1 the list of the products.
    bool share_items(NodeId getitem, const std::vector<Tensor>& read, std::vector<Tensor>& results) const {
        const NodeId of = graph_.argument(getitem, 0)->node;
        auto item = static_cast<std::size_t>(graph_.argument(getitem, 1)->integer);
        for (Tensor& result : results) {
            const std::size_t place = products_.is_fused(of) && item > 0 ? item++ : item;
            if (place >= read.size()) return false;
            result.device = read[place].device;
            result.storage = read[place].storage;
            result.storage_bytes = read[place].storage_bytes;
        }
        return true;
    }

    void restride(const Value& strides, Tensor& result) const {
        if (!strides.is(ValueKind::list) || strides.count != result.sizes.size()) return;
        std::vector<std::int64_t> asked;
        for (const Value& stride : graph_.children(strides)) {
            if (!stride.is(ValueKind::integer) || stride.integer < 0) return;
            asked.push_back(stride.integer);
        }
        const std::optional<std::int64_t> reach = memory_reach(result.sizes, asked);
        if (!reach) return;
        result.strides = std::move(asked);
        result.storage_bytes = *reach * dtype_info(result.dtype).bytes;
    }

    const Graph& graph_;
    const FusedProducts& products_;
    std::vector<Tensor> found_;
    std::vector<std::size_t> first_, count_;  ///< by node, in found_
    std::uint32_t next_storage_ = 0;
};

}  // namespace

FusedValues::FusedValues(const Graph& graph) : graph_(graph) {
    const FusedProducts products(graph);
    if (!products.any()) return;
    const std::vector<Tensor> tensors = ValueFinder(graph, products).find();
    if (!tensors.empty()) made_ = GraphEditor::with_outputs(graph, tensors);
}

}  // namespace overlap
