#include "core/io/plan/device_order_json.h"

#include "core/base/error.h"
#include "core/io/plan/plan_json.h"
#include "core/mesh/sharding_text.h"

namespace overlap {

namespace {

std::string read_required_string(const Json& object, const std::string& key, const std::string& place) {
    if (!object.contains(key)) throw InputError(place, "has no " + key);
    return read_string(object, key, place + ".");
}

}  // namespace

DeviceOrder read_device_order(const Json& value, const std::string& place) {
    if (!value.is_object()) fail_type(place, value, "an object with parameters, mesh and order");
    DeviceOrder order;
    order.parameters = read_required_string(value, "parameters", place);
    order.order = read_required_string(value, "order", place);
    if (!value.contains("mesh")) throw InputError(place, "has no mesh");
    const Json& mesh = value.at("mesh");
    if (!mesh.is_array()) fail_type(place + ".mesh", mesh, "a list of process groups");
    for (std::size_t index = 0; index < mesh.size(); ++index) {
        if (!mesh[index].is_string()) fail_type(item_place(place + ".mesh", index), mesh[index], "a process group");
        order.mesh.push_back(mesh[index].get<std::string>());
    }
    try {
        parse_state(order.order, static_cast<int>(order.mesh.size()));
    } catch (const InputError& error) {
        throw InputError(place + ".order", error.what());
    }
    if (const auto saving = value.find("expected_saving"); saving != value.end()) {
        const std::string saving_place = place + ".expected_saving";
        if (!saving->is_object()) fail_type(saving_place, *saving, "an object with ms and bytes");
        const Json ms = saving->value("ms", Json(0));
        const Json bytes = saving->value("bytes", Json(0));
        if (!ms.is_number()) fail_type(saving_place + ".ms", ms, "a number");
        if (!bytes.is_number_integer()) fail_type(saving_place + ".bytes", bytes, "a whole number");
        order.saving_ms = ms.get<double>();
        order.saving_bytes = bytes.get<std::int64_t>();
    }
    for (const auto& [key, kept] : value.items()) {
        const bool known = key == "parameters" || key == "order" || key == "mesh" || key == "expected_saving";
        if (!known) order.extra.emplace_back(key, kept.dump());
    }
    return order;
}

Json device_order_json(const DeviceOrder& order) {
    Json json = {{"parameters", order.parameters},
                 {"mesh", order.mesh},
                 {"order", order.order},
                 {"expected_saving", {{"ms", order.saving_ms}, {"bytes", order.saving_bytes}}}};
    add_unknown_fields(json, order.extra);
    return json;
}

}  // namespace overlap
