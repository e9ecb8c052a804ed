#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "core/job/document/job_document.h"
#include "core/job/step/job_result.h"

namespace overlap::commands {

/// Step, ranks and critical path of a job as people read them. @param rows of each table.
void write_job_text(std::ostream& out, const job::JobDocument& job, const job::JobResult& result, std::size_t rows);

/// The problems, one a line.
void write_job_problems(std::ostream& out, const job::JobResult& result);

}  // namespace overlap::commands
