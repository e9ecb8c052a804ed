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
/// What keep_input() was told of is opened in place of the path.
/// @throws InputError without the file's name: cannot be opened, is no file but a folder, a pipe, a socket or a device.
InputFile open_input_file(const std::string& path);

/// From now on `path` is what `descriptor` holds: a regular file that readers can open again and again. For a pipe, or
/// `-`, that a program has read to its end, since it may wait for it and readers may not. Not to be called while
/// another thread reads.
void keep_input(const std::string& path, int descriptor);

}  // namespace overlap
