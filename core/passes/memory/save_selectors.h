#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::memory {

/// One exception from full recomputation: nodes of an operator in modules of a pattern are saved.
struct SaveSelector {
    std::string modules;  ///< see matches_module_pattern()
    std::string target;   ///< an overload or a higher-order operator
};

/// Reads `PATTERN::OPERATOR | PATTERN::OPERATOR` (torchtitan/experiments/graph_trainer/memory_policy.py,
/// `_parse_full_recompute_save_ops`).
/// @param graph its operators exist, whatever the tables say.
/// @throws PassRefusal where torchtitan raises a ValueError, and for operators of which it is not known here whether
/// torch has them: the graph has none.
std::vector<SaveSelector> read_save_selectors(std::string_view text, const Graph& graph, std::string_view pass);

}  // namespace overlap::memory
