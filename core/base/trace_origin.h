#pragma once

#include <string_view>

namespace overlap {

/// The member of a trace's `otherData` that says where its times are from, `"simulated"` or `"measured"`. Traces of
/// other programs have none.
inline constexpr std::string_view trace_times_member = "times";
/// Its value in the trace of a simulated step. A trace that says so is never taken as measured.
inline constexpr std::string_view simulated_trace_times = "simulated";

}  // namespace overlap
