#pragma once

#include <simdjson.h>

#include <optional>
#include <stop_token>

#include "core/base/error.h"
#include "core/files/json_bytes.h"

namespace overlap {

/// There is not enough memory for a document, whether or not it has other errors.
class JsonMemoryError : public InputError {
  public:
    using InputError::InputError;
};

/// A parsed JSON document. Elements taken from it live as long as it does. Numbers that 64 bits or a double cannot hold
/// are wrapped, see json_numbers.h.
class JsonDocument {
  public:
    /// Parses `bytes`, which are released as soon as they are no longer needed.
    /// @throws InputError, with line and column or byte as its place: invalid UTF-8, invalid JSON, nested too deeply;
    /// JsonMemoryError
    explicit JsonDocument(JsonBytes bytes);

    simdjson::dom::element root() const { return root_; }

    /// Objects and lists may be nested this deep.
    static constexpr std::size_t depth_limit = 1024;

  private:
    simdjson::dom::parser parser_;
    simdjson::dom::element root_;
};

}  // namespace overlap
