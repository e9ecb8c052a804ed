#include "core/files/json_bytes.h"

#include <simdjson.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "core/base/error.h"
#include "core/files/gzip_reader.h"
#include "core/files/input_file.h"

namespace overlap {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr std::size_t greatest_gzip_ratio = 1032;  // of the deflate format
/// Graphs of jobs are 14 to 26 times as large as their gzip.
constexpr std::size_t likely_gzip_ratio = 48;

[[noreturn]] void fail(std::string problem) {
    throw InputError("", std::move(problem));
}

[[noreturn]] void fail_too_large() {
    fail("it is larger than 4 GiB uncompressed, which is the limit");
}

/// The uncompressed size that the last four bytes of a gzip stream give, as far as it is plausible.
std::size_t announced_size(std::string_view gzip) {
    std::size_t size = 0;
    for (std::size_t byte = 0; byte < 4; ++byte) {
        size |= std::size_t{static_cast<unsigned char>(gzip[gzip.size() - 4 + byte])} << (8 * byte);
    }
    return std::min({size, gzip.size() * greatest_gzip_ratio, json_size_limit});
}

/// The text of a gzip stream; nothing when stopped.
std::optional<std::string> inflated(std::string_view gzip, const std::stop_token& stop) {
    GzipReader reader([rest = gzip]() mutable {
        const std::string_view piece = rest.substr(0, chunk_bytes);
        rest.remove_prefix(piece.size());
        return piece;
    });
    // A few bytes may announce gigabytes: for implausible sizes memory is allocated only when that much text has come.
    const std::size_t announced = announced_size(gzip) + 1;
    std::string output;
    output.resize(std::max<std::size_t>(std::min(announced, gzip.size() * likely_gzip_ratio), 4096));
    std::size_t filled = 0;
    while (true) {
        if (stop.stop_requested()) return std::nullopt;
        if (filled == output.size()) {
            const std::size_t grown = std::min(output.size() * 2, json_size_limit + 1);
            output.resize(announced > filled && announced < 4 * filled ? announced : grown);
        }
        const std::size_t room = std::min(output.size() - filled, 4 * chunk_bytes);
        const std::size_t read = reader.read({output.data() + filled, room});
        filled += read;
        if (filled > json_size_limit) fail_too_large();
        if (read == 0) break;
    }
    output.resize(filled);
    return output;
}

std::optional<JsonBytes> decompressed(std::string&& bytes, const std::stop_token& stop) {
    if (bytes.empty()) fail("it is empty");
    if (!is_gzip(bytes)) return JsonBytes(std::move(bytes));
    if (bytes.size() < 18) fail("the gzip stream is truncated: it has only " + std::to_string(bytes.size()) + " bytes");
    std::optional<std::string> text = inflated(bytes, stop);
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
    const InputFile file = open_input_file(path);
    std::string bytes;
    // One byte more than the file has, so that its end is found without growing; padding may follow in place.
    if (file.size > json_size_limit) fail_too_large();
    if (file.size > 0) bytes.reserve(static_cast<std::size_t>(file.size) + 1 + simdjson::SIMDJSON_PADDING);
    while (true) {
        if (stop.stop_requested()) return std::nullopt;
        const std::size_t filled = bytes.size();
        const std::size_t spare = bytes.capacity() - filled;
        bytes.resize(filled + std::clamp<std::size_t>(spare, 4096, 16 * chunk_bytes));
        const std::size_t read = std::fread(bytes.data() + filled, 1, bytes.size() - filled, file.stream.get());
        bytes.resize(filled + read);
        if (std::ferror(file.stream.get())) fail("it cannot be read: " + reason());
        if (read == 0) break;
        if (bytes.size() > json_size_limit) fail_too_large();
    }
    return decompressed(std::move(bytes), stop);
}

std::optional<JsonBytes> read_json_bytes(std::string_view bytes, std::stop_token stop) {
    if (is_gzip(bytes) && bytes.size() >= 18) {
        std::optional<std::string> text = inflated(bytes, stop);
        if (!text) return std::nullopt;
        if (text->empty()) fail("the gzip stream holds nothing");
        return JsonBytes(std::move(*text));
    }
    return decompressed(std::string(bytes), stop);
}

}  // namespace overlap
