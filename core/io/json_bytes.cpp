#include "core/io/json_bytes.h"

#include <simdjson.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "core/graph/error.h"

namespace overlap {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr std::size_t greatest_gzip_ratio = 1032;  // of the deflate format

[[noreturn]] void fail(std::string problem) {
    throw InputError("", std::move(problem));
}

[[noreturn]] void fail_too_large() {
    fail("it is larger than 4 GiB uncompressed, which is the limit");
}

bool is_gzip(std::string_view bytes) {
    return bytes.size() >= 2 && static_cast<unsigned char>(bytes[0]) == 0x1f &&
           static_cast<unsigned char>(bytes[1]) == 0x8b;
}

/// What the last four bytes of a gzip stream say of its uncompressed size, as far as it is credible.
std::size_t announced_size(std::string_view gzip) {
    std::size_t size = 0;
    for (std::size_t byte = 0; byte < 4; ++byte) {
        size |= std::size_t{static_cast<unsigned char>(gzip[gzip.size() - 4 + byte])} << (8 * byte);
    }
    return std::min({size, gzip.size() * greatest_gzip_ratio, json_size_limit});
}

class Inflater {
  public:
    explicit Inflater(std::string_view input) : input_(input) {
        if (inflateInit2(&stream_, 15 + 16) != Z_OK) fail("there is not enough memory to decompress it");
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// The members of the stream, one after the other; nothing when stopped.
    std::optional<std::string> run(const std::stop_token& stop) {
        std::string output;
        output.resize(std::max<std::size_t>(announced_size(input_) + 1, 4096));
        std::size_t filled = 0;
        for (int status = Z_OK;;) {
            if (stop.stop_requested()) return std::nullopt;
            if (filled == output.size()) output.resize(std::min(output.size() * 2, json_size_limit + 1));
            const std::size_t consumed = position();
            const std::size_t room = std::min(output.size() - filled, 4 * chunk_bytes);
            stream_.avail_in = static_cast<uInt>(std::min(input_.size() - consumed, chunk_bytes));
            stream_.next_out = reinterpret_cast<Bytef*>(output.data() + filled);
            stream_.avail_out = static_cast<uInt>(room);
            status = inflate(&stream_, Z_NO_FLUSH);
            filled += room - stream_.avail_out;
            if (filled > json_size_limit) fail_too_large();
            if (status == Z_STREAM_END) {
                if (!begin_next_member()) break;
            } else if (status == Z_BUF_ERROR ||
                       (status == Z_OK && position() == input_.size() && stream_.avail_out > 0)) {
                fail("the gzip stream is truncated: it ends after " + std::to_string(input_.size()) + " bytes, " +
                     std::to_string(filled) + " bytes of text into the document");
            } else if (status != Z_OK) {
                fail("the gzip stream is damaged near byte " + std::to_string(position()) +
                     (stream_.msg ? " (" + std::string(stream_.msg) + ")" : ""));
            }
        }
        output.resize(filled);
        return output;
    }

  private:
    std::size_t position() const {
        return static_cast<std::size_t>(reinterpret_cast<const char*>(stream_.next_in) - input_.data());
    }

    /// False at the end of the input; zeros after the last member are padding, as gzip itself takes them.
    bool begin_next_member() {
        const std::string_view rest = input_.substr(position());
        if (rest.find_first_not_of('\0') == std::string_view::npos) return false;
        if (!is_gzip(rest)) {
            fail("the gzip stream is followed by something else at byte " + std::to_string(position()));
        }
        inflateReset(&stream_);
        return true;
    }

    std::string_view input_;
    z_stream stream_{};
};

std::optional<JsonBytes> decompressed(std::string&& bytes, const std::stop_token& stop) {
    if (bytes.empty()) fail("it is empty");
    if (!is_gzip(bytes)) return JsonBytes(std::move(bytes));
    if (bytes.size() < 18) fail("the gzip stream is truncated: it has only " + std::to_string(bytes.size()) + " bytes");
    std::optional<std::string> text = Inflater(bytes).run(stop);
    bytes = {};  // before the padding below may copy the text
    if (!text) return std::nullopt;
    if (text->empty()) fail("the gzip stream holds nothing");
    return JsonBytes(std::move(*text));
}

}  // namespace

JsonBytes::JsonBytes(std::string bytes) : bytes_(std::move(bytes)), size_(bytes_.size()) {
    if (size_ > json_size_limit) fail_too_large();
    bytes_.append(simdjson::SIMDJSON_PADDING, '\0');
}

std::optional<JsonBytes> read_json_file(const std::string& path, std::stop_token stop) {
    const auto reason = [] { return std::generic_category().message(errno); };
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
    if (!file) fail("it cannot be opened: " + reason());
    struct stat status {};
    if (fstat(fileno(file.get()), &status) != 0) fail("it cannot be read: " + reason());
    if (S_ISDIR(status.st_mode)) fail("it is a folder, and a file was expected");

    std::string bytes;
    // One byte more than the file has, so that its end is found without growing; padding may follow in place.
    if (S_ISREG(status.st_mode) && status.st_size > 0) {
        if (static_cast<std::size_t>(status.st_size) > json_size_limit) fail_too_large();
        bytes.reserve(static_cast<std::size_t>(status.st_size) + 1 + simdjson::SIMDJSON_PADDING);
    }
    while (true) {
        if (stop.stop_requested()) return std::nullopt;
        const std::size_t filled = bytes.size();
        const std::size_t spare = bytes.capacity() - filled;
        bytes.resize(filled + std::clamp<std::size_t>(spare, 4096, 16 * chunk_bytes));
        const std::size_t read = std::fread(bytes.data() + filled, 1, bytes.size() - filled, file.get());
        bytes.resize(filled + read);
        if (std::ferror(file.get())) fail("it cannot be read: " + reason());
        if (read == 0) break;
        if (bytes.size() > json_size_limit) fail_too_large();
    }
    return decompressed(std::move(bytes), stop);
}

std::optional<JsonBytes> read_json_bytes(std::string_view bytes, std::stop_token stop) {
    if (is_gzip(bytes) && bytes.size() >= 18) {
        std::optional<std::string> text = Inflater(bytes).run(stop);
        if (!text) return std::nullopt;
        if (text->empty()) fail("the gzip stream holds nothing");
        return JsonBytes(std::move(*text));
    }
    return decompressed(std::string(bytes), stop);
}

}  // namespace overlap
