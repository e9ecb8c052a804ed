#pragma once

#include <zlib.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace overlap {

/// Whether bytes begin as a gzip stream does.
bool is_gzip(std::string_view bytes);

/// Decompresses a gzip stream piece by piece: its members one after the other; zeros behind the last are padding.
class GzipReader {
  public:
    /// The next bytes of the stream, which stay as they are until the next call; nothing at the end.
    using Source = std::function<std::string_view()>;

    explicit GzipReader(Source source);
    ~GzipReader();
    GzipReader(const GzipReader&) = delete;
    GzipReader& operator=(const GzipReader&) = delete;

    /// Fills `output`; less than that only at the end.
    /// @return number of bytes.
    /// @throws InputError without the file's name: truncated, damaged, or followed by something else.
    std::size_t read(std::span<char> output);

    /// Bytes of the compressed stream that have been used.
    std::uint64_t consumed() const { return received_ - stream_.avail_in; }

  private:
    bool begin_member();

    Source source_;
    z_stream stream_{};
    std::uint64_t received_ = 0, produced_ = 0;
    bool between_members_ = false, finished_ = false;
};

}  // namespace overlap
