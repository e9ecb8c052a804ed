#include "core/files/text_window.h"

#include <simdjson.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/files/input_file.h"

namespace overlap {

namespace {

/// The size that is read at once. Windows that stay in the cache are parsed faster than large ones.
constexpr std::size_t step_bytes = std::size_t{1} << 20;
/// Traces are about 16 times as large as their gzip.
constexpr std::size_t likely_gzip_ratio = 16;

[[noreturn]] void fail(std::string problem) {
    throw InputError("", std::move(problem));
}

std::string system_reason() {
    return std::generic_category().message(errno);
}

}  // namespace

/// Bytes in order, decompressed where they are gzip.
class TextWindow::Source {
  public:
    explicit Source(const std::string& path) : file_(nullptr, std::fclose) {
        InputFile file = open_input_file(path);
        file_ = std::move(file.stream);
        size_ = file.size;
        chunk_.resize(step_bytes);
        begin();
    }

    /// Moves to `position`, or before it. @returns the place reached.
    std::uint64_t seek(std::uint64_t position, GzipCheckpoints& checkpoints) {
        if (!gzip_) return go_to(position), position;
        struct stat status {};
        fstat(fileno(file_.get()), &status);
        const std::int64_t modified_ns = status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
        if (checkpoints.file_size != size_ || checkpoints.modified_ns != modified_ns)
            checkpoints = {{}, size_, modified_ns};
        const auto behind = std::ranges::upper_bound(checkpoints.places, position, {}, &GzipCheckpoint::position);
        std::uint64_t reached = 0;
        if (behind != checkpoints.places.begin()) {
            const GzipCheckpoint& from = behind[-1];
            go_to(from.source_position);
            gzip_.emplace([this] { return next_piece(); }, from);
            reached = from.position;
        }
        gzip_->keep_checkpoints(checkpoints.places);
        return reached;
    }

    explicit Source(std::string_view bytes) : file_(nullptr, std::fclose), bytes_(bytes), size_(bytes.size()) {
        begin();
    }

    std::size_t read(std::span<char> output) {
        if (gzip_) return gzip_->read(output);
        std::size_t filled = 0;
        while (filled < output.size()) {
            if (ahead_.empty()) ahead_ = next_piece();
            if (ahead_.empty()) break;
            const std::size_t count = std::min(ahead_.size(), output.size() - filled);
            std::memcpy(output.data() + filled, ahead_.data(), count);
            ahead_.remove_prefix(count);
            filled += count;
        }
        return filled;
    }

    /// How much to read at once: no more than bytes in memory probably hold.
    std::size_t step() const {
        if (file_) return step_bytes;
        return std::min(step_bytes, static_cast<std::size_t>(size_) * (gzip_ ? likely_gzip_ratio : 1));
    }
    std::uint64_t position() const { return gzip_ ? gzip_->consumed() : position_; }
    std::uint64_t size() const { return size_; }

  private:
    void begin() {
        ahead_ = next_piece();
        if (ahead_.empty()) fail("it is empty");
        if (is_gzip(ahead_)) gzip_.emplace([this] { return next_piece_or_first(); });
    }

    void go_to(std::uint64_t position) {
        if (fseeko(file_.get(), static_cast<off_t>(position), SEEK_SET) != 0)
            fail("it cannot be read: " + system_reason());
        ahead_ = {};
        position_ = position;
    }

    std::string_view next_piece_or_first() {
        return ahead_.empty() ? next_piece() : std::exchange(ahead_, std::string_view());
    }

    std::string_view next_piece() {
        std::string_view piece;
        if (file_) {
            piece = {chunk_.data(), std::fread(chunk_.data(), 1, chunk_.size(), file_.get())};
            if (std::ferror(file_.get())) fail("it cannot be read: " + system_reason());
        } else {
            piece = bytes_.substr(0, step_bytes);
            bytes_.remove_prefix(piece.size());
        }
        position_ += piece.size();
        return piece;
    }

    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    std::vector<char> chunk_;
    std::string_view bytes_;
    std::string_view ahead_;  ///< read and not yet handed out
    std::optional<GzipReader> gzip_;
    std::uint64_t position_ = 0, size_ = 0;
};

TextWindow::TextWindow(std::unique_ptr<Source> source)
    : source_(std::move(source)), buffer_(1 + 2 * source_->step() + simdjson::SIMDJSON_PADDING) {}

TextWindow::TextWindow(TextWindow&&) noexcept = default;
TextWindow::~TextWindow() = default;

TextWindow TextWindow::of_file(const std::string& path) {
    return TextWindow(std::make_unique<Source>(path));
}

TextWindow TextWindow::of_file_from(const std::string& path, std::uint64_t position, GzipCheckpoints& checkpoints) {
    TextWindow window = of_file(path);
    window.position_ = window.source_->seek(position, checkpoints);
    return window;
}

TextWindow TextWindow::of_bytes(std::string_view bytes) {
    return TextWindow(std::make_unique<Source>(bytes));
}

void TextWindow::pass(std::size_t bytes) {
    begin_ += bytes;
    position_ += bytes;
}

bool TextWindow::grow() {
    const std::size_t held = end_ - begin_;
    if (begin_ > 1) {
        std::memmove(buffer_.data() + 1, buffer_.data() + begin_, held);
        begin_ = 1;
        end_ = 1 + held;
    }
    if (held >= limit_bytes) fail("one event or member of it is longer than 256 MiB, which is the limit");
    // A value longer than the window doubles it, so that scanning it again each time stays linear.
    const std::size_t wanted = std::max(source_->step(), held);
    const std::size_t needed = 1 + held + wanted + simdjson::SIMDJSON_PADDING;
    if (buffer_.size() < needed) buffer_.resize(needed);
    const std::size_t read = source_->read({buffer_.data() + end_, wanted});
    end_ += read;
    return read > 0;
}

std::uint64_t TextWindow::source_position() const {
    return source_->position();
}

std::uint64_t TextWindow::source_size() const {
    return source_->size();
}

}  // namespace overlap
