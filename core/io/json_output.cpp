#include "core/io/json_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "core/graph/error.h"

namespace overlap {

namespace {

constexpr int compression_level = 6;

/// A temporary file beside the wanted one; removed unless it took that one's place.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& path) : path_(path), temporary_(path + ".XXXXXX") {
        descriptor_ = mkstemp(temporary_.data());
        if (descriptor_ < 0) fail("it cannot be written", errno);
        struct stat status {};
        mode_t mode = 0;
        if (stat(path.c_str(), &status) == 0) {
            mode = status.st_mode & 07777;
        } else {
            const mode_t mask = umask(0);
            umask(mask);
            mode = 0666 & ~mask;
        }
        fchmod(descriptor_, mode);
    }
    ~TemporaryFile() {
        if (descriptor_ >= 0) close(descriptor_);
        if (!renamed_ && !temporary_.empty()) unlink(temporary_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void write(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail("it cannot be written", errno);
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    void take_place() {
        if (fsync(descriptor_) != 0) fail("it cannot be written", errno);
        const int descriptor = descriptor_;
        descriptor_ = -1;
        if (close(descriptor) != 0) fail("it cannot be written", errno);
        if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("it cannot be put in place", errno);
        renamed_ = true;
    }

  private:
    [[noreturn]] void fail(const std::string& what, int error) const {
        throw InputError(path_, "", what + ": " + std::generic_category().message(error));
    }

    std::string path_, temporary_;
    int descriptor_ = -1;
    bool renamed_ = false;
};

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

void write_file_atomically(const std::string& path, std::string_view bytes) {
    // What a link points at is replaced, not the link; a device or pipe cannot be replaced and is written as it is.
    std::error_code error;
    std::string target = path;
    if (const auto resolved = std::filesystem::canonical(path, error); !error) target = resolved.string();
    if (std::filesystem::exists(target, error) && !std::filesystem::is_regular_file(target, error)) {
        if (std::filesystem::is_directory(target, error)) throw InputError(path, "", "it is a folder, not a file");
        const int descriptor = open(target.c_str(), O_WRONLY | O_CLOEXEC);
        bool written = descriptor >= 0;
        while (written && !bytes.empty()) {
            const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            written = count >= 0;
            if (written) bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        const int reason = errno;
        if (descriptor >= 0) close(descriptor);
        if (!written) throw InputError(path, "", "it cannot be written: " + std::generic_category().message(reason));
        return;
    }
    TemporaryFile file(target);
    file.write(bytes);
    file.take_place();
}

void write_json_file(const std::string& path, std::string_view text) {
    if (path.ends_with(".gz")) {
        write_file_atomically(path, gzip_compressed(text));
    } else {
        write_file_atomically(path, text);
    }
}

}  // namespace overlap
