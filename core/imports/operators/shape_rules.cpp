#include "core/imports/operators/shape_rules.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace overlap {
namespace {

using RuleTable = std::unordered_map<std::string_view, ShapeRule>;

RuleTable make_table() {
    RuleTable table;
    for (const auto rules : {pointwise_rules(), view_rules(), creation_rules(), reduction_rules(), matrix_rules(),
                             indexing_rules(), attention_rules(), collective_rules(), integer_rules()}) {
        for (const NamedShapeRule& rule : rules) table.emplace(rule.target, rule.rule);
    }
    return table;
}

std::string argument_name(std::size_t index, std::string_view keyword) {
    return "argument " + std::to_string(index) + " (" + std::string(keyword) + ")";
}

std::size_t from_front(std::int64_t dimension, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    if (dimension < 0) dimension += count;
    if (dimension < 0 || dimension >= count) throw UnknownShape{"it names a dimension that its input does not have"};
    return static_cast<std::size_t>(dimension);
}

/// Overloads whose result is that of their family; any other one has a rule of its own or none.
constexpr std::array<std::string_view, 3> alike_overloads = {"default", "Tensor", "Scalar"};

/// In-place operators that write values. Those that change sizes or strides (`t_`, `resize_`) are none of them.
constexpr std::array<std::string_view, 30> writing_operators = {
    "aten.abs_",     "aten.add_",       "aten.addcmul_",    "aten.bernoulli_", "aten.bitwise_and_", "aten.bitwise_or_",
    "aten.clamp_",   "aten.clamp_max_", "aten.clamp_min_",  "aten.copy_",      "aten.div_",         "aten.exp_",
    "aten.fill_",    "aten.index_add_", "aten.index_copy_", "aten.index_put_", "aten.masked_fill_", "aten.mul_",
    "aten.neg_",     "aten.normal_",    "aten.relu_",       "aten.rsqrt_",     "aten.scatter_",     "aten.scatter_add_",
    "aten.sigmoid_", "aten.sqrt_",      "aten.sub_",        "aten.tanh_",      "aten.uniform_",     "aten.zero_"};

void returns_first_argument(ShapeCall& call) {
    call.returns(call.tensor(0, "self"));
}

}  // namespace

ShapeRule find_shape_rule(std::string_view target) {
    static const RuleTable table = make_table();
    if (const auto exact = table.find(target); exact != table.end()) return exact->second;
    const std::string_view base = target.substr(0, target.rfind('.'));
    if (std::ranges::find(writing_operators, base) != writing_operators.end()) return returns_first_argument;
    const std::string_view overload = target.substr(std::min(base.size() + 1, target.size()));
    if (std::ranges::find(alike_overloads, overload) == alike_overloads.end()) return nullptr;
    const auto family = table.find(base);
    return family != table.end() ? family->second : nullptr;
}

const Value* ShapeCall::argument(std::size_t index, std::string_view keyword) const {
    const auto args = builder_.children(record_.args);
    if (index < args.size()) return &args[index];
    const auto entries = builder_.children(record_.kwargs);
    for (std::size_t entry = 0; entry + 1 < entries.size(); entry += 2) {
        if (builder_.text(entries[entry].string) == keyword) return &entries[entry + 1];
    }
    return nullptr;
}

bool ShapeCall::is_given(std::size_t index, std::string_view keyword) const {
    const Value* value = argument(index, keyword);
    return value && !value->is(ValueKind::none);
}

const KnownTensor& ShapeCall::tensor_of(const Value& value) const {
    if (!value.is(ValueKind::node)) throw UnknownShape{"an argument is no tensor"};
    const NodeType& type = types_[value.node];
    if (!type.is_known) throw UnknownShape{"its input is unknown"};
    if (type.multi || type.outputs.size() != 1 || !type.outputs[0]) throw UnknownShape{"an argument is no tensor"};
    return *type.outputs[0];
}

const KnownTensor& ShapeCall::tensor(std::size_t index, std::string_view keyword) const {
    const Value* value = argument(index, keyword);
    if (!value) throw UnknownShape{argument_name(index, keyword) + " is not given"};
    return tensor_of(*value);
}

const KnownTensor* ShapeCall::optional_tensor(std::size_t index, std::string_view keyword) const {
    return is_given(index, keyword) ? &tensor(index, keyword) : nullptr;
}

std::vector<const KnownTensor*> ShapeCall::tensors(std::size_t index, std::string_view keyword) const {
    const Value* value = argument(index, keyword);
    if (!value || !value->is(ValueKind::list)) throw UnknownShape{argument_name(index, keyword) + " is no list"};
    std::vector<const KnownTensor*> tensors;
    for (const Value& item : builder_.children(*value)) tensors.push_back(&tensor_of(item));
    return tensors;
}

std::int64_t ShapeCall::integer_of(const Value& value) const {
    if (value.is(ValueKind::integer)) return value.integer;
    if (value.is(ValueKind::boolean)) return value.boolean ? 1 : 0;
    if (value.is(ValueKind::symbol)) {
        const auto parts = builder_.children(value);
        if (parts.size() == 2 && parts[1].is(ValueKind::integer)) return parts[1].integer;
    }
    if (value.is(ValueKind::node) && types_[value.node].value) return *types_[value.node].value;
    throw UnknownShape{"a size is known only at run time"};
}

std::int64_t ShapeCall::integer(std::size_t index, std::string_view keyword) const {
    const Value* value = argument(index, keyword);
    if (!value) throw UnknownShape{argument_name(index, keyword) + " is not given"};
    return integer_of(*value);
}

std::int64_t ShapeCall::integer_or(std::size_t index, std::string_view keyword, std::int64_t otherwise) const {
    return is_given(index, keyword) ? integer(index, keyword) : otherwise;
}

Sizes ShapeCall::integers(std::size_t index, std::string_view keyword) const {
    const Value* value = argument(index, keyword);
    if (!value) throw UnknownShape{argument_name(index, keyword) + " is not given"};
    if (!value->is(ValueKind::list)) return {integer_of(*value)};
    Sizes sizes;
    for (const Value& item : builder_.children(*value)) sizes.push_back(integer_of(item));
    return sizes;
}

bool ShapeCall::flag(std::size_t index, std::string_view keyword, bool otherwise) const {
    const Value* value = argument(index, keyword);
    return value && value->is(ValueKind::boolean) ? value->boolean : otherwise;
}

std::string_view ShapeCall::text(std::size_t index, std::string_view keyword) const {
    const Value* value = argument(index, keyword);
    const bool is_text = value && (value->is(ValueKind::string) || value->is(ValueKind::memory_format));
    return is_text ? builder_.text(value->string) : std::string_view();
}

Dtype ShapeCall::dtype_or(std::size_t index, std::string_view keyword, Dtype otherwise) const {
    const Value* value = argument(index, keyword);
    if (!value || value->is(ValueKind::none)) return otherwise;
    std::optional<Dtype> dtype;
    if (value->is(ValueKind::dtype)) dtype = dtype_by_name(builder_.text(value->string));
    if (!dtype) throw UnknownShape{"its dtype is none that graphs have"};
    return *dtype;
}

StringId ShapeCall::device_or(StringId otherwise) const {
    const Value* value = argument(1000, "device");
    if (!value || value->is(ValueKind::none)) return otherwise;
    if (!value->is(ValueKind::device) && !value->is(ValueKind::string)) throw UnknownShape{"its device is not given"};
    const std::string_view name = builder_.text(value->string);
    return builder_.intern(name.substr(0, name.find(':')));
}

std::size_t ShapeCall::dimension(std::size_t index, std::string_view keyword, std::size_t rank) const {
    return from_front(integer(index, keyword), rank);
}

std::size_t ShapeCall::dimension_or(std::size_t index, std::string_view keyword, std::int64_t otherwise,
                                    std::size_t rank) const {
    return from_front(integer_or(index, keyword, otherwise), rank);
}

KnownTensor ShapeCall::fresh(Dtype dtype, Sizes shape, StringId device, std::optional<Sizes> stride) {
    if (shape.size() > 64) throw UnknownShape{"it has more than 64 dimensions"};
    KnownTensor tensor;
    tensor.dtype = dtype;
    element_count(shape);
    tensor.stride = stride ? std::move(*stride) : contiguous_strides(shape);
    tensor.shape = std::move(shape);
    tensor.device = device;
    tensor.storage = next_storage_++;
    tensor.storage_bytes = dense_bytes(dtype, tensor.shape, tensor.stride);
    return tensor;
}

}  // namespace overlap
