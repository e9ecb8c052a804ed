#include "core/io/cost_model/cost_model_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/compute_class.h"
#include "core/files/format_version.h"
#include "core/files/json_document.h"
#include "core/files/json_output.h"
#include "core/files/json_text.h"
#include "core/files/parse_json.h"
#include "core/io/cost_model/cost_model_json.h"
#include "core/io/cost_model/cost_model_links.h"
#include "core/io/graph/cost_fields.h"

namespace overlap {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;
using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "overlap-cost-model";
constexpr std::int64_t format_version = 1;

void check_format(object document) {
    element format, version;
    if (document.at_key("format").get(format))
        JsonPlace("format").fail("this field is missing; expected \"overlap-cost-model\", is it a cost model?");
    if (std::string_view name; format.get(name) || name != format_name)
        JsonPlace("format").fail("expected \"overlap-cost-model\", found " + describe_json(format));
    if (document.at_key("version").get(version)) JsonPlace("version").fail("this field is missing; expected 1");
    check_format_version("cost model", json_integer(version, JsonPlace("version")), format_version);
}

template <typename Value>
void check_class_names(const std::map<std::string, Value>& by_class, const JsonPlace& place) {
    for (const auto& [name, value] : by_class) {
        if (!compute_class_by_name(name)) {
            place.fail("there is no class of compute " + in_quotes(name) + suggest_names(name, compute_class_names()));
        }
    }
}

NamedCostModel::Origin read_origin(element value, const JsonPlace& place) {
    NamedCostModel::Origin origin;
    const object fields = json_object(value, place);
    optional_field(fields, "kind", &place,
                   [&](element kind, const JsonPlace& at) { origin.kind = json_string(kind, at); });
    optional_field(fields, "checked", &place,
                   [&](element checked, const JsonPlace& at) { origin.checked = json_string(checked, at); });
    optional_field(fields, "checked_within", &place,
                   [&](element within, const JsonPlace& at) { origin.checked_within = json_number(within, at, 0); });
    optional_field(fields, "runs", &place, [&](element runs, const JsonPlace& at) {
        for (const element run : json_list(runs, at))
            origin.runs.emplace_back(json_string(run, JsonPlace(at, origin.runs.size())));
    });
    optional_field(fields, "versions", &place, [&](element versions, const JsonPlace& at) {
        for (const auto [library, version] : json_object(versions, at))
            origin.versions[std::string(library)] = json_string(version, JsonPlace(at, library));
    });
    return origin;
}

void read_device(element value, const JsonPlace& place, NamedCostModel& model) {
    const object device = json_object(value, place);
    optional_field(device, "name", &place,
                   [&](element name, const JsonPlace& at) { model.device_name = json_string(name, at); });
    model.flops_per_s = read_flop_rates(json_required(device, "flops_per_s", place), JsonPlace(place, "flops_per_s"));
    model.memory_bytes_per_s =
        json_positive(json_required(device, "memory_bytes_per_s", place), JsonPlace(place, "memory_bytes_per_s"));
    const auto share = [&](std::string_view key, double& target) {
        optional_field(device, key, &place,
                       [&](element found, const JsonPlace& at) { target = json_share(found, at); });
    };
    share("flops_efficiency", model.flops_efficiency);
    share("memory_efficiency", model.memory_efficiency);
    optional_field(device, "memory_bytes", &place,
                   [&](element bytes, const JsonPlace& at) { model.memory_bytes = json_integer(bytes, at, 1); });
    optional_field(device, "host_link_bytes_per_s", &place,
                   [&](element rate, const JsonPlace& at) { model.host_link_bytes_per_s = json_positive(rate, at); });
}

NamedCostModel::Contention read_contention(element value, const JsonPlace& place) {
    NamedCostModel::Contention contention;
    const object fields = json_object(value, place);
    optional_field(fields, "compute_slowdown", &place, [&](element slowdowns, const JsonPlace& at) {
        contention.compute_slowdown = read_slowdowns(slowdowns, at);
        check_class_names(contention.compute_slowdown, at);
    });
    optional_field(fields, "communication_slowdown", &place, [&](element slowdown, const JsonPlace& at) {
        contention.communication_slowdown = json_number(slowdown, at, 0);
    });
    optional_field(fields, "groups_share_links", &place, [&](element shared, const JsonPlace& at) {
        contention.groups_share_links = json_boolean(shared, at);
    });
    return contention;
}

/// A calibration may find that the full rates are more than those of the data sheet; nobody else can know that.
void check_efficiencies(object classes, const NamedCostModel& model, const JsonPlace& place) {
    if (model.origin.kind == "calibration") return;
    for (const auto [name, fields] : classes) {
        const JsonPlace class_place(place, name);
        json_share(fields.at_key("efficiency").value_unsafe(), JsonPlace(class_place, "efficiency"));
    }
}

/// The document that the model was read from.
Json document_of(const NamedCostModel& model) {
    return model.json.empty() ? Json::object() : Json::parse(model.json);
}

/// @param text of the document, which must be writable again without loss.
NamedCostModel read_document(const JsonDocument& parsed, std::string_view text) {
    object document;
    if (parsed.root().get(document)) throw InputError("", "expected a cost model, which is an object");
    check_format(document);
    parse_json_document(text);
    NamedCostModel model;
    element name, device;
    if (document.at_key("name").get(name)) JsonPlace("name").fail("this field is missing");
    model.name = json_string(name, JsonPlace("name"));
    if (model.name.empty()) JsonPlace("name").fail("a cost model's name must not be empty");
    if (document.at_key("device").get(device)) JsonPlace("device").fail("this field is missing");
    read_device(device, JsonPlace("device"), model);
    optional_field(document, "description", nullptr,
                   [&](element description, const JsonPlace& at) { model.description = json_string(description, at); });
    optional_field(document, "origin", nullptr,
                   [&](element origin, const JsonPlace& at) { model.origin = read_origin(origin, at); });
    optional_field(document, "classes", nullptr, [&](element classes, const JsonPlace& at) {
        model.classes = read_class_costs(classes, at);
        check_class_names(model.classes, at);
        check_efficiencies(json_object(classes, at), model, at);
    });
    optional_field(document, "links", nullptr,
                   [&](element links, const JsonPlace& at) { read_cost_model_links(links, at, model); });
    optional_field(document, "contention", nullptr, [&](element contention, const JsonPlace& at) {
        model.contention = read_contention(contention, at);
    });
    model.json = json_text(parsed.root());
    return model;
}

NamedCostModel read_bytes(JsonBytes bytes, const std::string& file) {
    try {
        const std::string text(bytes.view());
        return read_document(JsonDocument(std::move(bytes)), text);
    } catch (const InputError& error) {
        throw error.in_file(file);
    }
}

}  // namespace

NamedCostModel read_cost_model_text(std::string_view text, const std::string& file) {
    return read_bytes(JsonBytes(std::string(text)), file);
}

NamedCostModel read_cost_model_file(const std::string& path) {
    std::optional<JsonBytes> bytes;
    try {
        bytes = read_json_file(path);
    } catch (const InputError& error) {
        throw error.in_file(path);
    }
    return read_bytes(std::move(*bytes), path);
}

std::string cost_model_text(const NamedCostModel& model) {
    Json document = document_of(model);
    document["format"] = format_name;
    document["version"] = format_version;
    document["name"] = model.name;
    document["description"] = model.description;
    Json& origin = object_member(document, "origin");
    origin["kind"] = model.origin.kind;
    if (!model.origin.checked.empty()) origin["checked"] = model.origin.checked;
    if (model.origin.checked_within > 0) origin["checked_within"] = model.origin.checked_within;
    origin["runs"] = model.origin.runs;
    origin["versions"] = model.origin.versions;
    Json& device = object_member(document, "device");
    device["name"] = model.device_name;
    device["flops_per_s"] = model.flops_per_s;
    device["memory_bytes_per_s"] = model.memory_bytes_per_s;
    if (model.flops_efficiency != 1 || device.contains("flops_efficiency"))
        device["flops_efficiency"] = model.flops_efficiency;
    if (model.memory_efficiency != 1 || device.contains("memory_efficiency"))
        device["memory_efficiency"] = model.memory_efficiency;
    if (model.memory_bytes > 0) device["memory_bytes"] = model.memory_bytes;
    if (model.host_link_bytes_per_s > 0) device["host_link_bytes_per_s"] = model.host_link_bytes_per_s;
    write_members(document["classes"], model.classes, [](Json& json, const CostParameters::ClassCost& cost) {
        json["efficiency"] = cost.efficiency;
        json["overhead_ms"] = cost.overhead_ms;
    });
    write_cost_model_links(document["links"], model);
    if (model.contention) {
        Json& contention = object_member(document, "contention");
        contention["compute_slowdown"] = model.contention->compute_slowdown;
        if (model.contention->communication_slowdown) {
            contention["communication_slowdown"] = *model.contention->communication_slowdown;
        } else {
            contention.erase("communication_slowdown");
        }
        contention["groups_share_links"] = model.contention->groups_share_links;
    } else {
        document.erase("contention");
    }
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_cost_model_file(const NamedCostModel& model, const std::string& path) {
    write_json_file(path, cost_model_text(model));
}

NamedCostModel find_cost_model(const std::string& name_or_file) {
    if (const NamedCostModel* known = built_in_cost_model(name_or_file)) return *known;
    if (std::error_code ignored; name_or_file == "-" || std::filesystem::exists(name_or_file, ignored))
        return read_cost_model_file(name_or_file);
    std::vector<std::string> names;
    for (const NamedCostModel& model : built_in_cost_models()) names.push_back(model.name);
    throw InputError("", "there is neither a built-in cost model nor a file " + in_quotes(name_or_file) +
                             suggest_names(name_or_file, names));
}

}  // namespace overlap
