#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/job/pipeline/pipeline_step.h"

namespace overlap::job {

/// Files to be written, by name.
using NamedFiles = std::vector<std::pair<std::string, std::string>>;

/// The job as execution traces of MLCommons Chakra, schema 1.0.0, for ASTRA-sim and others: `PREFIX.RANK.et` for the
/// first rank of each class, for every rank where ranks are not folded, and `PREFIX.groups.json`, the ranks of each
/// group by its number, `pg_name`: ASTRA-sim reads it as a number above 0. Its name for people is `pg_desc`. Times are
/// rounded to microseconds, the unit of the format. Each stream is a chain of control dependencies: readers run what
/// does not depend on one another in any order. A message is a send on its rank, and a receive before what waits for
/// it; both have the same tag, which no other message between these ranks has. Sizes are those of the document,
/// `comm_size` 0 where it gives none: always for collectives of stages, which have times alone.
/// @throws InputError as run_job, and where the job cannot run.
NamedFiles chakra_traces(const JobDocument& job, const PipelineOptions& options, const std::string& prefix);

}  // namespace overlap::job
