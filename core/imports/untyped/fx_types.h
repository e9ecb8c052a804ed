#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/tensor.h"

namespace overlap {

/// Values of symbols such as `s0`, which a text names without their values.
using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;

/// A tensor's type as a text has it. Parts that it leaves out are absent.
struct DeclaredTensor {
    Dtype dtype{};
    std::vector<std::int64_t> shape;
    std::optional<std::vector<std::int64_t>> stride;  ///< elements
    std::string device;                               ///< without index, such as `cuda`; empty: not given
    std::int64_t storage_offset = 0;                  ///< elements
    std::int64_t storage_bytes = -1;                  ///< -1: not given
    int storage = -1;                                 ///< declared tensors with one number share memory; -1: not given
    std::vector<std::string> symbolic_shape;          ///< the sizes as written, where one of them is symbolic
    std::set<std::string> symbols;                    ///< that its sizes and strides name
};

/// Tensors that a text leaves out, by the names of their nodes.
using TensorTable = std::map<std::string, DeclaredTensor, std::less<>>;

/// What torch.fx prints behind a name.
struct FxType {
    std::optional<DeclaredTensor> tensor;  ///< absent where it is no tensor, or a symbol in it has no value
    std::string symbol;                    ///< of `Sym(s0)`: the expression
    std::optional<std::int64_t> value;     ///< of `Sym(s0)`, where it is known
    std::set<std::string> symbols;         ///< that it names
    std::set<std::string> unknown_symbols;
};

/// The dtype behind a short name such as `bf16` or `b8` (torch/utils/_dtype_abbrs.py).
std::optional<Dtype> dtype_by_short_name(std::string_view name);

/// Reads an annotation such as `f32[16, s0][s0, 1]cuda:0`, `Sym(s0)` or `DTensor(f32[16], S(0))`.
/// @return nothing when the text is none of these.
std::optional<FxType> parse_fx_type(std::string_view annotation, const SymbolValues& symbols);

}  // namespace overlap
