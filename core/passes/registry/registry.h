#pragma once

#include <span>
#include <string_view>

#include "core/passes/pass.h"

namespace overlap {

/// The pass called `name`, or nullptr.
const Pass* find_pass(std::string_view name);
/// @throws InputError when there is none, naming the nearest.
const Pass& require_pass(std::string_view name);
/// All passes, in alphabetical order.
std::span<const Pass* const> all_passes();

}  // namespace overlap
