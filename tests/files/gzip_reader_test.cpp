// Text that is read piece by piece, plain or gzip, from its beginning or from a place within.

#include "core/files/gzip_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>

#include "core/files/json_bytes.h"
#include "core/files/json_output.h"
#include "core/files/text_window.h"
#include "tests/support/problem_of.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

using test::problem_of;
using test::TemporaryFolder;

/// Bytes in pieces.
GzipReader::Source pieces_of(std::string_view bytes, std::size_t piece_bytes) {
    return [bytes, piece_bytes]() mutable {
        const std::string_view piece = bytes.substr(0, piece_bytes);
        bytes.remove_prefix(piece.size());
        return piece;
    };
}

std::string all_of(GzipReader& reader, std::size_t room = 1000) {
    std::string text, piece(room, ' ');
    while (const std::size_t count = reader.read({piece.data(), piece.size()})) text.append(piece, 0, count);
    return text;
}

/// Lines that are all different.
std::string long_text(std::size_t bytes) {
    std::string text;
    for (std::size_t line = 0; text.size() < bytes; ++line)
        text.append("{\"n\":").append(std::to_string(line * 7919 % 100'003)).append("},\n");
    return text;
}

/// As gzip_compressed(), and faster.
std::string quickly_compressed(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
    std::string bytes(deflateBound(&stream, text.size()) + 64, ' ');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    deflate(&stream, Z_FINISH);
    bytes.resize(stream.total_out);
    deflateEnd(&stream);
    return bytes;
}

void write(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

TEST(GzipReader, GivesTheTextOfAllMembersInWhateverPieces) {
    const std::string first = long_text(5000), second = "and more";
    const std::string bytes = gzip_compressed(first) + gzip_compressed(second) + std::string(20, '\0');
    for (const std::size_t piece_bytes : {1u, 7u, 100'000u}) {
        GzipReader reader(pieces_of(bytes, piece_bytes));
        EXPECT_EQ(all_of(reader), first + second);
        EXPECT_EQ(reader.consumed(), bytes.size());
    }
}

TEST(GzipReader, GivesWhatComesBeforeDamageAndThenTellsOfIt) {
    const std::string text = long_text(50'000), bytes = gzip_compressed(text);
    std::string room(2 * text.size(), ' ');
    GzipReader truncated(pieces_of(std::string_view(bytes).substr(0, bytes.size() / 2), 100));
    const std::size_t count = truncated.read({room.data(), room.size()});
    EXPECT_GT(count, 0u);
    EXPECT_EQ(room.substr(0, count), text.substr(0, count));
    const std::string told = "the gzip stream is truncated: it ends after " + std::to_string(bytes.size() / 2) +
                             " bytes, " + std::to_string(count) + " bytes of text into the document";
    for (int again = 0; again < 2; ++again)
        EXPECT_EQ(problem_of([&] { truncated.read({room.data(), room.size()}); }), told);
    std::string damaged = gzip_compressed("a short text");
    damaged[10] = '\xff';
    GzipReader reader(pieces_of(damaged, 100));
    EXPECT_TRUE(problem_of([&] {
                    reader.read({room.data(), room.size()});
                }).starts_with("the gzip stream is damaged near byte "));
    const std::string followed = gzip_compressed("text") + "other";
    GzipReader other(pieces_of(followed, 100));
    EXPECT_EQ(other.read({room.data(), room.size()}), 4u);
    EXPECT_EQ(problem_of([&] {
                  other.read({room.data(), room.size()});
              }),
              "the gzip stream is followed by something else at byte " + std::to_string(followed.size() - 5));
}

TEST(GzipReader, ContinuesFromCheckpointsThatAreFarApart) {
    constexpr std::size_t distance = std::size_t{4} << 20;
    const std::string text = long_text(distance + distance / 2), bytes = quickly_compressed(text);
    std::vector<GzipCheckpoint> places;
    GzipReader reader(pieces_of(bytes, 1 << 20));
    reader.keep_checkpoints(places);
    ASSERT_TRUE(all_of(reader, 1 << 20) == text);
    ASSERT_FALSE(places.empty());  // where they are, by the blocks that the compressor made
    std::uint64_t before = 0;
    for (const GzipCheckpoint& place : places) {
        EXPECT_GE(place.position, before + distance);
        before = place.position;
        GzipReader from(pieces_of(std::string_view(bytes).substr(place.source_position), 1 << 20), place);
        EXPECT_TRUE(all_of(from, 1 << 20) == text.substr(place.position));
        EXPECT_EQ(from.consumed(), bytes.size());
    }
}

/// All of the rest of a window's text, passed in steps.
std::string rest_of(TextWindow& window) {
    std::string text;
    std::size_t step = 0;
    while (true) {
        const std::size_t taken =
            std::min(window.text().size(), ++step % 3 == 0 ? std::size_t{100'003} : window.text().size() / 2);
        text.append(window.text().substr(0, taken));
        window.pass(taken);
        if (!window.grow()) break;
    }
    return text.append(window.text());
}

TEST(TextWindow, MovesOverATextWhereverItIs) {
    const TemporaryFolder folder;
    const std::string text = long_text(2'500'000), gzip = quickly_compressed(text);
    const std::string plain_path = (folder / "a.json").string(), gzip_path = (folder / "a.json.gz").string();
    write(plain_path, text);
    write(gzip_path, gzip);
    TextWindow windows[] = {TextWindow::of_bytes(text), TextWindow::of_bytes(gzip), TextWindow::of_file(plain_path),
                            TextWindow::of_file(gzip_path)};
    for (TextWindow& window : windows) {
        EXPECT_EQ(window.text(), "");
        ASSERT_TRUE(rest_of(window) == text);
        EXPECT_EQ(window.position() + window.text().size(), text.size());
        EXPECT_EQ(window.source_position(), window.source_size());
        EXPECT_FALSE(window.grow());
    }
    EXPECT_EQ(windows[2].source_size(), text.size());
    EXPECT_EQ(windows[3].source_size(), gzip.size());
    EXPECT_EQ(problem_of([] { TextWindow::of_bytes(""); }), "it is empty");
}

TEST(TextWindow, BeginsAtAPlaceOrBeforeIt) {
    const TemporaryFolder folder;
    const std::string text = long_text(5'000'000);
    const std::string plain_path = (folder / "a.json").string(), gzip_path = (folder / "a.json.gz").string();
    write(plain_path, text);
    write(gzip_path, quickly_compressed(text));
    GzipCheckpoints none, checkpoints;
    TextWindow plain = TextWindow::of_file_from(plain_path, 4'000'000, none);
    EXPECT_EQ(plain.position(), 4'000'000u);
    EXPECT_TRUE(rest_of(plain) == text.substr(4'000'000));
    EXPECT_TRUE(none.places.empty());
    // From the beginning first, since nothing is known of the file.
    TextWindow whole = TextWindow::of_file_from(gzip_path, 4'900'000, checkpoints);
    EXPECT_EQ(whole.position(), 0u);
    EXPECT_TRUE(rest_of(whole) == text);
    ASSERT_EQ(checkpoints.places.size(), 1u);
    {
        const GzipCheckpoint place = checkpoints.places.front();
        TextWindow from = TextWindow::of_file_from(gzip_path, place.position + 5, checkpoints);
        EXPECT_EQ(from.position(), place.position);
        EXPECT_TRUE(rest_of(from) == text.substr(place.position));
    }
    TextWindow early = TextWindow::of_file_from(gzip_path, 100, checkpoints);
    EXPECT_EQ(early.position(), 0u);
    // Of a file that has changed they say nothing.
    write(gzip_path, quickly_compressed(text.substr(0, 100'000)));
    TextWindow changed = TextWindow::of_file_from(gzip_path, 4'900'000, checkpoints);
    EXPECT_EQ(changed.position(), 0u);
    EXPECT_TRUE(checkpoints.places.empty());
}

TEST(JsonBytes, AreThoseOfPlainTextAndOfGzip) {
    const std::string text = long_text(200'000), gzip = gzip_compressed(text);
    EXPECT_EQ(read_json_bytes(text)->view(), text);
    EXPECT_EQ(read_json_bytes(gzip)->view(), text);
    EXPECT_EQ(read_json_bytes(gzip_compressed(std::string(3'000'000, ' ')))->view(), std::string(3'000'000, ' '));
    EXPECT_EQ(problem_of([] { read_json_bytes(""); }), "it is empty");
    EXPECT_EQ(problem_of([] { read_json_bytes(gzip_compressed("")); }), "the gzip stream holds nothing");
    EXPECT_EQ(problem_of([&] { read_json_bytes(gzip.substr(0, 17)); }),
              "the gzip stream is truncated: it has only 17 bytes");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(read_json_bytes(gzip, stop.get_token()));
    const TemporaryFolder folder;
    const std::string path = (folder / "a.json.gz").string();
    write(path, gzip);
    EXPECT_EQ(read_json_file(path)->view(), text);
    EXPECT_FALSE(read_json_file(path, stop.get_token()));
    write(path, gzip_compressed(""));
    EXPECT_EQ(problem_of([&] { read_json_file(path); }), "the gzip stream holds nothing");
    std::ofstream((folder / "empty.json").string());
    EXPECT_EQ(problem_of([&] { read_json_file((folder / "empty.json").string()); }), "it is empty");
}

}  // namespace
}  // namespace overlap
