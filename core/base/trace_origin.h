#pragma once

#include <string_view>

namespace overlap {

/// The member of a trace's `otherData` that says where its times are from, `"simulated"` or `"measured"`. Traces of
/// other programs have none.
inline constexpr std::string_view trace_times_member = "times";
/// Its value in the trace of a simulated step. Whoever compares with such a trace, sums its times, takes times from it
/// or fits a cost model to them says so.
inline constexpr std::string_view simulated_trace_times = "simulated";
/// How they say it.
inline constexpr std::string_view nothing_was_measured = "nothing was measured: the trace is a simulated step";
/// Its value in the trace of what was measured.
inline constexpr std::string_view measured_trace_times = "measured";

}  // namespace overlap
