#include "core/views/step_remark.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace overlap {
namespace {

/// What is so wherever the pass changes nothing: what it looks for is not there.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> reasons = {{
    {"dedup_fsdp_reduce_scatter",
     "nothing to merge: looked for is the plain sum of two reduce-scatters of one group, reduction and dtype that are "
     "used in it alone, with no write between"},
    {"deduplicate_fsdp_unshard_chains_pass",
     "no parameter is gathered in two chains of nodes with one input and one user each"},
    {"deduplicate_wait_tensors", "no two waits are for the same value"},
    {"eliminate_dead_code_pass", "nothing that can be removed is unused"},
    {"stable_topological_sort", "each node stands behind its inputs already"},
    {"apply_cpu_offload_pass",
     "nothing that the backward pass reads, itself or through views, is tagged to go to the host"},
    {"selective_activation_remat_pass",
     "nothing that the backward pass reads behind loss and lm_head is tagged to be computed again"},
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
