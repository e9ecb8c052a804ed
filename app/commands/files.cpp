#include "app/commands/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "core/graph/error.h"

namespace overlap::commands {

namespace {

[[noreturn]] void cannot_write(const std::string& path, int reason) {
    throw InputError(path, "",
                     "cannot be written: " + (reason ? std::generic_category().message(reason) : "unknown reason"));
}

}  // namespace

void write_text_file(const std::string& path, std::string_view text) {
    const std::string part = path + "." + std::to_string(::getpid()) + ".part";
    errno = 0;
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file || std::rename(part.c_str(), path.c_str()) != 0) {
        const int reason = errno;
        std::remove(part.c_str());
        cannot_write(path, reason);
    }
}

}  // namespace overlap::commands
