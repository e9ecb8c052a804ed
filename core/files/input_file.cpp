#include "core/files/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <string>
#include <system_error>

#include "core/base/error.h"

namespace overlap {

namespace {

/// The kind of something that is no regular file.
const char* kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

/// Descriptors of what stands for pipes, by path.
std::map<std::string, int>& kept_inputs() {
    static std::map<std::string, int> inputs;
    return inputs;
}

/// The name by which a path can be opened.
std::string name_to_open(const std::string& path) {
    const auto kept = kept_inputs().find(path);
    return kept == kept_inputs().end() ? path : "/proc/self/fd/" + std::to_string(kept->second);
}

[[noreturn]] void fail(const std::string& problem) {
    throw InputError("", problem);
}

}  // namespace

InputFile open_input_file(const std::string& path) {
    if (path.empty()) fail("the name of the file is empty");
    const auto reason = [] { return std::generic_category().message(errno); };
    // Without waiting for a writer of a pipe.
    const int descriptor = open(name_to_open(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) fail("it cannot be opened: " + reason());
    InputFile file;
    file.stream.reset(fdopen(descriptor, "rb"));
    if (!file.stream) {
        const std::string why = reason();
        close(descriptor);
        fail("it cannot be opened: " + why);
    }
    struct stat status {};
    if (fstat(descriptor, &status) != 0) fail("it cannot be read: " + reason());
    if (!S_ISREG(status.st_mode)) fail(std::string("it is ") + kind_of(status.st_mode) + ", and a file was expected");
    file.size = static_cast<std::uint64_t>(status.st_size);
    return file;
}

void keep_input(const std::string& path, int descriptor) {
    kept_inputs()[path] = descriptor;
}

}  // namespace overlap
