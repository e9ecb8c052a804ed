#pragma once

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace overlap::test {

inline std::string read_bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

/// A file's text, decompressed by zlib's file interface, which also reads plain files: independent of the reader.
inline std::string read_text(const std::filesystem::path& path) {
    std::string text;
    gzFile file = gzopen(path.c_str(), "rb");
    char buffer[1 << 16];
    for (int count = 0; file && (count = gzread(file, buffer, sizeof buffer)) > 0;) {
        text.append(buffer, static_cast<std::size_t>(count));
    }
    gzclose(file);
    return text;
}

/// Graph documents of a folder, sorted; none where the folder does not exist.
inline std::vector<std::filesystem::path> graph_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    if (!std::filesystem::is_directory(folder)) return files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.ends_with(".graph.json.gz") || name.ends_with(".graph.json")) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// A folder that disappears with the object.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "overlap-test-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace overlap::test
