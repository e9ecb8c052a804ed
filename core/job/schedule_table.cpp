#include "core/job/schedule_table.h"

#include "core/base/error.h"
#include "core/files/json_writer.h"
#include "core/job/run_job.h"
#include "core/job/schedules/named_schedules.h"

namespace overlap::job {

namespace {

void run(const JobDocument& job, const PipelineOptions& options, ScheduleRow& row) {
    try {
        const JobResult result = run_job(job, options);
        if (!result.step_ms) {
            row.refusal = result.problems.empty() ? "it cannot run" : result.problems.front().message;
            return;
        }
        row.step_ms = result.step_ms;
        row.ranks = static_cast<std::int32_t>(result.stages_of.size());
        row.stages_per_rank = static_cast<std::int32_t>(job.stages.size()) / row.ranks;
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

std::vector<ScheduleRow> schedule_table(const JobDocument& job, const PipelineOptions& options) {
    if (job.has_programs) throw InputError("programs", "a job of programs has no schedule, expected stages");
    std::vector<ScheduleRow> rows;
    ScheduleRow own;
    const bool listed = job.schedule.actions || !job.schedule.file.empty();
    own.name = listed ? "the list given" : job.schedule.name;
    own.is_own = true;
    run(job, options, own);
    rows.push_back(own);
    for (const NamedSchedule& schedule : named_schedules()) {
        if (!listed && schedule.name == job.schedule.name) continue;
        JobDocument other = job;
        other.schedule = {};
        other.schedule.name = schedule.name;
        other.schedule.microbatches = job.schedule.microbatches;
        other.schedule.overlap = job.schedule.overlap;
        // On as many ranks as the job has, where the schedule can be made for them.
        const std::int32_t each = own.stages_per_rank;
        if (each >= schedule.least_stages_per_rank && each <= schedule.most_stages_per_rank) {
            other.schedule.ranks = own.ranks;
            other.schedule.stages_per_rank = each;
        }
        ScheduleRow& row = rows.emplace_back();
        row.name = schedule.name;
        run(other, options, row);
    }
    return rows;
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
        } else {
            json.member("refusal", std::string_view(row.refusal));
        }
        json.end_object();
    }
    json.end_array().end_object();
    return json.take();
}

}  // namespace overlap::job
