#pragma once

#include <string>
#include <string_view>

#include "core/job/document/job_document.h"

namespace overlap::job {

/// Reads an overlap-job document, version 1.
/// @throws InputError with file and place: malformed JSON, unknown version, wrong types, counts beyond what a job may
/// have.
JobDocument read_job_file(const std::string& path);
/// @param name stands for the file in messages.
JobDocument read_job_text(std::string_view text, const std::string& name);

/// The document, indented, unknown fields put back.
std::string write_job_text(const JobDocument& job);

}  // namespace overlap::job
