#include <utility>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/base/quote.h"
#include "core/io/plan/plan_json.h"
#include "core/job/document/document_parts.h"
#include "core/job/document/object_reader.h"

namespace overlap::job {

namespace {

/// Segments that one action may have.
constexpr std::size_t most_segments = 100'000;

std::vector<std::pair<std::string, double>> read_times(const Json& value, const std::string& place) {
    if (!value.is_object()) fail_type(place, value, "an object with the time of each action, such as F, I, W, B");
    std::vector<std::pair<std::string, double>> times;
    for (const auto& [key, time] : value.items()) times.emplace_back(key, read_number(time, place + "." + key));
    return times;
}

Segment read_segment(const Json& value, const std::string& place) {
    ObjectReader fields(value, place, "an object with compute_ms, or with collective, dim and ms");
    Segment segment;
    const std::optional<double> compute = fields.number("compute_ms");
    if (compute) {
        segment.ms = *compute;
        if (const Json* experts = fields.find("experts"); experts) {
            if (!experts->is_boolean()) fail_type(fields.at("experts"), *experts, "true or false");
            segment.experts = experts->get<bool>();
        }
        if (value.contains("collective")) fields.fail("", "has both compute_ms and collective, expected one of them");
    } else {
        segment.collective =
            read_text(fields.require("collective", "compute_ms, or the kind of a collective"), fields.at("collective"));
        if (segment.collective.empty()) fields.fail("collective", "is empty, expected a kind such as all_reduce");
        segment.dim = read_text(fields.require("dim", "a mesh dimension"), fields.at("dim"));
        const std::optional<double> ms = fields.number("ms");
        segment.bytes = fields.integer("bytes");
        if (ms && segment.bytes) fields.fail("", "has both ms and bytes, expected one of them");
        segment.ms = ms.value_or(0);
    }
    segment.extra = fields.unknown();
    return segment;
}

std::vector<std::pair<std::string, std::vector<Segment>>> read_segments(const Json& value, const std::string& place) {
    if (!value.is_object()) fail_type(place, value, "an object with a list for each action, such as F, B");
    std::vector<std::pair<std::string, std::vector<Segment>>> read;
    for (const auto& [key, list] : value.items()) {
        const std::string list_place = place + "." + key;
        if (!list.is_array()) fail_type(list_place, list, "a list of segments");
        if (list.size() > most_segments)
            throw InputError(list_place, "has more than " + grouped_text(most_segments) + " segments");
        auto& [name, segments] = read.emplace_back(key, std::vector<Segment>());
        for (std::size_t i = 0; i < list.size(); ++i)
            segments.push_back(read_segment(list[i], item_place(list_place, i)));
    }
    return read;
}

std::vector<std::pair<std::string, std::string>> read_action_graphs(const Json& value, const std::string& place) {
    if (!value.is_object()) fail_type(place, value, "an object with a graph's file for each action, such as UNSHARD");
    std::vector<std::pair<std::string, std::string>> files;
    for (const auto& [key, file] : value.items()) {
        if (key == "F" || key == "B")
            throw InputError(place + "." + key, "forward and backward are the graphs of F and B");
        files.emplace_back(key, read_text(file, place + "." + key));
    }
    return files;
}

Json written(const Segment& segment) {
    Json json = segment.collective.empty() ? Json{{"compute_ms", segment.ms}}
                                           : Json{{"collective", segment.collective}, {"dim", segment.dim}};
    if (segment.bytes)
        json["bytes"] = *segment.bytes;
    else if (!segment.collective.empty())
        json["ms"] = segment.ms;
    if (segment.experts) json["experts"] = true;
    add_unknown_fields(json, segment.extra);
    return json;
}

}  // namespace

StageSpec read_stage(const Json& value, const std::string& place) {
    ObjectReader fields(value, place, "an object with ms, segments or graph");
    StageSpec stage;
    stage.name = fields.text("name");
    const Json* ms = fields.find("ms");
    const Json* segments = fields.find("segments");
    stage.graph = fields.text("graph");
    stage.plan = fields.text("plan");
    stage.forward = fields.text("forward");
    stage.backward = fields.text("backward");
    const bool graphs = !stage.graph.empty() || !stage.forward.empty() || !stage.backward.empty();
    if ((ms != nullptr) + (segments != nullptr) + graphs != 1)
        fields.fail("", "expected exactly one of ms, segments and graph (or forward and backward)");
    if (ms) stage.ms = read_times(*ms, fields.at("ms"));
    if (segments) {
        stage.kind = StageKind::segments;
        stage.segments = read_segments(*segments, fields.at("segments"));
    }
    if (graphs) {
        stage.kind = StageKind::graph;
        if (!stage.graph.empty() && (!stage.forward.empty() || !stage.backward.empty()))
            fields.fail("", "has graph beside forward or backward, expected one graph, or forward and backward");
        if (stage.graph.empty() && (stage.forward.empty() || stage.backward.empty()))
            fields.fail("", "has one of forward and backward, expected both");
        if (const Json* others = fields.find("action_graphs"); others) {
            if (stage.forward.empty())
                fields.fail("action_graphs", "are beside forward and backward, and the stage has one graph");
            stage.action_graphs = read_action_graphs(*others, fields.at("action_graphs"));
        }
    } else if (!stage.plan.empty()) {
        fields.fail("plan", "a plan is applied to a graph, and the stage has none");
    }
    stage.backward_input_share = fields.number("backward_input_share", 0, 1);
    stage.gradient_sync_ms = fields.number("gradient_sync_ms");
    stage.gradient_sync_bytes = fields.integer("gradient_sync_bytes");
    if (stage.gradient_sync_ms && stage.gradient_sync_bytes)
        fields.fail("", "has both gradient_sync_ms and gradient_sync_bytes, expected one of them");
    stage.extra = fields.unknown();
    return stage;
}

Json written(const StageSpec& stage) {
    Json json = Json::object();
    if (!stage.name.empty()) json["name"] = stage.name;
    if (stage.kind == StageKind::opaque) {
        json["ms"] = Json::object();
        for (const auto& [kind, time] : stage.ms) json["ms"][kind] = time;
    } else if (stage.kind == StageKind::segments) {
        json["segments"] = Json::object();
        for (const auto& [kind, segments] : stage.segments) {
            Json list = Json::array();
            for (const Segment& segment : segments) list.push_back(written(segment));
            json["segments"][kind] = std::move(list);
        }
    }
    const std::pair<const char*, const std::string*> files[] = {
        {"graph", &stage.graph}, {"forward", &stage.forward}, {"backward", &stage.backward}, {"plan", &stage.plan}};
    for (const auto& [key, file] : files)
        if (!file->empty()) json[key] = *file;
    for (const auto& [kind, file] : stage.action_graphs) json["action_graphs"][kind] = file;
    if (stage.backward_input_share) json["backward_input_share"] = *stage.backward_input_share;
    if (stage.gradient_sync_ms) json["gradient_sync_ms"] = *stage.gradient_sync_ms;
    if (stage.gradient_sync_bytes) json["gradient_sync_bytes"] = *stage.gradient_sync_bytes;
    add_unknown_fields(json, stage.extra);
    return json;
}

}  // namespace overlap::job
