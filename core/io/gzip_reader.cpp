#include "core/io/gzip_reader.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/graph/error.h"

namespace overlap {

namespace {

constexpr char magic[] = {'\x1f', '\x8b'};
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in 32 bits

[[noreturn]] void fail(std::string problem) {
    throw InputError("", std::move(problem));
}

}  // namespace

bool is_gzip(std::string_view bytes) {
    return bytes.starts_with(std::string_view(magic, 2));
}

GzipReader::GzipReader(Source source) : source_(std::move(source)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) fail("there is not enough memory to decompress it");
}

GzipReader::~GzipReader() {
    inflateEnd(&stream_);
}

bool GzipReader::begin_member() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
        ++stream_.next_in;
        --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return false;
    if (*stream_.next_in != static_cast<Bytef>(magic[0])) {
        fail("the gzip stream is followed by something else at byte " + std::to_string(consumed()));
    }
    inflateReset(&stream_);
    between_members_ = false;
    return true;
}

std::size_t GzipReader::read(std::span<char> output) {
    std::size_t filled = 0;
    while (filled < output.size() && !finished_) {
        if (stream_.avail_in == 0) {
            const std::string_view piece = source_();
            finished_ = piece.empty();
            if (finished_ && !between_members_) {
                fail("the gzip stream is truncated: it ends after " + std::to_string(received_) + " bytes, " +
                     std::to_string(produced_) + " bytes of text into the document");
            }
            stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
            stream_.avail_in = static_cast<uInt>(piece.size());
            received_ += piece.size();
        }
        if (between_members_ && !begin_member()) continue;
        const std::size_t room = std::min(output.size() - filled, most_at_once);
        stream_.next_out = reinterpret_cast<Bytef*>(output.data() + filled);
        stream_.avail_out = static_cast<uInt>(room);
        const int status = inflate(&stream_, Z_NO_FLUSH);
        filled += room - stream_.avail_out;
        produced_ += room - stream_.avail_out;
        if (status == Z_STREAM_END) {
            between_members_ = true;
        } else if (status != Z_OK && status != Z_BUF_ERROR) {  // the latter: it waits for more input
            fail("the gzip stream is damaged near byte " + std::to_string(consumed()) +
                 (stream_.msg ? " (" + std::string(stream_.msg) + ")" : ""));
        }
    }
    return filled;
}

}  // namespace overlap
