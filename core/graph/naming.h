#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/string_pool.h"

namespace overlap {

/// A node name split as torch.fx splits it: `view_12` is base `view` and number 12.
struct NameParts {
    std::string_view base;
    std::int64_t number = -1;  ///< -1: the name has none
};
NameParts split_name(std::string_view name);

/// What torch.fx remembers of the names that a graph has given (torch/fx/graph.py, _Namespace).
struct NamingState {
    /// By base: the number that was given last.
    std::unordered_map<StringId, std::int64_t> last_number;
    /// Names of nodes that earlier passes erased: torch.fx never gives them again.
    std::vector<StringId> retired;

    /// Remembers that `name` was given.
    void remember(StringPool& strings, StringId name);
};

}  // namespace overlap
