// Operators that return their input's memory under another shape.

#include <algorithm>
#include <array>
#include <numeric>

#include "core/imports/operators/shape_rules.h"

namespace overlap {
namespace {

KnownTensor viewed(const KnownTensor& base, Sizes shape, Sizes stride, std::int64_t offset) {
    KnownTensor view = base;
    view.shape = std::move(shape);
    view.stride = std::move(stride);
    view.offset = offset;
    return view;
}

/// A shape in which one size may be -1.
Sizes complete_shape(const KnownTensor& base, Sizes shape) {
    const std::int64_t count = element_count(base.shape);
    std::int64_t known = 1;
    std::ptrdiff_t open = -1;
    for (std::size_t index = 0; index < shape.size(); ++index) {
        if (shape[index] == -1 && open < 0) {
            open = static_cast<std::ptrdiff_t>(index);
        } else if (shape[index] < 0 || __builtin_mul_overflow(known, shape[index], &known)) {
            throw UnknownShape{"its sizes are impossible"};
        }
    }
    if (open >= 0) {
        if (known == 0 || count % known != 0) throw UnknownShape{"its sizes do not fit its input"};
        shape[static_cast<std::size_t>(open)] = count / known;
    } else if (known != count) {
        throw UnknownShape{"its sizes do not fit its input"};
    }
    return shape;
}

void same(ShapeCall& call) {
    call.returns(call.tensor(0, "self"));
}

void view(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    Sizes shape = complete_shape(base, call.integers(1, "size"));
    std::optional<Sizes> stride = view_strides(base, shape);
    if (!stride) throw UnknownShape{"its input cannot be viewed in these sizes"};
    call.returns(viewed(base, std::move(shape), std::move(*stride), base.offset));
}

/// A view where that is possible, else a copy.
void reshape(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    Sizes shape = complete_shape(base, call.integers(1, "shape"));
    std::optional<Sizes> stride = view_strides(base, shape);
    if (!stride) {
        call.returns(call.fresh(base.dtype, std::move(shape), base.device));
        return;
    }
    call.returns(viewed(base, std::move(shape), std::move(*stride), base.offset));
}

void view_dtype(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    const Dtype dtype = call.dtype_or(1, "dtype", base.dtype);
    const int from = dtype_info(base.dtype).bytes;
    const int to = dtype_info(dtype).bytes;
    KnownTensor result = base;
    result.dtype = dtype;
    if (from != to) {
        if (base.rank() == 0 || base.stride.back() != 1) throw UnknownShape{"its last dimension is not contiguous"};
        auto scale = [&](std::int64_t number) {
            if (from > to) return number * (from / to);
            if (number % (to / from) != 0) throw UnknownShape{"its sizes do not fit the new dtype"};
            return number / (to / from);
        };
        result.shape.back() = scale(result.shape.back());
        for (std::size_t index = 0; index + 1 < result.rank(); ++index)
            result.stride[index] = scale(result.stride[index]);
        result.offset = scale(result.offset);
    }
    call.returns(std::move(result));
}

void swap_dimensions(ShapeCall& call, const KnownTensor& base, std::size_t left, std::size_t right) {
    KnownTensor result = base;
    std::swap(result.shape[left], result.shape[right]);
    std::swap(result.stride[left], result.stride[right]);
    call.returns(std::move(result));
}

void matrix_transpose(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    if (base.rank() < 2) {
        call.returns(base);
    } else {
        swap_dimensions(call, base, 0, 1);
    }
}

void transpose(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    const std::size_t first = call.dimension(1, "dim0", base.rank());
    swap_dimensions(call, base, first, call.dimension(2, "dim1", base.rank()));
}

void permute(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    const Sizes order = call.integers(1, "dims");
    if (order.size() != base.rank()) throw UnknownShape{"its dimensions do not fit its input"};
    KnownTensor result = base;
    std::vector<bool> taken(base.rank());
    for (std::size_t index = 0; index < order.size(); ++index) {
        const auto from = order[index] + (order[index] < 0 ? static_cast<std::int64_t>(base.rank()) : 0);
        if (from < 0 || from >= static_cast<std::int64_t>(base.rank())) {
            throw UnknownShape{"it names a dimension that its input does not have"};
        }
        if (taken[static_cast<std::size_t>(from)]) throw UnknownShape{"it names a dimension twice"};
        taken[static_cast<std::size_t>(from)] = true;
        result.shape[index] = base.shape[static_cast<std::size_t>(from)];
        result.stride[index] = base.stride[static_cast<std::size_t>(from)];
    }
    call.returns(std::move(result));
}

void expand(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    Sizes shape = call.integers(1, "size");
    if (shape.size() < base.rank()) throw UnknownShape{"it has fewer dimensions than its input"};
    Sizes stride(shape.size());
    const std::size_t front = shape.size() - base.rank();
    for (std::size_t index = shape.size(); index-- > 0;) {
        const bool is_new = index < front;
        const std::int64_t size = is_new ? 1 : base.shape[index - front];
        // A dimension of its own keeps contiguous strides of what is behind it, as at::inferExpandGeometry has it.
        const std::int64_t behind = index + 1 == shape.size() ? 1 : shape[index + 1] * stride[index + 1];
        stride[index] = is_new ? behind : base.stride[index - front];
        if (shape[index] == -1 && !is_new) shape[index] = size;
        if (size != shape[index]) {
            if (size != 1 || shape[index] < 0) throw UnknownShape{"its sizes do not fit its input"};
            stride[index] = 0;
        }
    }
    call.returns(viewed(base, std::move(shape), std::move(stride), base.offset));
}

void unsqueeze(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    const std::size_t at = call.dimension(1, "dim", base.rank() + 1);
    KnownTensor result = base;
    const std::int64_t stride = at < base.rank() ? base.shape[at] * base.stride[at] : 1;
    result.shape.insert(result.shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
    result.stride.insert(result.stride.begin() + static_cast<std::ptrdiff_t>(at), stride);
    call.returns(std::move(result));
}

void squeeze(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    std::vector<bool> wanted(base.rank(), !call.is_given(1, "dim"));
    if (call.is_given(1, "dim")) {
        for (std::int64_t dimension : call.integers(1, "dim")) {
            if (dimension < 0) dimension += static_cast<std::int64_t>(base.rank());
            if (dimension < 0 || dimension >= static_cast<std::int64_t>(base.rank())) {
                throw UnknownShape{"it names a dimension that its input does not have"};
            }
            wanted[static_cast<std::size_t>(dimension)] = true;
        }
    }
    KnownTensor result = viewed(base, {}, {}, base.offset);
    for (std::size_t index = 0; index < base.rank(); ++index) {
        if (wanted[index] && base.shape[index] == 1) continue;
        result.shape.push_back(base.shape[index]);
        result.stride.push_back(base.stride[index]);
    }
    call.returns(std::move(result));
}

/// The part [start, end) of a dimension, in steps.
KnownTensor sliced(const KnownTensor& base, std::size_t dimension, std::int64_t start, std::int64_t end,
                   std::int64_t step) {
    const std::int64_t size = base.shape[dimension];
    if (step <= 0) throw UnknownShape{"its step is not positive"};
    start = std::clamp(start < 0 ? start + size : start, std::int64_t{0}, size);
    end = std::clamp(end < 0 ? end + size : end, start, size);
    KnownTensor result = base;
    result.shape[dimension] = (end - start) / step + ((end - start) % step != 0 ? 1 : 0);
    if (__builtin_mul_overflow(base.stride[dimension], step, &result.stride[dimension])) {
        throw UnknownShape{"its step is impossible"};
    }
    result.offset = base.offset + start * base.stride[dimension];
    return result;
}

void slice(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    const std::size_t dimension = call.dimension_or(1, "dim", 0, base.rank());
    constexpr std::int64_t to_the_end = INT64_MAX;
    call.returns(sliced(base, dimension, call.integer_or(2, "start", 0), call.integer_or(3, "end", to_the_end),
                        call.integer_or(4, "step", 1)));
}

void narrow(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    const std::size_t dimension = call.dimension(1, "dim", base.rank());
    const std::int64_t size = base.shape[dimension];
    std::int64_t start = call.integer(2, "start");
    if (start < 0) start += size;
    const std::int64_t length = call.integer(3, "length");
    if (start < 0 || start > size || length < 0 || length > size - start) {
        throw UnknownShape{"its part reaches outside of its input"};
    }
    call.returns(sliced(base, dimension, start, start + length, 1));
}

/// One place of a dimension, which goes.
KnownTensor selected(const KnownTensor& base, std::size_t dimension, std::int64_t index) {
    if (index < 0) index += base.shape[dimension];
    if (index < 0 || index >= base.shape[dimension]) throw UnknownShape{"its index is outside of its input"};
    KnownTensor result = base;
    result.offset += index * base.stride[dimension];
    result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(dimension));
    result.stride.erase(result.stride.begin() + static_cast<std::ptrdiff_t>(dimension));
    return result;
}

void select(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    call.returns(selected(base, call.dimension(1, "dim", base.rank()), call.integer(2, "index")));
}

void unbind(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    const std::size_t dimension = call.dimension_or(1, "dim", 0, base.rank());
    call.returns_tuple();
    for (std::int64_t index = 0; index < base.shape[dimension]; ++index) {
        call.returns(selected(base, dimension, index));
    }
}

void split_into(ShapeCall& call, const KnownTensor& base, std::size_t dimension, const Sizes& sizes) {
    call.returns_tuple();
    std::int64_t start = 0;
    for (const std::int64_t size : sizes) {
        if (size < 0 || size > base.shape[dimension] - start) throw UnknownShape{"its sizes do not fit its input"};
        call.returns(sliced(base, dimension, start, start + size, 1));
        start += size;
    }
    if (start != base.shape[dimension]) throw UnknownShape{"its sizes do not fit its input"};
}

void split_with_sizes(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    split_into(call, base, call.dimension_or(2, "dim", 0, base.rank()), call.integers(1, "split_sizes"));
}

/// Sizes of parts of `part`, the last one smaller where it does not fit.
Sizes parts_of(std::int64_t size, std::int64_t part) {
    constexpr std::int64_t most_parts = 1 << 20;
    if (part <= 0 || size / part > most_parts) throw UnknownShape{"its sizes are impossible"};
    Sizes sizes;
    for (std::int64_t start = 0; start < size; start += part) sizes.push_back(std::min(part, size - start));
    if (sizes.empty()) sizes.push_back(0);
    return sizes;
}

void split(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    const std::size_t dimension = call.dimension_or(2, "dim", 0, base.rank());
    split_into(call, base, dimension, parts_of(base.shape[dimension], call.integer(1, "split_size")));
}

void chunk(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    const std::size_t dimension = call.dimension_or(2, "dim", 0, base.rank());
    const std::int64_t chunks = call.integer(1, "chunks");
    if (chunks <= 0) throw UnknownShape{"its sizes are impossible"};
    const std::int64_t size = base.shape[dimension];
    split_into(call, base, dimension, parts_of(size, std::max<std::int64_t>((size + chunks - 1) / chunks, 1)));
}

void as_strided(ShapeCall& call) {
    const KnownTensor& base = call.tensor(0, "self");
    Sizes shape = call.integers(1, "size");
    Sizes stride = call.integers(2, "stride");
    if (shape.size() != stride.size()) throw UnknownShape{"its sizes and strides differ in number"};
    constexpr auto is_negative = [](std::int64_t number) { return number < 0; };
    const std::int64_t offset = call.integer_or(3, "storage_offset", base.offset);
    std::int64_t end = 0;
    if (std::ranges::any_of(shape, is_negative) || std::ranges::any_of(stride, is_negative) || offset < 0 ||
        __builtin_mul_overflow(offset, dtype_info(base.dtype).bytes, &end) ||
        __builtin_add_overflow(end, dense_bytes(base.dtype, shape, stride), &end) || end > base.storage_bytes) {
        throw UnknownShape{"it reaches outside of its input's memory"};
    }
    call.returns(viewed(base, std::move(shape), std::move(stride), offset));
}

void view_as_real(ShapeCall& call) {
    KnownTensor result = call.tensor(0, "self");
    const std::string_view name = dtype_info(result.dtype).name;
    const auto part = dtype_by_name(name == "complex64" ? "float32" : name == "complex128" ? "float64" : "float16");
    if (!name.starts_with("complex")) throw UnknownShape{"its input is not complex"};
    result.dtype = *part;
    for (std::int64_t& stride : result.stride) stride *= 2;
    result.offset *= 2;
    result.shape.push_back(2);
    result.stride.push_back(1);
    call.returns(std::move(result));
}

void view_as_complex(ShapeCall& call) {
    KnownTensor result = call.tensor(0, "self");
    const std::string_view name = dtype_info(result.dtype).name;
    const bool fits = result.rank() > 0 && result.shape.back() == 2 && result.stride.back() == 1;
    if (!fits || (name != "float32" && name != "float64" && name != "float16")) {
        throw UnknownShape{"its input is no list of pairs"};
    }
    result.dtype = *dtype_by_name(name == "float32" ? "complex64" : name == "float64" ? "complex128" : "complex32");
    result.shape.pop_back();
    result.stride.pop_back();
    for (std::int64_t& stride : result.stride) stride /= 2;
    result.offset /= 2;
    call.returns(std::move(result));
}

constexpr std::array views = std::to_array<NamedShapeRule>({
    {"aten._conj", same},
    {"aten._reshape_alias", view},
    {"aten._unsafe_view", view},
    {"aten.alias", same},
    {"aten.as_strided", as_strided},
    {"aten.chunk", chunk},
    {"aten.detach", same},
    {"aten.expand", expand},
    {"aten.narrow", narrow},
    {"aten.permute", permute},
    {"aten.reshape", reshape},
    {"aten.select.int", select},
    {"aten.slice.Tensor", slice},
    {"aten.split.Tensor", split},
    {"aten.split_with_sizes", split_with_sizes},
    {"aten.squeeze", squeeze},
    {"aten.squeeze.dim", squeeze},
    {"aten.squeeze.dims", squeeze},
    {"aten.t", matrix_transpose},
    {"aten.transpose.int", transpose},
    {"aten.unbind.int", unbind},
    {"aten.unsqueeze", unsqueeze},
    {"aten.view", view},
    {"aten.view.dtype", view_dtype},
    {"aten.view_as_complex", view_as_complex},
    {"aten.view_as_real", view_as_real},
});

}  // namespace

std::span<const NamedShapeRule> view_rules() {
    return views;
}

}  // namespace overlap
