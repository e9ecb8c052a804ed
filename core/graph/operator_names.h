#pragma once

#include <string_view>

namespace overlap {

// Which operators torch has, as far as resources/operators lists them: those that its registries for fusion, views and
// flops know and those with side effects, not all.

/// Whether `target` names an overload, such as `aten.mm.default`, or a higher-order operator that torch has.
bool is_known_operator(std::string_view target);

/// Whether `part`, such as `aten.mm` or `aten`, is the beginning of such a name up to a dot.
bool begins_known_operator(std::string_view part);

}  // namespace overlap
