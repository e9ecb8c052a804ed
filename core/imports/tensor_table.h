#pragma once

#include <map>
#include <string>

#include "core/imports/fx_types.h"

namespace overlap {

/// Reads a table of tensors that a text does not tell: a JSON object from nodes' names to types as torch.fx prints
/// them, such as `{"primals_1": "bf16[16, 32][32, 1]cuda:0"}`.
/// @throws InputError with file and place.
std::map<std::string, DeclaredTensor, std::less<>> read_tensor_table(const std::string& path,
                                                                     const SymbolValues& symbols);

}  // namespace overlap
