#include "core/base/problem_kind.h"

#include <array>
#include <cstddef>

namespace overlap {

namespace {

struct NamedKind {
    ProblemKind kind;
    std::string_view name;
};

/// In the order of the enumeration.
constexpr auto named_kinds = std::to_array<NamedKind>({
    {ProblemKind::general, "general"},
    {ProblemKind::no_modules, "no_modules"},
    {ProblemKind::empty_entry, "empty_entry"},
    {ProblemKind::stray_spaces, "stray_spaces"},
    {ProblemKind::unknown_module, "unknown_module"},
    {ProblemKind::overlapping_entries, "overlapping_entries"},
    {ProblemKind::nothing_gathered, "nothing_gathered"},
    {ProblemKind::buckets_not_taken, "buckets_not_taken"},
    {ProblemKind::module_rule_unmatched, "module_rule_unmatched"},
    {ProblemKind::module_rule_ambiguous, "module_rule_ambiguous"},
    {ProblemKind::not_evaluated, "not_evaluated"},
    {ProblemKind::memory_not_carried_out, "memory_not_carried_out"},
    {ProblemKind::memory_passes_added, "memory_passes_added"},
    {ProblemKind::exact_mode_only, "exact_mode_only"},
    {ProblemKind::not_in_preset, "not_in_preset"},
    {ProblemKind::overlap_refused, "overlap_refused"},
    {ProblemKind::incomplete_expert_overlap, "incomplete_expert_overlap"},
    {ProblemKind::rest_of_expert_overlap, "rest_of_expert_overlap"},
    {ProblemKind::device_order_unreadable, "device_order_unreadable"},
    {ProblemKind::repeated_device_order, "repeated_device_order"},
    {ProblemKind::device_order_misfit, "device_order_misfit"},
    {ProblemKind::unknown_parameter, "unknown_parameter"},
    {ProblemKind::device_order_saving, "device_order_saving"},
    {ProblemKind::stale_saving, "stale_saving"},
    {ProblemKind::refused, "refused"},
    {ProblemKind::no_times, "no_times"},
    {ProblemKind::no_contention, "no_contention"},
    {ProblemKind::outside_checked_runs, "outside_checked_runs"},
    {ProblemKind::links_not_shared, "links_not_shared"},
    {ProblemKind::exposed, "exposed"},
    {ProblemKind::moved_again, "moved_again"},
    {ProblemKind::beyond_device_memory, "beyond_device_memory"},
    {ProblemKind::uncounted_results, "uncounted_results"},
    {ProblemKind::unknown_sizes, "unknown_sizes"},
    {ProblemKind::memory_on_cpu, "memory_on_cpu"},
    {ProblemKind::read_before_fill, "read_before_fill"},
    {ProblemKind::cyclic_order, "cyclic_order"},
    {ProblemKind::exposed_reduction, "exposed_reduction"},
    {ProblemKind::activation_reduction_bucketed, "activation_reduction_bucketed"},
    {ProblemKind::not_idempotent, "not_idempotent"},
    {ProblemKind::gathered_for_both, "gathered_for_both"},
    {ProblemKind::order_left_open, "order_left_open"},
    {ProblemKind::safe, "safe"},
    {ProblemKind::duplicate_unshard, "duplicate_unshard"},
    {ProblemKind::duplicate_wait, "duplicate_wait"},
    {ProblemKind::extra_group, "extra_group"},
    {ProblemKind::ranks_reordered, "ranks_reordered"},
    {ProblemKind::isolate_after_reassign, "isolate_after_reassign"},
    {ProblemKind::unseen_collectives, "unseen_collectives"},
    {ProblemKind::other_gathers_move, "other_gathers_move"},
    {ProblemKind::reassign_after_bucketing, "reassign_after_bucketing"},
    {ProblemKind::reassigned_again, "reassigned_again"},
    {ProblemKind::renamed_pass, "renamed_pass"},
    {ProblemKind::no_new_group, "no_new_group"},
    {ProblemKind::times_of_the_graph, "times_of_the_graph"},
    {ProblemKind::waits_at_end, "waits_at_end"},
    {ProblemKind::not_scheduled, "not_scheduled"},
    {ProblemKind::memory_tags, "memory_tags"},
    {ProblemKind::users_order_open, "users_order_open"},
    {ProblemKind::reload_awaited_at_once, "reload_awaited_at_once"},
    {ProblemKind::chunked_modules, "chunked_modules"},
    {ProblemKind::memory_rule_unmatched, "memory_rule_unmatched"},
    {ProblemKind::memory_rule_void, "memory_rule_void"},
    {ProblemKind::not_offloadable, "not_offloadable"},
    {ProblemKind::not_recomputable, "not_recomputable"},
    {ProblemKind::offload_budget_exceeded, "offload_budget_exceeded"},
    {ProblemKind::simulated_times_as_measured, "simulated_times_as_measured"},
    {ProblemKind::no_gpu_events, "no_gpu_events"},
    {ProblemKind::no_communication, "no_communication"},
    {ProblemKind::launches_without_gpu_event, "launches_without_gpu_event"},
    {ProblemKind::starts_before_launch, "starts_before_launch"},
    {ProblemKind::gpu_events_without_launch, "gpu_events_without_launch"},
    {ProblemKind::overlapping_on_a_stream, "overlapping_on_a_stream"},
    {ProblemKind::missing_durations, "missing_durations"},
    {ProblemKind::negative_durations, "negative_durations"},
    {ProblemKind::unclosed_begins, "unclosed_begins"},
    {ProblemKind::unopened_ends, "unopened_ends"},
    {ProblemKind::unreadable_group_ranks, "unreadable_group_ranks"},
    {ProblemKind::phases_not_understood, "phases_not_understood"},
    {ProblemKind::missed_by_holistic_trace_analysis, "missed_by_holistic_trace_analysis"},
    {ProblemKind::clock_unknown, "clock_unknown"},
    {ProblemKind::clock_rough, "clock_rough"},
    {ProblemKind::import_note, "import"},
});

constexpr bool in_order() {
    for (std::size_t index = 0; index < named_kinds.size(); ++index) {
        if (static_cast<std::size_t>(named_kinds[index].kind) != index) return false;
    }
    return named_kinds.back().kind == ProblemKind::import_note;
}
static_assert(in_order(), "each kind has its name at its place");

}  // namespace

std::string_view problem_kind_name(ProblemKind kind) {
    return named_kinds[static_cast<std::size_t>(kind)].name;
}

bool concerns_module_rules(ProblemKind kind) {
    return kind == ProblemKind::module_rule_unmatched || kind == ProblemKind::module_rule_ambiguous;
}

}  // namespace overlap
