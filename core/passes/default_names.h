#pragma once

#include <string>
#include <string_view>

namespace overlap {

/// What torch.fx calls a new call of an operator, or a get_attr of an attribute, before the name is made unique:
/// `view_default` for `aten.view.default` (torch/fx/graph.py, `_target_to_str` and `_Namespace.create_name`).
std::string default_name_of_call(std::string_view target);
std::string default_name_of_attribute(std::string_view attribute);

}  // namespace overlap
