#pragma once

#include <string>

#include "app/commands/command.h"
#include "core/cost/profile_tables.h"

namespace overlap::commands {

/// Notes that the trace in `file` is a simulated step.
void print_simulated_trace(const Streams& streams, const std::string& file);

/// The times in a profiler's trace. Tells on `streams.notes` where nothing in it was measured.
/// @throws InputError with file and place.
ProfileRecords read_profile(const std::string& file, const Streams& streams);

}  // namespace overlap::commands
