#pragma once

#include <vector>

#include "core/files/ordered_json.h"
#include "core/modules/module_rules.h"

namespace overlap {

/// The rules as the plan document has them. @throws InputError with the place in `json`.
std::vector<ModuleRule> read_module_rules(const Json& json);
Json module_rules_json(const std::vector<ModuleRule>& rules);

}  // namespace overlap
