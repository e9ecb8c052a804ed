#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace overlap {

/// Which compilation a record of a structured log is about.
struct CompileId {
    std::optional<std::int64_t> frame_id, frame_compile_id, attempt, compiled_autograd_id;

    /// `0/1`, or `0/1_2` for the second attempt after it; with compiled autograd `!3/0/1`. Empty without a frame.
    std::string text() const;
};

/// One record of a TORCH_TRACE log, valid while it is shown.
struct LogRecord {
    std::size_t line = 0;          ///< of the record, from 1
    std::string_view key;          ///< such as `aot_forward_graph` or `artifact`
    std::string_view name;         ///< of an artifact; else empty
    std::string_view detail_json;  ///< the value behind the key
    CompileId compile_id;
    std::optional<std::int64_t> rank;
    std::string_view payload;
    bool is_damaged = false;  ///< the payload does not match its checksum
};

/// What could not be read of a log, and where that began.
struct LogDamage {
    std::size_t skipped_lines = 0;     ///< lines that belong to no record
    std::size_t skipped_records = 0;   ///< records whose envelope is no JSON object, and their payloads
    std::size_t damaged_payloads = 0;  ///< payloads that do not match their checksum; they are read
    std::size_t first_line = 0;        ///< of all of these
    std::string end;                   ///< why the file cannot be read to its end, such as a truncated gzip; or empty
    bool empty() const { return first_line == 0 && end.empty(); }
    /// `2 records skipped, 1 payload read with a wrong checksum, from line 13 on; read until there: ...`.
    std::string sentence() const;
};

/// What a whole log holds beside its records.
struct LogSummary {
    std::size_t records = 0;
    LogDamage damage;
    std::map<std::int64_t, std::string> strings;  ///< interned ones by number
    bool was_stopped = false;
};

/// Reads a TORCH_TRACE log (torch/_logging/_internal.py), plain or gzip, record by record as far as it goes, also one
/// that begins inside of a record, or whose gzip was cut off. One record is in memory at a time.
/// @param visit returns false to stop.
/// @throws InputError when the file cannot be read, or has no record at all.
LogSummary read_structured_log(const std::string& path, const std::function<bool(const LogRecord&)>& visit,
                               std::stop_token stop = {});
LogSummary read_structured_log_text(std::string_view bytes, const std::function<bool(const LogRecord&)>& visit);

/// Whether a text is such a log: one of its lines begins a record. The log may have been cut in front.
bool is_structured_log(std::string_view head);

}  // namespace overlap
