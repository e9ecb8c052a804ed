#include "app/arguments/piped_input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "app/arguments/file_arguments.h"
#include "core/base/error.h"
#include "core/files/input_file.h"

namespace overlap::commands {

namespace {

constexpr const char* standard_input = "-";

[[noreturn]] void fail(const std::string& name) {
    throw InputError(name == standard_input ? "standard input" : name, "",
                     "it cannot be read: " + std::generic_category().message(errno));
}

bool is_piped(const std::string& name) {
    if (name == standard_input) return true;
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(name, error);
    return std::filesystem::is_fifo(status) || std::filesystem::is_socket(status);
}

void write_all(int descriptor, const char* bytes, std::size_t count, const std::string& name) {
    while (count > 0) {
        const ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(name);
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
}

/// A file without a name that holds all that `name` has. It stays open as long as the program runs.
int copy_of(const std::string& name) {
    const int source = name == standard_input ? STDIN_FILENO : open(name.c_str(), O_RDONLY | O_CLOEXEC);
    const int copy = source < 0 ? -1 : memfd_create("input", MFD_CLOEXEC);
    if (copy < 0) fail(name);
    std::vector<char> bytes(std::size_t{1} << 16);
    while (true) {
        const ssize_t count = read(source, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(name);
        if (count == 0) break;
        write_all(copy, bytes.data(), static_cast<std::size_t>(count), name);
    }
    if (source != STDIN_FILENO) close(source);
    return copy;
}

}  // namespace

void read_pipes(CLI::App& command) {
    std::set<std::string> seen;
    for (const std::string& name : files_to_read(command)) {
        if (!is_piped(name)) continue;
        if (!seen.insert(name).second)
            throw CLI::ValidationError(name, "it is given twice, and a pipe can be read but once");
        keep_input(name, copy_of(name));
    }
}

}  // namespace overlap::commands
