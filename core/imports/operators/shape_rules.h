#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph_builder.h"
#include "core/imports/operators/known_tensor.h"

namespace overlap {

/// What is known of what a node returns.
struct NodeType {
    bool is_known = false;
    bool multi = false;  ///< the value is a tuple or list
    std::vector<std::optional<KnownTensor>> outputs;
    std::optional<std::int64_t> value;  ///< of an integer
};

/// Thrown by a rule that cannot say what its operator returns: the reason, for display.
struct UnknownShape {
    std::string reason;
};

/// A call whose result a rule works out: arguments by position or keyword, and the tensors behind them.
class ShapeCall {
  public:
    ShapeCall(GraphBuilder& builder, const NodeRecord& record, std::span<const NodeType> types,
              std::uint32_t& next_storage)
        : builder_(builder), record_(record), types_(types), next_storage_(next_storage) {}

    /// The argument, or nullptr where it is not given.
    const Value* argument(std::size_t index, std::string_view keyword) const;

    // The following throw UnknownShape where the argument is missing, of another kind, or unknown itself.
    const KnownTensor& tensor(std::size_t index, std::string_view keyword) const;
    const KnownTensor& tensor_of(const Value& value) const;
    std::vector<const KnownTensor*> tensors(std::size_t index, std::string_view keyword) const;
    std::int64_t integer(std::size_t index, std::string_view keyword) const;
    std::int64_t integer_of(const Value& value) const;
    Sizes integers(std::size_t index, std::string_view keyword) const;

    bool is_given(std::size_t index, std::string_view keyword) const;
    /// A tensor argument, or nullptr where it is None or left out.
    const KnownTensor* optional_tensor(std::size_t index, std::string_view keyword) const;
    std::int64_t integer_or(std::size_t index, std::string_view keyword, std::int64_t otherwise) const;
    bool flag(std::size_t index, std::string_view keyword, bool otherwise) const;
    std::string_view text(std::size_t index, std::string_view keyword) const;
    Dtype dtype_or(std::size_t index, std::string_view keyword, Dtype otherwise) const;
    StringId device_or(StringId otherwise) const;
    /// A dimension counted from the front. @throws UnknownShape when it is not given or there is none of that number.
    std::size_t dimension(std::size_t index, std::string_view keyword, std::size_t rank) const;
    /// The same, with what the operator takes where none is given.
    std::size_t dimension_or(std::size_t index, std::string_view keyword, std::int64_t otherwise,
                             std::size_t rank) const;
    std::span<const Value> children(const Value& value) const { return builder_.children(value); }
    std::string_view target() const { return builder_.target_text(record_.target); }
    /// All positional arguments.
    std::span<const Value> positional() const { return builder_.children(record_.args); }
    StringId device(std::string_view name) { return builder_.intern(name); }

    // Results.
    /// A tensor of a new storage. Without strides it is contiguous.
    KnownTensor fresh(Dtype dtype, Sizes shape, StringId device, std::optional<Sizes> stride = {});
    KnownTensor fresh_like(const KnownTensor& tensor) {
        return fresh(tensor.dtype, tensor.shape, tensor.device, preserved_strides(tensor));
    }
    void returns(KnownTensor tensor) { result_.outputs.emplace_back(std::move(tensor)); }
    void returns_none() { result_.outputs.emplace_back(); }
    void returns_value(std::int64_t value) { result_.value = value; }
    /// The value is a tuple, whatever its length.
    void returns_tuple() { result_.multi = true; }
    NodeType result() && {
        result_.is_known = true;
        result_.multi = result_.multi || result_.outputs.size() > 1;
        return std::move(result_);
    }

  private:
    GraphBuilder& builder_;
    const NodeRecord& record_;
    std::span<const NodeType> types_;
    std::uint32_t& next_storage_;
    NodeType result_;
};

using ShapeRule = void (*)(ShapeCall&);
struct NamedShapeRule {
    std::string_view target;  ///< with overload, or without: then of `default`, `Tensor` and `Scalar`
    ShapeRule rule;
};

// Rules by family; each file holds one.
std::span<const NamedShapeRule> pointwise_rules();
std::span<const NamedShapeRule> view_rules();
std::span<const NamedShapeRule> creation_rules();
std::span<const NamedShapeRule> reduction_rules();
std::span<const NamedShapeRule> matrix_rules();
std::span<const NamedShapeRule> indexing_rules();
std::span<const NamedShapeRule> attention_rules();
std::span<const NamedShapeRule> collective_rules();
std::span<const NamedShapeRule> integer_rules();

/// The rule of an operator, or nullptr.
ShapeRule find_shape_rule(std::string_view target);

}  // namespace overlap
