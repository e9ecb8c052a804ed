#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace overlap {

/// The rank in a log's file name: `3` of `dedicated_log_torch_trace_rank_3_x81a.log`, as torch names its logs
/// (torch/_logging/_internal.py), and of `job_rank_3.log.gz`. The last one where there are several.
std::optional<std::int64_t> rank_of_file_name(std::string_view path);

/// Whose log a file is.
struct LogRank {
    std::optional<std::int64_t> rank;  ///< of records that say this one or none; see `applies_to`
    std::string note;                  ///< a sentence without full stop where records and name disagree; else empty

    /// The rank of a record: the log's, or the record's own where the log holds several ranks.
    std::optional<std::int64_t> of_record(std::optional<std::int64_t> record_rank) const;
    bool has_several = false;
};

/// A log of one rank is of the rank in its file's name: all ranks of a job may say 0 in their records, where the
/// process group was made after the logging. A log that several ranks wrote is of those in its records.
LogRank rank_of_log(std::string_view path, const std::set<std::int64_t>& record_ranks);

}  // namespace overlap
