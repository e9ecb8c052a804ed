#include "core/batch/dimension_classes.h"

#include <algorithm>
#include <numeric>

namespace overlap {

DimensionClasses::DimensionClasses(const Graph& graph) : graph_(&graph) {
    DimensionId next = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        first_output_.push_back(static_cast<std::uint32_t>(first_.size()));
        for (const TensorMeta& tensor : graph.outputs(node)) {
            first_.push_back(next);
            if (!tensor.is_tensor) continue;
            const std::span<const std::int64_t> sizes = graph.shape(tensor);
            sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
            next += tensor.rank;
        }
    }
    growing_ = next;
    fixed_ = next + 1;
    parent_.resize(next + 2);
    std::iota(parent_.begin(), parent_.end(), DimensionId{0});
    times_.assign(next + 2, whole_fraction);
}

Dimensions DimensionClasses::of(NodeId node, std::size_t output) const {
    const std::span<const TensorMeta> outputs = graph_->outputs(node);
    if (output >= outputs.size() || !outputs[output].is_tensor) return {};
    return {first_[first_output_[node] + output], graph_->shape(outputs[output])};
}

void DimensionClasses::join(DimensionId left, DimensionId right, const Fraction& times) {
    if (left == no_dimension || right == no_dimension) {
        unfit_ = true;
        return;
    }
    const Place one = place_of(left), other = place_of(right);
    if (one.root == other.root) {
        const bool holds_other_count = other.times != one.times * times;
        if (holds_other_count && one.root != root(fixed_)) demand(right, Demand::one_count);
        return;
    }
    const auto either = [&](DimensionId of_class) {
        return one.root == root(of_class) || other.root == root(of_class);
    };
    if (either(growing_) && either(fixed_)) {
        if (contradiction_ == no_node) contradiction_ = visited_;
        return;
    }
    parent_[one.root] = other.root;
    times_[one.root] = other.times / (one.times * times);
}

NodeId DimensionClasses::resolve_sums() {
    std::vector<DimensionSum> open = std::exchange(sums_, {});
    for (std::size_t before = open.size() + 1; open.size() < before && contradiction_ == no_node;) {
        before = open.size();
        std::erase_if(open, [&](const DimensionSum& sum) { return resolve(sum); });
    }
    for (const DimensionSum& sum : open) {
        const auto growing = [&](DimensionId dimension) { return grows(dimension); };
        if (growing(sum.whole) || std::ranges::any_of(sum.parts, growing)) return sum.node;
    }
    return no_node;
}

bool DimensionClasses::resolve(const DimensionSum& sum) {
    visit(sum.node);
    const Place first = place_of(sum.parts.front());
    Fraction all = first.times;
    bool together = true;
    for (const DimensionId part : std::span(sum.parts).subspan(1)) {
        const Place place = place_of(part);
        together = together && place.root == first.root;
        all = all + place.times;
    }
    if (together) {
        join(sum.parts.front(), sum.whole, all / first.times);
    } else if (fixed(sum.whole)) {
        for (const DimensionId part : sum.parts) fix(part);
    } else {
        return false;
    }
    return true;
}

DimensionClasses::Place DimensionClasses::place_of(DimensionId dimension) const {
    Place place{dimension, whole_fraction};
    while (parent_[place.root] != place.root) {
        const DimensionId parent = parent_[place.root];
        times_[place.root] = times_[place.root] * times_[parent];
        parent_[place.root] = parent_[parent];
        place.times = place.times * times_[place.root];
        place.root = parent_[place.root];
    }
    return place;
}

}  // namespace overlap
