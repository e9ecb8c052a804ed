#pragma once

#include <string>
#include <string_view>

namespace overlap {

/// What happens to the content that a file had before it is written again.
enum class OlderVersion {
    dropped,
    kept,  ///< in older_version_path(), in place of the one that was kept there before
};

/// Where write_file_atomically keeps the older version of a file: its name followed by `~`.
std::string older_version_path(const std::string& path);

/// Writes `bytes` to `path`. The file appears whole or not at all, whatever ends the program or the machine: a
/// temporary file in the same folder is written, synchronised and renamed, and the folder is synchronised. Where `path`
/// is a symbolic link, the file it leads to is replaced and the link stays. Permissions and owner of a file that was
/// there before stay. A device or pipe is written as it is.
/// @param older a file that has `bytes` already keeps the older version that it has: saving twice loses nothing.
/// @throws InputError with the path and the system's reason; the file then has what it had, also where what it had
/// cannot be kept. A file that is read-only, for all or for this user, is refused.
void write_file_atomically(const std::string& path, std::string_view bytes, OlderVersion older = OlderVersion::dropped);

}  // namespace overlap
