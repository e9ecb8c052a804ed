#include "core/files/gzip_reader.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/error.h"

namespace overlap {

namespace {

constexpr char magic[] = {'\x1f', '\x8b'};
constexpr std::uint64_t checkpoint_distance = std::uint64_t{4} << 20;
constexpr std::size_t window_bytes = 32768;                 // the most that deflate refers back
constexpr std::size_t trailer_size = 8;                     // checksum and length
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

GzipReader::GzipReader(Source source, const GzipCheckpoint& from)
    : source_(std::move(source)),
      received_(from.source_position),
      produced_(from.position),
      has_header_(false),
      trailer_bytes_(trailer_size) {
    if (inflateInit2(&stream_, -15) != Z_OK) fail("there is not enough memory to decompress it");
    if (from.bits > 0) inflatePrime(&stream_, from.bits, from.last_byte >> (8 - from.bits));
    inflateSetDictionary(&stream_, from.window.data(), static_cast<uInt>(from.window.size()));
}

/// Called between blocks.
void GzipReader::keep_checkpoint() {
    const std::uint64_t last = checkpoints_->empty() ? 0 : checkpoints_->back().position;
    if (produced_ < last + checkpoint_distance) return;
    GzipCheckpoint place{produced_, consumed(), static_cast<std::uint8_t>(stream_.data_type & 7), 0, {}};
    if (place.bits > 0) {
        if (!piece_begin_ || stream_.next_in == piece_begin_) return;  // that byte is gone; the next block is used
        place.last_byte = stream_.next_in[-1];
    }
    place.window.resize(window_bytes);
    uInt length = 0;
    inflateGetDictionary(&stream_, place.window.data(), &length);
    place.window.resize(length);
    checkpoints_->push_back(std::move(place));
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
    inflateReset2(&stream_, 15 + 16);
    between_members_ = false;
    has_header_ = true;
    return true;
}

std::size_t GzipReader::read(std::span<char> output) {
    if (damage_) throw *damage_;
    std::size_t filled = 0;
    try {
        fill(output, filled);
    } catch (const InputError& error) {
        if (filled == 0) throw;
        damage_ = error;
    }
    return filled;
}

void GzipReader::fill(std::span<char> output, std::size_t& filled) {
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
            piece_begin_ = stream_.next_in;
            received_ += piece.size();
        }
        if (between_members_ && !has_header_ && trailer_bytes_ > 0) {
            const auto passed = static_cast<uInt>(std::min<std::size_t>(trailer_bytes_, stream_.avail_in));
            stream_.next_in += passed;
            stream_.avail_in -= passed;
            trailer_bytes_ -= passed;
            continue;
        }
        if (between_members_ && !begin_member()) continue;
        const std::size_t room = std::min(output.size() - filled, most_at_once);
        stream_.next_out = reinterpret_cast<Bytef*>(output.data() + filled);
        stream_.avail_out = static_cast<uInt>(room);
        const int status = inflate(&stream_, checkpoints_ ? Z_BLOCK : Z_NO_FLUSH);
        filled += room - stream_.avail_out;
        produced_ += room - stream_.avail_out;
        constexpr int between_blocks = 128, last_block = 64;
        if (checkpoints_ && status == Z_OK && (stream_.data_type & (between_blocks | last_block)) == between_blocks) {
            keep_checkpoint();
        }
        if (status == Z_STREAM_END) {
            between_members_ = true;
        } else if (status != Z_OK && status != Z_BUF_ERROR) {  // the latter: it waits for more input
            fail("the gzip stream is damaged near byte " + std::to_string(consumed()) +
                 (stream_.msg ? " (" + std::string(stream_.msg) + ")" : ""));
        }
    }
}

}  // namespace overlap
