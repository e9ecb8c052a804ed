// Concatenation, look-ups and sorting.

#include <algorithm>
#include <array>

#include "core/imports/operators/shape_rules.h"

namespace overlap {
namespace {

void concatenate(ShapeCall& call) {
    std::vector<const KnownTensor*> parts;
    std::optional<Dtype> dtype;
    for (const KnownTensor* part : call.tensors(0, "tensors")) {
        dtype = dtype ? promote_dtypes(*dtype, part->dtype) : part->dtype;
        if (!dtype) throw UnknownShape{"torch does not promote these dtypes"};
        if (part->rank() != 1 || part->shape[0] != 0) parts.push_back(part);  // torch skips empty lists
    }
    if (parts.empty()) throw UnknownShape{"it concatenates nothing"};
    const std::size_t dimension = call.dimension_or(1, "dim", 0, parts[0]->rank());
    Sizes shape = parts[0]->shape;
    shape[dimension] = 0;
    for (const KnownTensor* part : parts) {
        if (part->rank() != shape.size()) throw UnknownShape{"its inputs differ in their dimensions"};
        if (part->is_channels_last()) throw UnknownShape{"an input is in the order channels_last"};
        for (std::size_t index = 0; index < shape.size(); ++index) {
            if (index == dimension) {
                shape[index] += part->shape[index];
            } else if (part->shape[index] != shape[index]) {
                throw UnknownShape{"its inputs differ in their sizes"};
            }
        }
    }
    call.returns(call.fresh(*dtype, std::move(shape), parts[0]->device));
}

void stack(ShapeCall& call) {
    const std::vector<const KnownTensor*> parts = call.tensors(0, "tensors");
    if (parts.empty()) throw UnknownShape{"it stacks nothing"};
    Sizes shape = parts[0]->shape;
    for (const KnownTensor* part : parts) {
        if (part->shape != shape || part->dtype != parts[0]->dtype) throw UnknownShape{"its inputs differ"};
        if (part->is_channels_last()) throw UnknownShape{"an input is in the order channels_last"};
    }
    const std::size_t dimension = call.dimension_or(1, "dim", 0, shape.size() + 1);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dimension), static_cast<std::int64_t>(parts.size()));
    call.returns(call.fresh(parts[0]->dtype, std::move(shape), parts[0]->device));
}

void embedding(ShapeCall& call) {
    const KnownTensor& weight = call.tensor(0, "weight");
    Sizes shape = call.tensor(1, "indices").shape;
    if (weight.rank() != 2) throw UnknownShape{"its table has not two dimensions"};
    shape.push_back(weight.shape[1]);
    call.returns(call.fresh(weight.dtype, std::move(shape), weight.device));
}

void embedding_backward(ShapeCall& call) {
    const KnownTensor& gradient = call.tensor(0, "grad_output");
    if (gradient.rank() == 0) throw UnknownShape{"its gradient has no dimensions"};
    const std::int64_t rows = call.integer(2, "num_weights");
    call.returns(call.fresh(gradient.dtype, {rows, gradient.shape.back()}, gradient.device));
}

/// `index(self, [None, i, j])`: dimensions with an index become the indices' common shape.
void index(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    const Value* list = call.argument(1, "indices");
    if (!list || !list->is(ValueKind::list)) throw UnknownShape{"its indices are no list"};
    const auto items = call.children(*list);
    if (items.size() > self.rank()) throw UnknownShape{"it has more indices than dimensions"};
    std::vector<Sizes> shapes;
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < items.size(); ++place) {
        if (items[place].is(ValueKind::none)) continue;
        const KnownTensor& indices = call.tensor_of(items[place]);
        if (dtype_category(indices.dtype) != DtypeCategory::integral || dtype_info(indices.dtype).name == "uint8") {
            throw UnknownShape{"how many elements its mask selects is known only at run time"};
        }
        shapes.push_back(indices.shape);
        places.push_back(place);
    }
    const std::optional<Sizes> common = broadcast(shapes);
    if (places.empty() || !common) throw UnknownShape{"its indices do not fit together"};
    if (!self.is_contiguous()) throw UnknownShape{"its input is not contiguous"};
    const bool adjacent = places.back() - places.front() + 1 == places.size();
    const std::size_t at = adjacent ? places.front() : 0;
    Sizes shape;
    for (std::size_t dimension = 0, next = 0; dimension <= self.rank(); ++dimension) {
        if (shape.size() == at && next == 0) {
            shape.insert(shape.end(), common->begin(), common->end());
            next = 1;
        }
        if (dimension == self.rank()) break;
        if (std::find(places.begin(), places.end(), dimension) == places.end()) shape.push_back(self.shape[dimension]);
    }
    if (places.front() > 0 && !adjacent) throw UnknownShape{"its indices are not side by side"};
    call.returns(call.fresh(self.dtype, std::move(shape), self.device));
}

/// Operators that return a contiguous tensor of their input's sizes, whatever its strides are.
void contiguous_copy(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns(call.fresh(self.dtype, self.shape, self.device));
}

/// Operators that return their input with some elements changed, in its strides.
void changed_copy(ShapeCall& call) {
    call.returns(call.fresh_like(call.tensor(0, "self")));
}

void gather(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns(call.fresh(self.dtype, call.tensor(2, "index").shape, self.device));
}

void index_select(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    const KnownTensor& indices = call.tensor(2, "index");
    Sizes shape = self.shape;
    if (indices.rank() != 1) throw UnknownShape{"its indices have not one dimension"};
    shape[call.dimension(1, "dim", self.rank())] = indices.shape[0];
    call.returns(call.fresh(self.dtype, std::move(shape), self.device));
}

void top_k(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    Sizes shape = self.shape;
    const std::int64_t count = call.integer(1, "k");
    const std::size_t dimension = shape.empty() ? 0 : call.dimension_or(2, "dim", -1, self.rank());
    const std::int64_t most = shape.empty() ? 1 : shape[dimension];
    if (count < 0 || count > most) throw UnknownShape{"it wants more elements than there are"};
    if (!shape.empty()) shape[dimension] = count;
    call.returns(call.fresh(self.dtype, shape, self.device));
    call.returns(call.fresh(*dtype_by_name("int64"), shape, self.device));
}

void sort(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    const Sizes stride = preserved_strides(self);
    call.returns(call.fresh(self.dtype, self.shape, self.device, stride));
    call.returns(call.fresh(*dtype_by_name("int64"), self.shape, self.device, stride));
}

void argsort(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns(call.fresh(*dtype_by_name("int64"), self.shape, self.device, preserved_strides(self)));
}

void repeat_interleave(ShapeCall& call) {
    const KnownTensor& repeats = call.tensor(0, "repeats");
    if (!call.is_given(1, "output_size")) throw UnknownShape{"its length is known only at run time"};
    call.returns(call.fresh(repeats.dtype, {call.integer(1, "output_size")}, repeats.device));
}

void repeat(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    Sizes shape = call.integers(1, "repeats");
    if (shape.size() < self.rank()) throw UnknownShape{"it has fewer numbers than its input has dimensions"};
    for (std::size_t dimension = 0; dimension < self.rank(); ++dimension) {
        std::int64_t& size = shape[shape.size() - self.rank() + dimension];
        if (size < 0 || __builtin_mul_overflow(size, self.shape[dimension], &size)) {
            throw UnknownShape{"its sizes are impossible"};
        }
    }
    call.returns(call.fresh(self.dtype, std::move(shape), self.device));
}

/// `scatter_add(self, index, source)` of torchtitan: a copy of its first argument.
void scattered(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns(call.fresh(self.dtype, self.shape, self.device, preserved_strides(self)));
}

constexpr std::array indexing = std::to_array<NamedShapeRule>({
    {"aten.argsort", argsort},
    {"aten.argsort.stable", argsort},
    {"aten.cat", concatenate},
    {"aten.embedding", embedding},
    {"aten.embedding_dense_backward", embedding_backward},
    {"aten.gather", gather},
    {"aten.index.Tensor", index},
    {"aten.index_add", contiguous_copy},
    {"aten.index_put", changed_copy},
    {"aten.index_select", index_select},
    {"aten.repeat.default", repeat},
    {"aten.repeat_interleave.Tensor", repeat_interleave},
    {"aten.scatter.src", contiguous_copy},
    {"aten.scatter.value", contiguous_copy},
    {"aten.scatter_add", contiguous_copy},
    {"aten.sort", sort},
    {"aten.sort.stable", sort},
    {"aten.stack", stack},
    {"aten.topk", top_k},
    {"aten.tril", contiguous_copy},
    {"aten.triu", contiguous_copy},
    {"torchtitan.deterministic_scatter_add", scattered},
});

}  // namespace

std::span<const NamedShapeRule> indexing_rules() {
    return indexing;
}

}  // namespace overlap
