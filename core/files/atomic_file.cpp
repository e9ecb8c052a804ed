#include "core/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/error.h"

namespace overlap {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what, int error) {
    throw InputError(path, "", what + ": " + std::generic_category().message(error));
}

std::string folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

/// The file that links lead to, whether or not it is there; `path` itself where they form a cycle.
std::string link_target(const std::string& path) {
    constexpr int most_links = 40;  // as the kernel's own limit
    std::filesystem::path target = path;
    std::error_code error;
    for (int links = 0; links < most_links; ++links) {
        const std::filesystem::path next = std::filesystem::read_symlink(target, error);
        if (error == std::errc::invalid_argument || error == std::errc::no_such_file_or_directory ||
            error == std::errc::not_a_directory)
            return target.string();  // it is no link
        if (error) fail(path, "it cannot be written", error.value());
        target = target.parent_path() / next;
    }
    return path;
}

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(path, "it cannot be written", errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// The name of a file is on the disk only once its folder is.
void synchronise_folder(const std::string& path) {
    const int folder = open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;                                  // a folder that may be written but not read
    const bool failed = fsync(folder) != 0 && errno == EIO;  // other errors: a file system that cannot do this
    close(folder);
    if (failed) fail(path, "it is written, but might not outlast a loss of power", EIO);
}

/// A name beside the file that no other thread of this process gets, and most likely no other process.
std::string temporary_name(const std::string& path) {
    static std::atomic<unsigned> count = 0;
    return path + "." + std::to_string(getpid()) + "-" + std::to_string(++count);
}

/// What is there under a name; nothing where nothing is, or links form a cycle.
std::optional<struct stat> status_of(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0) return status;
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) fail(path, "it cannot be written", errno);
    return std::nullopt;
}

/// Renaming over a file needs no permission to write to it.
void refuse_read_only(const std::string& path, const struct stat& there) {
    constexpr mode_t any_writer = S_IWUSR | S_IWGRP | S_IWOTH;
    if ((there.st_mode & any_writer) != 0) {
        if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0) return;
        if (errno != EACCES && errno != EROFS && errno != EPERM) fail(path, "it cannot be written", errno);
    }
    throw InputError(path, "", "it is read-only");
}

/// A file without a name in the folder of the wanted one, of which nothing remains when the process is killed; one
/// with a temporary name where the file system has no such files.
class TemporaryFile {
  public:
    /// @param like whose permissions and owner it gets, if any.
    TemporaryFile(const std::string& path, const std::optional<struct stat>& like) : path_(path) {
        // The system takes the process's mask from the mode of a file that is new.
        const mode_t mode = like ? 0600 : 0666;
        descriptor_ = open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
        if (descriptor_ < 0) {
            do {
                temporary_ = temporary_name(path);
                descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
            } while (descriptor_ < 0 && errno == EEXIST);
            if (descriptor_ < 0) fail(path, "it cannot be written", errno);
        }
        if (like) {
            // A user who may not keep the owner can still save; the mode comes last, since a change of owner clears
            // bits of it.
            if (fchown(descriptor_, like->st_uid, like->st_gid) != 0) errno = 0;
            fchmod(descriptor_, like->st_mode & 07777);
        }
    }
    ~TemporaryFile() {
        close(descriptor_);
        if (!renamed_ && !temporary_.empty()) unlink(temporary_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void write(std::string_view bytes) { write_all(descriptor_, bytes, path_); }

    void take_place() {
        if (fsync(descriptor_) != 0) fail(path_, "it cannot be written", errno);
        if (temporary_.empty()) give_name();
        if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "it cannot be put in place", errno);
        renamed_ = true;
        synchronise_folder(path_);
    }

  private:
    void give_name() {
        const std::string opened = "/proc/self/fd/" + std::to_string(descriptor_);
        std::string name;
        do {
            name = temporary_name(path_);
            if (linkat(AT_FDCWD, opened.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
                temporary_ = std::move(name);  // which needs no memory: from here on it is there
                return;
            }
        } while (errno == EEXIST);
        fail(path_, "it cannot be put in place", errno);
    }

    std::string path_, temporary_;
    int descriptor_ = -1;
    bool renamed_ = false;
};

void replace_file(const std::string& path, std::string_view bytes, const std::optional<struct stat>& like) {
    TemporaryFile file(path, like);
    file.write(bytes);
    file.take_place();
}

/// A device or pipe cannot be replaced.
void write_in_place(const std::string& path, std::string_view bytes) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path, "it cannot be written", errno);
    try {
        write_all(descriptor, bytes, path);
    } catch (...) {
        close(descriptor);
        throw;
    }
    close(descriptor);
}

struct OpenedFile {
    explicit OpenedFile(const std::string& path) : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~OpenedFile() {
        if (descriptor >= 0) close(descriptor);
    }
    OpenedFile(const OpenedFile&) = delete;
    OpenedFile& operator=(const OpenedFile&) = delete;

    const int descriptor;
};

/// What a file holds that is about to be the version before.
std::string content(const std::string& path, std::size_t expected) {
    const char* const refusal = "the version before cannot be kept";
    const OpenedFile file(path);
    if (file.descriptor < 0) fail(path, refusal, errno);
    std::string bytes;
    std::size_t filled = 0;
    while (true) {
        // One more than is expected, so that the end is seen.
        if (bytes.size() == filled) bytes.resize(filled + std::max(expected + 1, filled));
        const ssize_t count = read(file.descriptor, bytes.data() + filled, bytes.size() - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(path, refusal, errno);
        if (count == 0) break;
        filled += static_cast<std::size_t>(count);
    }
    bytes.resize(filled);
    return bytes;
}

}  // namespace

std::string older_version_path(const std::string& path) {
    return path + "~";
}

void write_file_atomically(const std::string& path, std::string_view bytes, OlderVersion older) {
    const std::string target = link_target(path);
    try {
        // What a shell lets a file take up stays its own: it may go on in it, as after `>>`.
        if (path == "/dev/stdout") return write_all(STDOUT_FILENO, bytes, path);
        // By the name as it is: the target of /dev/stdout for a pipe is not a file name.
        const std::optional<struct stat> there = status_of(path);
        if (there && S_ISDIR(there->st_mode)) throw InputError(path, "", "it is a folder, not a file");
        if (there && !S_ISREG(there->st_mode)) return write_in_place(path, bytes);
        if (there) refuse_read_only(target, *there);
        if (there && older == OlderVersion::kept)
            if (const std::string before = content(target, static_cast<std::size_t>(there->st_size)); before != bytes)
                replace_file(older_version_path(target), before, there);
        replace_file(target, bytes, there);
    } catch (const InputError& refusal) {
        throw InputError(path, "", refusal.problem());  // in the name that the caller knows
    }
}

}  // namespace overlap
