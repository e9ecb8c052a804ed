#include "core/views/step_remark.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace overlap {
namespace {

/// What is so wherever the pass changes nothing.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> reasons = {{
    {"dedup_fsdp_reduce_scatter",
     "nothing to merge: no results of two reduce-scatters of one group, reduction and dtype are added"},
    {"deduplicate_fsdp_unshard_chains_pass", "no parameter is gathered twice"},
    {"deduplicate_wait_tensors", "nothing is awaited twice"},
    {"eliminate_dead_code_pass", "every node is used"},
    {"stable_topological_sort", "the nodes are in order already"},
    {"apply_cpu_offload_pass", "nothing that is tagged to go to the host can go there"},
    {"selective_activation_remat_pass", "nothing is to be computed again"},
}};

}  // namespace

std::string step_remark(const Execution& execution, const StepOutcome& step) {
    for (const std::size_t problem : step.problems)
        if (execution.problems[problem].kind == ProblemKind::memory_tags)
            return "tags: " + execution.problems[problem].message;
    const auto reason = std::ranges::find(reasons, step.pass, &std::pair<std::string_view, std::string_view>::first);
    return reason == reasons.end() ? std::string() : std::string(reason->second);
}

}  // namespace overlap
