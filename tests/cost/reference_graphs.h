#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace overlap::test {

/// Graph files that tests run over: those of the repository and, where they lie beside it, all reference graphs.
/// A graph that is in both places comes once.
inline std::vector<std::filesystem::path> reference_graph_files() {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> names;
    for (const char* folder : {OVERLAP_SHARED_DATA "/graphs", OVERLAP_TEST_DATA "/graphs"}) {
        std::error_code absent;
        for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
            const std::string name = entry.path().filename().string();
            if (!name.ends_with(".graph.json.gz") || std::find(names.begin(), names.end(), name) != names.end())
                continue;
            names.push_back(name);
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace overlap::test
