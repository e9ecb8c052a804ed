#pragma once

#include <string>

#include "core/files/ordered_json.h"
#include "core/job/document/job_document.h"

namespace overlap::job {

// The parts of a document, each read and written by a file of its own. @throws InputError with the place.

StageSpec read_stage(const Json& value, const std::string& place);
Json written(const StageSpec& stage);

ScheduleSpec read_schedule(const Json& value);
Json written(const ScheduleSpec& schedule);

TransferSpec read_transfer(const Json& value);
Json written(const TransferSpec& transfer);
VariationSpec read_variation(const Json& value);
Json written(const VariationSpec& variation);
MeshSpec read_mesh(const Json& value);
Json written(const MeshSpec& mesh);
RoutingSpec read_routing(const Json& value);
Json written(const RoutingSpec& routing);
void read_topology(const Json& value, JobDocument& job);
Json written_topology(const JobDocument& job);

void read_programs(const Json& groups, const Json& programs, JobDocument& job);
void write_programs(const JobDocument& job, Json& document);

}  // namespace overlap::job
