#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/io/plan/plan_json.h"
#include "core/job/document/document_parts.h"
#include "core/job/document/object_reader.h"

namespace overlap::job {

namespace {

OverlapRule read_overlap(const Json& value, const std::string& place) {
    if (value == "sum") return {};
    if (value == "max") return {OverlapRule::Kind::longest, 1};
    if (!value.is_number()) fail_type(place, value, "\"sum\", \"max\" or a factor of the sum");
    return {OverlapRule::Kind::factor, read_number(value, place, 0, 1e6)};
}

std::vector<std::vector<std::string>> read_actions(const Json& value, const std::string& place) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t row = 0; row < value.size(); ++row) {
        const std::string row_place = item_place(place, row);
        if (!value[row].is_array()) fail_type(row_place, value[row], "the list of a rank's actions");
        auto& cells = rows.emplace_back();
        for (std::size_t cell = 0; cell < value[row].size(); ++cell) {
            const Json& text = value[row][cell];
            // An empty cell is written as null by those who have None there.
            cells.push_back(text.is_null() ? std::string() : read_text(text, item_place(row_place, cell)));
        }
    }
    return rows;
}

}  // namespace

ScheduleSpec read_schedule(const Json& value) {
    ObjectReader fields(value, "schedule", "an object with name, file or actions, and microbatches");
    ScheduleSpec schedule;
    schedule.name = fields.text("name");
    schedule.file = fields.text("file");
    if (const Json* actions = fields.list("actions"); actions)
        schedule.actions = read_actions(*actions, fields.at("actions"));
    if (!schedule.file.empty() && schedule.actions) fields.fail("", "has both file and actions, expected one of them");
    if (schedule.name.empty() && schedule.file.empty() && !schedule.actions)
        fields.fail("", "has none of name, file and actions");
    fields.require("microbatches", "their number");
    schedule.microbatches = *fields.count("microbatches", 1);
    schedule.ranks = fields.count("ranks", 1);
    schedule.stages_per_rank = fields.count("stages_per_rank", 1);
    if (const Json* overlap = fields.find("overlap"); overlap)
        schedule.overlap = read_overlap(*overlap, fields.at("overlap"));
    schedule.extra = fields.unknown();
    return schedule;
}

Json written(const ScheduleSpec& schedule) {
    Json json = Json::object();
    if (!schedule.name.empty()) json["name"] = schedule.name;
    if (!schedule.file.empty()) json["file"] = schedule.file;
    if (schedule.actions) json["actions"] = *schedule.actions;
    json["microbatches"] = schedule.microbatches;
    if (schedule.ranks) json["ranks"] = *schedule.ranks;
    if (schedule.stages_per_rank) json["stages_per_rank"] = *schedule.stages_per_rank;
    if (schedule.overlap) {
        switch (schedule.overlap->kind) {
            case OverlapRule::Kind::sum:
                json["overlap"] = "sum";
                break;
            case OverlapRule::Kind::longest:
                json["overlap"] = "max";
                break;
            case OverlapRule::Kind::factor:
                json["overlap"] = schedule.overlap->factor;
                break;
        }
    }
    add_unknown_fields(json, schedule.extra);
    return json;
}

}  // namespace overlap::job
