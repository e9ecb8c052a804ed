#include "core/batch/dimension_classes.h"

#include <numeric>

namespace overlap {

DimensionClasses::DimensionClasses(const Graph& graph) : graph_(&graph) {
    DimensionId next = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        first_output_.push_back(static_cast<std::uint32_t>(first_.size()));
        for (const TensorMeta& tensor : graph.outputs(node)) {
            first_.push_back(next);
            next += tensor.is_tensor ? tensor.rank : 0u;
        }
    }
    growing_ = next;
    fixed_ = next + 1;
    parent_.resize(next + 2);
    std::iota(parent_.begin(), parent_.end(), DimensionId{0});
}

Dimensions DimensionClasses::of(NodeId node, std::size_t output) const {
    const std::span<const TensorMeta> outputs = graph_->outputs(node);
    if (output >= outputs.size() || !outputs[output].is_tensor) return {};
    return {first_[first_output_[node] + output], graph_->shape(outputs[output])};
}

void DimensionClasses::join(DimensionId left, DimensionId right) {
    if (left == no_dimension || right == no_dimension) {
        unfit_ = true;
        return;
    }
    const DimensionId one = root(left), other = root(right);
    if (one == other) return;
    const auto either = [&](DimensionId of_class) { return one == root(of_class) || other == root(of_class); };
    if (either(growing_) && either(fixed_)) {
        contradicts_ = true;
        return;
    }
    parent_[one] = other;
}

DimensionId DimensionClasses::root(DimensionId dimension) const {
    while (parent_[dimension] != dimension) {
        parent_[dimension] = parent_[parent_[dimension]];
        dimension = parent_[dimension];
    }
    return dimension;
}

}  // namespace overlap
