#include "core/job/document/job_file.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/files/format_version.h"
#include "core/files/json_bytes.h"
#include "core/files/parse_json.h"
#include "core/io/plan/plan_json.h"
#include "core/job/document/document_parts.h"
#include "core/job/document/object_reader.h"

namespace overlap::job {

namespace {

constexpr std::string_view format_name = "overlap-job";
constexpr int format_version = 1;

void read_stages(const Json& stages, JobDocument& job) {
    if (stages.empty()) throw InputError("stages", "the list is empty, expected a stage at least");
    for (std::size_t i = 0; i < stages.size(); ++i)
        job.stages.push_back(read_stage(stages[i], item_place("stages", i)));
}

JobDocument read_document(const Json& document) {
    ObjectReader fields(document, "", "a job, which is an object");
    const Json& format = fields.require("format", "\"overlap-job\"");
    if (format != format_name) fail_type("format", format, "\"overlap-job\"");
    const Json& version = fields.require("version", "1");
    if (!version.is_number_integer()) fail_type("version", version, "1");
    check_format_version("job", version.get<std::int64_t>(), format_version);
    JobDocument job;
    job.name = fields.text("name");
    const Json* stages = fields.list("stages");
    const Json* schedule = fields.find("schedule");
    const Json* programs = fields.find("programs");
    const Json* groups = fields.find("groups");
    if ((stages != nullptr) == (programs != nullptr))
        throw InputError("", "expected either stages with a schedule, or programs");
    if (programs) {
        read_programs(groups ? *groups : Json(), *programs, job);
        if (const Json* p2p = fields.find("p2p"); p2p) {
            if (*p2p != "buffered" && *p2p != "rendezvous") fail_type("p2p", *p2p, "\"rendezvous\" or \"buffered\"");
            job.has_p2p = true;
            job.buffered = *p2p == "buffered";
        }
        if (schedule) throw InputError("schedule", "belongs to stages, and the document has programs");
    } else {
        read_stages(*stages, job);
        if (!schedule) fields.require("schedule", "an object with name, file or actions, and microbatches");
        job.schedule = read_schedule(*schedule);
        if (groups) throw InputError("groups", "belong to programs, and the document has stages");
    }
    if (const Json* transfer = fields.find("transfer"); transfer) job.transfer = read_transfer(*transfer);
    job.replicas = fields.count("replicas", 1);
    if (const Json* variation = fields.find("variation"); variation) job.variation = read_variation(*variation);
    if (const Json* mesh = fields.find("mesh"); mesh) job.mesh = read_mesh(*mesh);
    if (const Json* routing = fields.find("routing"); routing) job.routing = read_routing(*routing);
    if (const Json* topology = fields.find("topology"); topology) read_topology(*topology, job);
    if (job.mesh && job.replicas)
        throw InputError("replicas", "the mesh says how many there are; expected one of them");
    job.extra = fields.unknown();
    return job;
}

}  // namespace

JobDocument read_job_text(std::string_view text, const std::string& name) {
    try {
        return read_document(parse_json_document(text));
    } catch (const InputError& error) {
        throw error.in_file(name);
    }
}

JobDocument read_job_file(const std::string& path) {
    try {
        return read_document(parse_json_document(read_json_file(path)->view()));
    } catch (const InputError& error) {
        throw error.in_file(path);
    }
}

std::string write_job_text(const JobDocument& job) {
    Json document = {{"format", format_name}, {"version", format_version}};
    if (!job.name.empty()) document["name"] = job.name;
    if (job.mesh) document["mesh"] = written(*job.mesh);
    if (!job.stages.empty()) {
        document["stages"] = Json::array();
        for (const StageSpec& stage : job.stages) document["stages"].push_back(written(stage));
        document["schedule"] = written(job.schedule);
    }
    if (job.has_programs) write_programs(job, document);
    if (job.transfer) document["transfer"] = written(*job.transfer);
    if (job.replicas) document["replicas"] = *job.replicas;
    if (job.variation) document["variation"] = written(*job.variation);
    if (job.routing) document["routing"] = written(*job.routing);
    if (!job.topology.empty() || !job.topology_extra.empty()) document["topology"] = written_topology(job);
    add_unknown_fields(document, job.extra);
    return document.dump(2) + "\n";
}

}  // namespace overlap::job
