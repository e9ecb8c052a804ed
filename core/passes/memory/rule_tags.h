#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/problem.h"
#include "core/graph/graph.h"
#include "core/passes/memory/memory_operators.h"
#include "core/passes/memory/memory_rules.h"
#include "core/passes/memory/recompute_tags.h"

namespace overlap::memory {

/// What rules decide of the nodes of a graph.
struct RuleTags {
    std::vector<RecomputeTag> tags;     ///< by node; none where no rule decides
    std::vector<std::uint8_t> decided;  ///< by node: a rule names it, whether or not it changes anything
    std::size_t nodes = 0;              ///< how many have a tag here
    std::int64_t offloaded_bytes = 0;
    std::vector<Problem> problems;  ///< each with the index of its rule
};

/// Whether torchtitan's policies leave a module's nodes alone: what comes behind the layers runs in chunks there. Rules
/// do as well.
bool is_behind_layers(std::string_view module);

/// Applies rules to forward nodes. Parameters' gathers are of `keep` and `reshard` only, everything else of the other
/// actions. Values taken out of a result, and waits, follow the node that they take from. `offload` without operators
/// takes what the policy saves.
/// @param policy the tags that the policy gives. @param pass for refusals.
RuleTags tags_by_rules(const Graph& graph, const MemoryOperators& operators, const std::vector<MemoryRule>& rules,
                       std::span<const RecomputeTag> policy, std::string_view pass);

}  // namespace overlap::memory
