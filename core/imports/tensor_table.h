#pragma once

#include <string>
#include <string_view>

#include "core/imports/untyped/fx_types.h"

namespace overlap {

/// Reads a table of tensors that a text leaves out: a JSON object from nodes' names to types as torch.fx prints them,
/// such as `{"primals_1": "bf16[16, 32][32, 1]cuda:0"}`.
/// @throws InputError with file and place.
TensorTable read_tensor_table(const std::string& path, const SymbolValues& symbols);
/// The same from a text. @param name of the text for messages.
TensorTable read_tensor_table_text(std::string_view text, const std::string& name, const SymbolValues& symbols);

}  // namespace overlap
