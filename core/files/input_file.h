#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace overlap {

/// A file that is open for reading.
struct InputFile {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream{nullptr, std::fclose};
    std::uint64_t size = 0;  ///< bytes; also 0 where the system does not report it
};

/// Opens a file and never waits for one: pipes and devices may have nothing to read, or no end, and readers look at a
/// file more than once.
/// @throws InputError without the file's name: cannot be opened, is no file but a folder, a pipe, a socket or a device.
InputFile open_input_file(const std::string& path);

}  // namespace overlap
