#include "core/files/json_output.h"

#include <zlib.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/files/atomic_file.h"

namespace overlap {

namespace {

constexpr int compression_level = 6;

}  // namespace

std::string gzip_compressed(std::string_view text) {
    z_stream stream{};
    // zlib's own header has no time and no name unless they are given.
    if (deflateInit2(&stream, compression_level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw InputError("", "there is not enough memory to compress it");
    }
    std::string output(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(output.data());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    std::size_t read = 0, written = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
        constexpr std::size_t step = std::size_t{1} << 30;  // counters of zlib are 32 bits
        const std::size_t input = std::min(text.size() - read, step), room = std::min(output.size() - written, step);
        stream.avail_in = static_cast<uInt>(input);
        stream.avail_out = static_cast<uInt>(room);
        status = deflate(&stream, read + input == text.size() ? Z_FINISH : Z_NO_FLUSH);
        read += input - stream.avail_in;
        written += room - stream.avail_out;
    }
    deflateEnd(&stream);
    output.resize(written);
    return output;
}

void write_json_file(const std::string& path, std::string_view text) {
    if (path.ends_with(".gz")) {
        write_file_atomically(path, gzip_compressed(text));
    } else {
        write_file_atomically(path, text);
    }
}

}  // namespace overlap
