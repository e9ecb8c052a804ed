#pragma once

#include <zlib.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace overlap {

/// Whether bytes begin as a gzip stream does.
bool is_gzip(std::string_view bytes);

/// A place in a gzip stream from which it can be decompressed without what is in front of it: the beginning of a block,
/// and the text that the block may refer to.
struct GzipCheckpoint {
    std::uint64_t position = 0;         ///< in the text
    std::uint64_t source_position = 0;  ///< of the next byte of the stream
    std::uint8_t bits = 0;              ///< of the byte before it that are still to be read, and that byte
    std::uint8_t last_byte = 0;
    std::vector<Bytef> window;
};

/// Checkpoints of a file, in order. Those of a file that has changed since are invalid.
struct GzipCheckpoints {
    std::vector<GzipCheckpoint> places;
    std::uint64_t file_size = 0;
    std::int64_t modified_ns = 0;
};

/// Decompresses a gzip stream piece by piece: its members one after the other; zeros behind the last are padding.
class GzipReader {
  public:
    /// The next bytes of the stream, which stay as they are until the next call; nothing at the end.
    using Source = std::function<std::string_view()>;

    explicit GzipReader(Source source);
    /// Continues from a checkpoint. @param source begins at `from.source_position`.
    GzipReader(Source source, const GzipCheckpoint& from);
    ~GzipReader();
    GzipReader(const GzipReader&) = delete;
    GzipReader& operator=(const GzipReader&) = delete;

    /// Fills `output`, or less of it at the end and where the stream is damaged: what comes before the damage is
    /// given first, and the next call reports it.
    /// @return number of bytes; 0 only at the end.
    /// @throws InputError without the file's name: truncated, damaged, or followed by something else.
    std::size_t read(std::span<char> output);

    /// From now on adds a checkpoint about every four megabytes behind the last of `places`, which outlives the reader.
    void keep_checkpoints(std::vector<GzipCheckpoint>& places) { checkpoints_ = &places; }

    /// Bytes of the compressed stream that have been used.
    std::uint64_t consumed() const { return received_ - stream_.avail_in; }

  private:
    /// @param filled counts what is there when this throws.
    void fill(std::span<char> output, std::size_t& filled);
    bool begin_member();
    void keep_checkpoint();

    Source source_;
    z_stream stream_{};
    const Bytef* piece_begin_ = nullptr;  ///< of what the source gave last
    std::uint64_t received_ = 0, produced_ = 0;
    bool between_members_ = false, finished_ = false;
    bool has_header_ = true;         ///< false where decompressing began behind the header of a member
    std::size_t trailer_bytes_ = 0;  ///< of such a member that are still to be passed
    std::vector<GzipCheckpoint>* checkpoints_ = nullptr;
    std::optional<InputError> damage_;  ///< what the next read() throws
};

}  // namespace overlap
