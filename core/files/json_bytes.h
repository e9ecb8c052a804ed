#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace overlap {

/// The uncompressed bytes of a JSON document, followed by the padding that simdjson reads beyond their end.
class JsonBytes {
  public:
    /// Takes `bytes`; padding is appended.
    explicit JsonBytes(std::string bytes);

    std::string_view view() const { return {bytes_.data(), size_}; }
    const char* data() const { return bytes_.data(); }
    std::size_t size() const { return size_; }

  private:
    std::string bytes_;
    std::size_t size_;
};

/// The most bytes that a document may have when uncompressed. simdjson's limit, and what stops a gzip bomb.
inline constexpr std::size_t json_size_limit = 0xfffff000u;

/// A file's bytes, decompressed if they are gzip (detected by content, not by the file's name).
/// @return nothing when stopped.
/// @throws InputError without the file's name: cannot be opened or read, damaged or truncated gzip, too large.
std::optional<JsonBytes> read_json_file(const std::string& path, std::stop_token stop = {});

/// The same for bytes in memory.
std::optional<JsonBytes> read_json_bytes(std::string_view bytes, std::stop_token stop = {});

}  // namespace overlap
