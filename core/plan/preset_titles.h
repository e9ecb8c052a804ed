#pragma once

#include <array>
#include <string>
#include <string_view>

namespace overlap {

/// What the presets are called wherever a window shows them, in the order of preset_names. The command line takes those
/// names.
inline constexpr std::array<std::string_view, 2> preset_titles{"torchtitan default", "torchtitan performance"};

/// A text with titles in place of the presets' names, such as where a plan that was found comes from.
std::string with_preset_titles(std::string text);

}  // namespace overlap
