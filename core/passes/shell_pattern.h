#pragma once

#include <string_view>

namespace overlap {

/// Whether `text` matches a shell-style pattern, case included, as Python's `fnmatch.fnmatchcase` decides: `*`, `?`,
/// `[abc]`, `[a-z]` and `[!...]`; a bracket that is not closed stands for itself. Both are UTF-8.
bool matches_shell_pattern(std::string_view text, std::string_view pattern);

/// The same for dotted names: pattern and name have as many components, and each matches
/// (torchtitan/experiments/graph_trainer/common_utils.py, `matches_module_fqn_pattern`).
bool matches_module_pattern(std::string_view module, std::string_view pattern);

}  // namespace overlap
