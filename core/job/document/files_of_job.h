#pragma once

#include <string>
#include <vector>

#include "core/job/document/job_document.h"

namespace overlap::job {

/// A file that a document names, which lies beside it unless its path is absolute.
/// @param folder of the document; empty: the current one.
std::string file_beside(const std::string& folder, const std::string& file);

/// The files of a stage's graphs; none of a stage without. They are part of `stage`.
std::vector<std::string*> graph_files(StageSpec& stage);

/// All files that a document names: graphs and plans of its stages, and its schedule.
std::vector<std::string> files_of_job(const JobDocument& job, const std::string& folder);

}  // namespace overlap::job
