#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/measured_trace_builder.h"

namespace overlap {

/// A time in microseconds, as JSON writes numbers, in whole nanoseconds: by its digits, since a double has too few of
/// them for times since 1970. Digits beyond nanoseconds are rounded. Nothing where it is no number or beyond 95 years.
std::optional<std::int64_t> nanoseconds_of(std::string_view microseconds);

/// Reads entries of `traceEvents` into a builder. Keeps simdjson's memory between calls.
class TraceEventReader {
  public:
    explicit TraceEventReader(MeasuredTraceBuilder& builder) : builder_(builder) {}

    /// @param list a whole JSON list of entries; simdjson may read and keep its place up to `readable` bytes.
    /// @param position place of `list` in the document, for offsets and messages.
    /// @throws InputError with number and byte of the entry.
    void read(std::string_view list, std::size_t readable, std::uint64_t position);

  private:
    using Value = simdjson::ondemand::value;

    void read_entry(Value entry, std::uint64_t offset);
    void read_field(const char* key, Value value);
    void read_arguments(simdjson::ondemand::object arguments);
    void read_argument(const char* key, Value value);
    std::int64_t flow_id(Value value);
    StringId interned(Value value);
    CollectiveArguments& collective();
    MemorySample& memory();
    [[noreturn]] void explain(std::string_view list, std::uint64_t position, std::uint32_t first,
                              const simdjson::simdjson_error& error) const;

    MeasuredTraceBuilder& builder_;
    simdjson::ondemand::parser parser_;
    TraceEvent event_;
    CollectiveArguments collective_;
    bool has_collective_ = false, has_fields_ = false;
    std::int64_t device_type_ = 0;
};

}  // namespace overlap
