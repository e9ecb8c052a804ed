#pragma once

#include <string>
#include <string_view>

#include "core/cost/profile_tables.h"

namespace overlap {

/// Reads the times in a profiler's trace (JSON, plain or gzip) as torch 2.15's profile reader does
/// (torch/_inductor/fx_passes/profile_guided_estimation.py): kernels with a `Collective name`, whose group is that of
/// `Process Group Ranks` or, where this is no list, of `pg_config`; and operators of the host with the sum of the
/// kernels of the same `External id`. Beyond that kernels that say which operator they are of (`operator`, `Input
/// Dims`, `Input Strides`, `Output type`), as in traces of overlap-runner; and whether it is a simulated step
/// (core/base/trace_origin.h). The whole document is in memory while it is
/// read.
/// @throws InputError with file and place: cannot be read, no JSON, or a document on which torch's reader raises.
ProfileRecords read_profile_file(const std::string& path);
/// The same from text. @param name stands for the file in messages.
ProfileRecords read_profile_text(std::string_view text, const std::string& name);

}  // namespace overlap
