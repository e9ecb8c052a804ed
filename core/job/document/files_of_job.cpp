#include "core/job/document/files_of_job.h"

namespace overlap::job {

std::string file_beside(const std::string& folder, const std::string& file) {
    return folder.empty() || file.starts_with('/') ? file : folder + "/" + file;
}

std::vector<std::string*> graph_files(StageSpec& stage) {
    std::vector<std::string*> files;
    for (std::string* file : {&stage.graph, &stage.forward, &stage.backward})
        if (!file->empty()) files.push_back(file);
    for (auto& [kind, file] : stage.action_graphs) files.push_back(&file);
    return files;
}

std::vector<std::string> files_of_job(const JobDocument& job, const std::string& folder) {
    std::vector<std::string> files;
    const auto add = [&](const std::string& file) {
        if (!file.empty()) files.push_back(file_beside(folder, file));
    };
    for (StageSpec stage : job.stages) {
        for (const std::string* file : graph_files(stage)) add(*file);
        add(stage.plan);
    }
    add(job.schedule.file);
    return files;
}

}  // namespace overlap::job
