#pragma once

#include <string_view>

namespace overlap {

/// The member of a trace's `otherData` that says where its times are from, `"simulated"` or `"measured"`. Traces of
/// other programs have none.
inline constexpr std::string_view trace_times_member = "times";
/// Its value in the trace of a simulated step. Whoever compares with such a trace,
/// sums its times or fits a cost model to them says so.
inline constexpr std::string_view simulated_trace_times = "simulated";

}  // namespace overlap
