#include "core/io/trace_header_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/trace_origin.h"
#include "core/files/json_document.h"
#include "core/files/json_fields.h"
#include "core/trace/process_group_ranks.h"

namespace overlap {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

/// The field of an object, or nothing; a field that is null counts as absent.
std::optional<element> field_of(const object& fields, std::string_view name) {
    element value;
    if (fields[name].get(value) || value.is_null()) return std::nullopt;
    return value;
}

std::string string_of(const object& fields, std::string_view name, const JsonPlace& above) {
    const std::optional<element> value = field_of(fields, name);
    return value ? std::string(json_string(*value, JsonPlace(above, name))) : std::string();
}

/// Ranks as a list, or as the text of one; none where the text is elided.
std::vector<std::int64_t> ranks_of(element value, const JsonPlace& place) {
    if (value.is_string()) return ranks_in(json_string(value, place)).value_or(std::vector<std::int64_t>());
    std::vector<std::int64_t> ranks;
    std::size_t index = 0;
    for (const element rank : json_list(value, place)) {
        ranks.push_back(json_integer(rank, JsonPlace(place, index++), 0));
    }
    return ranks;
}

MeasuredGroup group_of(element value, const JsonPlace& place, std::string_view name) {
    const object fields = json_object(value, place);
    MeasuredGroup group;
    group.name = string_of(fields, "pg_name", place);
    if (group.name.empty()) group.name = name;
    group.description = string_of(fields, "pg_desc", place);
    if (const auto ranks = field_of(fields, "ranks")) group.ranks = ranks_of(*ranks, JsonPlace(place, "ranks"));
    group.size = static_cast<std::int64_t>(group.ranks.size());
    if (const auto size = field_of(fields, "pg_size"); size && group.ranks.empty()) {
        group.size = json_integer(*size, JsonPlace(place, "pg_size"), 0);
    }
    return group;
}

/// `pg_config`: a list of groups, or an object of them by name.
std::vector<MeasuredGroup> groups_of(element value, const JsonPlace& place) {
    std::vector<MeasuredGroup> groups;
    if (value.is_object()) {
        for (const auto& [name, group] : json_object(value, place)) {
            groups.push_back(group_of(group, JsonPlace(place, name), name));
        }
        return groups;
    }
    std::size_t index = 0;
    for (const element group : json_list(value, place))
        groups.push_back(group_of(group, JsonPlace(place, index++), ""));
    return groups;
}

void read_distributed_info(element value, TraceHeader& header) {
    const JsonPlace place("distributedInfo");
    const object fields = json_object(value, place);
    header.backend = string_of(fields, "backend", place);
    if (const auto rank = field_of(fields, "rank")) header.rank = json_integer(*rank, JsonPlace(place, "rank"), 0);
    if (const auto size = field_of(fields, "world_size")) {
        header.world_size = json_integer(*size, JsonPlace(place, "world_size"), 0);
    }
    if (const auto groups = field_of(fields, "pg_config")) {
        header.groups = groups_of(*groups, JsonPlace(place, "pg_config"));
    }
}

void read_devices(element value, TraceHeader& header) {
    const JsonPlace place("deviceProperties");
    std::size_t index = 0;
    for (const element device : json_list(value, place)) {
        const JsonPlace device_place(place, index++);
        header.devices.push_back(string_of(json_object(device, device_place), "name", device_place));
    }
}

/// What others write there is theirs, of whatever type.
bool says_simulated(element value) {
    object fields;
    std::string_view times;
    return !value.get(fields) && !fields[trace_times_member].get(times) && times == simulated_trace_times;
}

}  // namespace

void TraceHeaderReader::add(std::string_view key, std::string_view value) {
    header_.members_json += header_.members_json.empty() ? "{\"" : ",\"";
    header_.members_json.append(key).append("\":").append(value);
    const bool is_needed =
        key == "distributedInfo" || key == "deviceProperties" || key == "baseTimeNanoseconds" || key == "otherData";
    if (!is_needed || value == "null") return;
    try {
        const JsonDocument document{JsonBytes(std::string(value))};
        if (key == "distributedInfo") read_distributed_info(document.root(), header_);
        if (key == "deviceProperties") read_devices(document.root(), header_);
        if (key == "otherData") header_.is_simulated = says_simulated(document.root());
        if (key == "baseTimeNanoseconds") header_.base_ns = json_integer(document.root(), JsonPlace(key));
    } catch (const InputError& error) {
        const bool names_member = error.place().starts_with(key);
        throw InputError(names_member ? error.place() : std::string(key), error.problem());
    }
}

TraceHeader TraceHeaderReader::finish() {
    header_.members_json += header_.members_json.empty() ? "{}" : "}";
    return std::move(header_);
}

}  // namespace overlap
