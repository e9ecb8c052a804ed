#pragma once

#include <span>
#include <string>

#include "core/base/problem.h"
#include "core/search/plan_search.h"

namespace overlap {

/// The best plan by the name that says its step and peak, with notes that say how it was made.
/// @param simulated_ms see search_report_json(): which of both steps the name has, told_step_ms() decides.
Plan found_plan(const SearchResult& result, double simulated_ms);

/// The report of `overlap search --report` (resources/schemas/search.schema.json).
/// @param simulated_ms the step of the best plan as `overlap simulate` has it, where groups share links only if the
/// graph's cost model says so.
/// @param problems of the best plan's figures, such as a peak beyond the device's memory.
std::string search_report_json(const SearchResult& result, double simulated_ms, std::span<const Problem> problems = {});

/// The front as a table: limit_bytes, step_ms, peak_bytes, bound_ms, knee, origin.
std::string search_front_csv(const SearchResult& result);

}  // namespace overlap
