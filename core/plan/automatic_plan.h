#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/plan/plan.h"

namespace overlap {

/// PyTorch's automatic pass: it orders nodes and chooses buckets without a plan's entries.
inline constexpr std::string_view automatic_pass = "schedule_overlap_bucketing";
/// PyTorch's pass that takes a plan's entries as they are.
inline constexpr std::string_view entries_pass = "manual_overlap_bucketing";

/// Whether a pass chooses buckets itself, without entries of a plan.
bool decides_buckets(std::string_view pass);

/// Whether a pass merges collectives, with or without entries, or orders them. Clean-ups and passes for process groups
/// come before the first of these.
bool merges_or_orders(std::string_view pass);

/// The option that gives a pass buckets of its own in place of the plan's entries; empty where it takes none.
std::string buckets_option(std::string_view pass);

/// Whether a step that is switched on takes the plan's entries; one that is given buckets of its own takes those
/// instead. Where none does, entries change nothing.
bool takes_entries(const Plan& plan);

/// A plan that leaves order and buckets to PyTorch: the steps of `current` up to the first that merges or orders
/// collectives (clean-ups, process groups), then schedule_overlap_bucketing with `collective_bucketing`. It contains no
/// bucket entries.
/// @param current a plan for the same graph, or an empty one.
Plan automatic_plan(const Plan& current, const Graph& graph);
/// @param of_graph the graph's fingerprint, which takes long to find in a large graph.
Plan automatic_plan(const Plan& current, const GraphFingerprint& of_graph);

/// The step of a plan that can take its entries where none does, and what must change for that.
struct EntriesTaker {
    std::size_t step = 0;     ///< of the pipeline
    bool is_off = false;      ///< it is switched off
    bool has_own = false;     ///< it is given buckets of its own
    std::size_t running = 0;  ///< its number among the steps that are on, from 1, as texts have it; 0: it is off
};
/// A step that is on and has buckets of its own, else one that is off, rather without such; nothing where the plan has
/// none of either.
std::optional<EntriesTaker> entries_taker(const Plan& plan);

/// The plan with a step that takes its entries: its own, see entries_taker(), switched on and without buckets of its
/// own, else `step`, before the first that merges or orders collectives. Steps that choose buckets themselves are
/// switched off: before them the job could read parameters that are not gathered yet, and behind them there is nothing
/// left to merge.
/// @param step of entries_pass.
Plan with_entries_taken(Plan plan, PassStep step);

/// The first step of a plan that is the automatic pass and switched on; the number of steps where there is none.
std::size_t automatic_step(const Plan& plan);
/// Whether there is one.
bool is_automatic(const Plan& plan);

}  // namespace overlap
