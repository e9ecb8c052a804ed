#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/gzip_reader.h"

namespace overlap {

/// A window that moves over a text of any length: a file, plain or gzip (detected by its content), of which no more
/// than the window is in memory. The window's bytes may be changed in place, and simdjson may read beyond its end.
class TextWindow {
  public:
    /// @throws InputError without the file's name: it cannot be opened or read, is empty or a folder.
    static TextWindow of_file(const std::string& path);
    /// The same from about `position` of the text on, which position() then has not yet passed: of a plain file
    /// exactly, of gzip from the last of `checkpoints` before it, to which those found on the way are added.
    static TextWindow of_file_from(const std::string& path, std::uint64_t position, GzipCheckpoints& checkpoints);
    /// The same of bytes in memory, which must outlive the window.
    static TextWindow of_bytes(std::string_view bytes);
    TextWindow(TextWindow&&) noexcept;
    ~TextWindow();

    /// What has been read and not yet been passed.
    std::string_view text() const { return {data() + begin_, end_ - begin_}; }
    /// The first byte of text(). One byte in front of it and `SIMDJSON_PADDING` bytes behind it may be written too.
    char* begin() { return data() + begin_; }
    /// Bytes that may be read from begin() on.
    std::size_t readable() const { return buffer_.size() - begin_; }
    /// Place of text() in the whole, uncompressed text.
    std::uint64_t position() const { return position_; }
    /// Passes bytes at the beginning of text().
    void pass(std::size_t bytes);
    /// Reads on: text() grows at its end, and its bytes may move in memory.
    /// @return false at the end of the text, where nothing was added.
    /// @throws InputError: cannot be read, damaged or truncated gzip, window larger than `limit_bytes`.
    bool grow();

    /// Bytes of the file that have been used, and that it has; the latter is 0 where it is unknown.
    std::uint64_t source_position() const;
    std::uint64_t source_size() const;

    /// The most that text() may hold: one event or one member of the document.
    static constexpr std::size_t limit_bytes = std::size_t{256} << 20;

  private:
    class Source;
    explicit TextWindow(std::unique_ptr<Source> source);

    const char* data() const { return buffer_.data(); }
    char* data() { return buffer_.data(); }

    std::unique_ptr<Source> source_;
    std::vector<char> buffer_;
    std::size_t begin_ = 1, end_ = 1;
    std::uint64_t position_ = 0;
};

}  // namespace overlap
