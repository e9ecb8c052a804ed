#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/module_tree.h"

namespace overlap {

/// Full paths of existing modules that were most likely meant by `path`, best first: the same path without stray
/// spaces, dots or wrappers in front (`model.layers.0`), siblings with the nearest number or name (`layers.32` of 32
/// blocks is `layers.31`), modules known by another name in other versions of a model, then similar paths anywhere.
std::vector<std::string> nearest_modules(const ModuleTree& tree, std::string_view path, std::size_t count = 3);

}  // namespace overlap
