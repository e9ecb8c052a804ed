#include "core/job/schedule_table.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/files/json_writer.h"
#include "core/job/run_job.h"
#include "core/job/schedules/named_schedules.h"

namespace overlap::job {

namespace {

void run(const JobDocument& job, const PipelineOptions& options, const JobChanges& changes, ScheduleRow& row) {
    try {
        JobResult result = run_job(changed_job(job, changes, options.folder), options);
        row.notes = std::move(result.notes);
        if (!result.step_ms) {
            row.refusal = result.problems.empty() ? "it cannot run" : result.problems.front().message;
            return;
        }
        row.step_ms = result.step_ms;
        row.ranks = static_cast<std::int32_t>(result.stages_of.size());
        row.stages_per_rank = static_cast<std::int32_t>(job.stages.size()) / row.ranks;
        row.held_bytes = 0;
        for (const HeldActivations& held : result.held) {
            row.held_forwards = std::max(row.held_forwards, held.forwards);
            if (!held.bytes)
                row.held_bytes.reset();
            else if (row.held_bytes)
                row.held_bytes = std::max(*row.held_bytes, *held.bytes);
        }
        const RankFigures sum = result.sum_of_ranks();
        const double all = *row.step_ms * static_cast<double>(result.ranks.size());
        if (all <= 0) return;
        row.idle_share = 1 - sum.busy_ms / all;
        row.waiting_share = sum.waiting_for_peers_ms / all;
        row.transfer_share = sum.transfer_exposed_ms / all;
    } catch (const InputError& error) {
        row.refusal = error.what();
    }
}

}  // namespace

std::vector<ScheduleRow> schedule_table(const JobDocument& job, const PipelineOptions& options,
                                        const JobChanges& changes) {
    if (job.has_programs) throw InputError("programs", "a job of programs has no schedule, expected stages");
    std::vector<ScheduleRow> rows;
    const bool listed = job.schedule.actions || !job.schedule.file.empty();
    JobChanges tried = changes;
    tried.schedule.clear();
    ScheduleRow& own = rows.emplace_back();
    own.name = listed ? "the list given" : job.schedule.name;
    own.is_own = true;
    run(job, options, tried, own);
    for (const NamedSchedule& schedule : named_schedules()) {
        if (options.stop.stop_requested()) break;
        if (!listed && schedule.name == job.schedule.name) continue;
        tried.schedule = schedule.name;
        ScheduleRow& row = rows.emplace_back();
        row.name = schedule.name;
        run(job, options, tried, row);
    }
    return rows;
}

std::vector<std::string> notes_of(const std::vector<ScheduleRow>& rows) {
    std::vector<std::string> notes;
    for (const ScheduleRow& row : rows)
        for (const std::string& note : row.notes)
            if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
    return notes;
}

std::string schedule_table_json(const std::vector<ScheduleRow>& rows) {
    JsonWriter json;
    json.begin_object().key("schedules").begin_array();
    for (const ScheduleRow& row : rows) {
        json.begin_object().member("name", std::string_view(row.name)).member("own", row.is_own).key("step_ms");
        row.step_ms ? json.value(*row.step_ms) : json.null();
        if (row.step_ms) {
            json.member("ranks", std::int64_t{row.ranks}).member("stages_per_rank", std::int64_t{row.stages_per_rank});
            json.member("idle_share", row.idle_share).member("waiting_share", row.waiting_share);
            json.member("transfer_share", row.transfer_share);
            json.member("held_forwards", std::int64_t{row.held_forwards}).key("held_bytes");
            row.held_bytes ? json.value(*row.held_bytes) : json.null();
        } else {
            json.member("refusal", std::string_view(row.refusal));
        }
        json.end_object();
    }
    json.end_array().key("notes").begin_array();
    for (const std::string& note : notes_of(rows)) json.value(std::string_view(note));
    json.end_array().end_object();
    return json.take();
}

}  // namespace overlap::job
