#pragma once

#include <string>
#include <string_view>

#include "core/trace/measured_trace.h"

namespace overlap {

/// Gathers the members of a trace beside its events, in whatever order they come.
class TraceHeaderReader {
  public:
    /// @param key as in the document, without its quotes. @param value JSON text of the member.
    /// @throws InputError with the member's place: no JSON, or a member that is needed is of another type.
    void add(std::string_view key, std::string_view value);
    TraceHeader finish();

  private:
    TraceHeader header_;
};

}  // namespace overlap
