#pragma once

#include <cstdint>
#include <string_view>

namespace overlap {

/// What a problem is about. Programs decide by it; files and outputs show its name.
enum class ProblemKind : std::uint8_t {
    general,  ///< none of those below

    // Of the plan's buckets, see check_buckets().
    no_modules,
    empty_entry,
    stray_spaces,
    unknown_module,
    overlapping_entries,
    nothing_gathered,
    buckets_not_taken,  ///< by any step of the plan, see check_unevaluated()

    // Of the other parts of a plan or a preset.
    module_rule_unmatched,
    module_rule_ambiguous,
    not_evaluated,
    memory_not_carried_out,  ///< a part of the memory section; the plan is evaluated without it
    memory_passes_added,     ///< by reading the plan
    exact_mode_only,         ///< what a job can apply in one mode only, see steps_of_own_options()
    not_in_preset,
    overlap_refused,
    incomplete_expert_overlap,
    rest_of_expert_overlap,

    // Of a plan's device orders.
    device_order_unreadable,
    repeated_device_order,
    device_order_misfit,
    unknown_parameter,
    device_order_saving,
    stale_saving,

    // Of an evaluation: the plan is refused, or figures are not known.
    refused,
    no_times,
    no_contention,
    outside_checked_runs,
    links_not_shared,
    exposed,
    moved_again,

    // Of the peak of memory.
    beyond_device_memory,
    uncounted_results,  ///< of fused products
    unknown_sizes,      ///< of products or collectives
    memory_on_cpu,      ///< which the device's peak does not count

    // Reported by passes, and hazards of their results (hazards.h).
    read_before_fill,
    cyclic_order,
    exposed_reduction,
    activation_reduction_bucketed,
    not_idempotent,
    gathered_for_both,
    order_left_open,
    safe,
    duplicate_unshard,
    duplicate_wait,
    extra_group,
    ranks_reordered,
    isolate_after_reassign,
    unseen_collectives,
    other_gathers_move,
    reassign_after_bucketing,
    reassigned_again,
    renamed_pass,
    no_new_group,
    times_of_the_graph,
    waits_at_end,
    not_scheduled,
    memory_tags,
    users_order_open,
    reload_awaited_at_once,
    chunked_modules,

    // Of the rules of a plan's memory section.
    memory_rule_unmatched,
    memory_rule_void,
    not_offloadable,
    not_recomputable,
    offload_budget_exceeded,

    // Of a recorded trace, and of clocks of several.
    simulated_times_as_measured,
    no_gpu_events,
    no_communication,
    launches_without_gpu_event,
    starts_before_launch,
    gpu_events_without_launch,
    overlapping_on_a_stream,
    missing_durations,
    negative_durations,
    unclosed_begins,
    unopened_ends,
    unreadable_group_ranks,
    phases_not_understood,
    missed_by_holistic_trace_analysis,
    clock_unknown,
    clock_rough,

    // Reported by an import.
    import_note,
};

/// The name in JSON and other outputs, such as `unknown_module`; it never changes.
std::string_view problem_kind_name(ProblemKind kind);

/// True where a rule of the plan that names modules is the problem.
bool concerns_module_rules(ProblemKind kind);

}  // namespace overlap
