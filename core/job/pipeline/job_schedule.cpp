#include <utility>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/job/document/files_of_job.h"
#include "core/job/pipeline/pipeline_step.h"
#include "core/job/schedules/named_schedules.h"
#include "core/job/schedules/schedule_csv.h"

namespace overlap::job {

namespace {

[[noreturn]] void rethrow(const InputError& error, const std::string& place) {
    throw InputError(error.place().empty() ? place : place + ", " + error.place(), error.problem());
}

ActionLists written_lists(const std::vector<std::vector<std::string>>& rows) {
    ActionLists lists;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        ActionRow& list = lists.emplace_back();
        for (std::size_t cell = 0; cell < rows[row].size(); ++cell) {
            try {
                add_cell(list, rows[row][cell]);
            } catch (const InputError& error) {
                throw InputError("schedule.actions[" + std::to_string(row) + "][" + std::to_string(cell) + "]",
                                 error.problem());
            }
        }
    }
    return lists;
}

ActionLists named_lists(const ScheduleSpec& spec, std::int32_t stages) {
    const NamedSchedule* schedule = find_named_schedule(spec.name);
    if (!schedule) {
        std::vector<std::string> names;
        for (const NamedSchedule& each : named_schedules()) names.emplace_back(each.name);
        throw InputError("schedule.name",
                         "there is no schedule " + in_quotes(shortened(spec.name)) + suggest_names(spec.name, names));
    }
    ScheduleShape shape;
    shape.microbatches = spec.microbatches;
    shape.stages_per_rank = spec.stages_per_rank.value_or(schedule->usual_stages_per_rank);
    shape.ranks = stages / shape.stages_per_rank;
    if (spec.ranks && !spec.stages_per_rank && stages % *spec.ranks == 0) shape.stages_per_rank = stages / *spec.ranks;
    if (spec.ranks) shape.ranks = *spec.ranks;
    if (static_cast<std::int64_t>(shape.ranks) * shape.stages_per_rank != stages) {
        const std::string on_each = std::to_string(shape.stages_per_rank) + " on each rank";
        const std::int64_t needed = static_cast<std::int64_t>(shape.stages_per_rank) * spec.ranks.value_or(1);
        throw InputError("schedule",
                         "found " + counted(static_cast<std::size_t>(stages), "stage") + ", expected " +
                             (spec.ranks ? std::to_string(needed) + " for " +
                                               counted(static_cast<std::size_t>(*spec.ranks), "rank") + ": " + on_each
                                         : "a multiple of " + std::to_string(needed) + ": " + on_each));
    }
    try {
        return make_schedule(*schedule, shape);
    } catch (const InputError& error) {
        rethrow(error, "schedule");
    }
}

}  // namespace

CheckedSchedule job_schedule(const JobDocument& job, const std::string& folder) {
    const ScheduleSpec& spec = job.schedule;
    const std::int32_t stages = static_cast<std::int32_t>(job.stages.size());
    ActionLists lists;
    std::string place = "schedule";
    bool labelled = false;
    if (spec.actions) {
        lists = written_lists(*spec.actions);
        place = "schedule.actions";
        labelled = !spec.name.empty();
    } else if (!spec.file.empty()) {
        place = "schedule.file " + in_quotes(shortened(spec.file));
        try {
            lists = read_schedule_file(file_beside(folder, spec.file));
        } catch (const InputError& error) {
            rethrow(error, place);
        }
        labelled = !spec.name.empty();
    } else {
        lists = named_lists(spec, stages);
    }
    if (spec.ranks && static_cast<std::size_t>(*spec.ranks) != lists.size()) {
        throw InputError(place, "has the lists of " + std::to_string(lists.size()) + " ranks, and schedule.ranks is " +
                                    std::to_string(*spec.ranks));
    }
    try {
        CheckedSchedule schedule = check_schedule(std::move(lists), stages, spec.microbatches);
        if (labelled)
            schedule.notes.push_back("the schedule is the list that is given; its name " +
                                     in_quotes(shortened(spec.name)) + " is a label");
        return schedule;
    } catch (const InputError& error) {
        rethrow(error, place);
    }
}

}  // namespace overlap::job
