#include "core/io/graph/graph_header_reader.h"

#include <limits>
#include <set>
#include <unordered_set>

#include "core/files/format_version.h"
#include "core/files/json_fields.h"
#include "core/files/json_text.h"
#include "core/io/graph/cost_fields.h"

namespace overlap {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::string_view format_name = "overlap-graph";
constexpr std::int64_t format_version = 1;

ProcessGroup read_process_group(element value, const JsonPlace& list_place, std::size_t index) {
    const JsonPlace unnamed(list_place, index);
    const object fields = json_object(value, unnamed);
    ProcessGroup group;
    group.name = json_string(json_required(fields, "name", unnamed), JsonPlace(unnamed, "name"));
    if (group.name.empty()) JsonPlace(unnamed, "name").fail("a process group's name must not be empty");

    const JsonPlace place(list_place, index, group.name);
    const JsonPlace ranks_place(place, "ranks"), rank_place(place, "rank");
    std::unordered_set<int> seen;
    for (const element item : json_list(json_required(fields, "ranks", place), ranks_place)) {
        const JsonPlace item_place(ranks_place, group.ranks.size());
        const auto rank = static_cast<int>(json_integer(item, item_place, 0, std::numeric_limits<int>::max()));
        if (!seen.insert(rank).second) item_place.fail("rank " + std::to_string(rank) + " is listed twice");
        group.ranks.push_back(rank);
    }
    const element rank = json_required(fields, "rank", place);
    const std::int64_t position = json_integer(rank, rank_place);
    if (position < 0 || position >= static_cast<std::int64_t>(group.ranks.size())) {
        rank_place.fail("expected an index of `ranks`, which has " + std::to_string(group.ranks.size()) +
                        " entries, found " + describe_json(rank));
    }
    group.rank = static_cast<int>(position);

    JsonMembers further;
    bool described = false;
    for (const auto [key, item] : fields) {
        if (key == "name" || key == "ranks" || key == "rank") continue;
        further.add(key, item);
        std::string_view text;
        if ((key == "description" || (key == "desc" && !described)) && !item.get(text)) {
            group.description = text;
            described = key == "description";
        }
    }
    group.extra_json = further.close();
    return group;
}

CostParameters::Contention read_contention(element value, const JsonPlace& place) {
    CostParameters::Contention contention;
    const object fields = json_object(value, place);
    if (element slowdowns; !fields.at_key("compute_slowdown").get(slowdowns))
        contention.compute_slowdown = read_slowdowns(slowdowns, JsonPlace(place, "compute_slowdown"));
    if (element slowdown; !fields.at_key("communication_slowdown").get(slowdown))
        contention.communication_slowdown = json_number(slowdown, JsonPlace(place, "communication_slowdown"), 0);
    element links;
    if (fields.at_key("shared_links").get(links)) return contention;
    const JsonPlace links_place(place, "shared_links");
    for (const element link : json_list(links, links_place)) {
        const JsonPlace link_place(links_place, contention.shared_links.size());
        std::vector<std::string>& groups = contention.shared_links.emplace_back();
        for (const element group : json_list(link, link_place))
            groups.emplace_back(json_string(group, JsonPlace(link_place, groups.size())));
    }
    return contention;
}

std::optional<Compilation> read_compilation(object model, const JsonPlace& place) {
    element compiled, density;
    const bool has_density = !model.at_key("attention_density").get(density);
    const JsonPlace density_place(place, "attention_density");
    if (model.at_key("compiled").get(compiled)) {
        if (has_density) density_place.fail("it is of a compiled job, and `compiled` is missing");
        return std::nullopt;
    }
    const JsonPlace compiled_place(place, "compiled");
    const std::optional<CompiledScope> scope = compiled_scope_by_name(json_string(compiled, compiled_place));
    if (!scope) compiled_place.fail("expected \"eager\", \"blocks\" or \"whole\", found " + describe_json(compiled));
    Compilation compilation{.scope = *scope};
    if (has_density) {
        compilation.attention_density = json_number(density, density_place, 0);
        if (compilation.attention_density > 1)
            density_place.fail("expected a share of at most 1, found " + describe_json(density));
    }
    return compilation;
}

CostParameters read_cost_model(element value, const JsonPlace& place) {
    CostParameters cost;
    cost.json = json_text(value);
    const object model = json_object(value, place);

    const JsonPlace device_place(place, "device");
    const object device = json_object(json_required(model, "device", place), device_place);
    const JsonPlace rates_place(device_place, "flops_per_s");
    cost.flops_per_s = read_flop_rates(json_required(device, "flops_per_s", device_place), rates_place);
    const auto factor = [&](std::string_view key, double& target) {
        if (element found; !device.at_key(key).get(found)) target = json_share(found, JsonPlace(device_place, key));
    };
    cost.memory_bytes_per_s = json_positive(json_required(device, "memory_bytes_per_s", device_place),
                                            JsonPlace(device_place, "memory_bytes_per_s"));
    factor("memory_efficiency", cost.memory_efficiency);
    factor("flops_efficiency", cost.flops_efficiency);
    if (element bytes; !device.at_key("memory_bytes").get(bytes))
        cost.memory_bytes = json_integer(bytes, JsonPlace(device_place, "memory_bytes"), 1);
    if (element rate; !device.at_key("host_link_bytes_per_s").get(rate))
        cost.host_link_bytes_per_s = json_positive(rate, JsonPlace(device_place, "host_link_bytes_per_s"));
    if (element name; !device.at_key("name").get(name))
        cost.device_name = json_string(name, JsonPlace(device_place, "name"));

    if (element name; !model.at_key("name").get(name)) cost.model_name = json_string(name, JsonPlace(place, "name"));
    if (element classes; !model.at_key("classes").get(classes))
        cost.classes = read_class_costs(classes, JsonPlace(place, "classes"));
    if (element contention; !model.at_key("contention").get(contention))
        cost.contention = read_contention(contention, JsonPlace(place, "contention"));
    cost.compilation = read_compilation(model, place);

    element links;
    if (model.at_key("links").get(links)) return cost;
    const JsonPlace links_place(place, "links");
    for (const element item : json_list(links, links_place)) {
        const JsonPlace link_place(links_place, cost.links.size());
        const object fields = json_object(item, link_place);
        const JsonPlace group_place(link_place, "process_group");
        CostParameters::Link link;
        link.process_group = json_string(json_required(fields, "process_group", link_place), group_place);
        if (cost.link(link.process_group)) group_place.fail(quoted_text(link.process_group) + " has a link already");
        link.latency_ms =
            json_number(json_required(fields, "latency_ms", link_place), JsonPlace(link_place, "latency_ms"), 0);
        link.bytes_per_s =
            json_positive(json_required(fields, "bytes_per_s", link_place), JsonPlace(link_place, "bytes_per_s"));
        if (element kinds; !fields.at_key("kinds").get(kinds))
            link.kinds = read_link_kinds(kinds, JsonPlace(link_place, "kinds"));
        cost.links.push_back(std::move(link));
    }
    return cost;
}

std::vector<ProcessGroup> read_process_groups(element value) {
    const JsonPlace place("process_groups");
    std::vector<ProcessGroup> groups;
    std::set<std::string, std::less<>> names;
    for (const element item : json_list(value, place)) {
        groups.push_back(read_process_group(item, place, groups.size()));
        if (!names.insert(groups.back().name).second) {
            JsonPlace(place, groups.size() - 1)
                .fail("the name " + quoted_text(groups.back().name) + " is used twice, and names must be unique");
        }
    }
    return groups;
}

}  // namespace

void check_graph_format(object document) {
    element format, version;
    if (document.at_key("format").get(format)) {
        JsonPlace("format").fail("this field is missing; expected \"overlap-graph\", is it a graph document?");
    }
    if (std::string_view name; format.get(name) || name != format_name) {
        JsonPlace("format").fail("expected \"overlap-graph\", found " + describe_json(format));
    }
    if (document.at_key("version").get(version)) JsonPlace("version").fail("this field is missing; expected 1");
    check_format_version("graph", json_integer(version, JsonPlace("version")), format_version);
}

GraphHeader read_graph_header(object document) {
    GraphHeader header;
    header.has_process_groups = false;
    JsonMembers further;
    std::set<std::string_view> seen;
    for (const auto [key, value] : document) {
        const JsonPlace place(key);
        if (!seen.insert(key).second) place.fail("this field appears twice");
        if (key == "format" || key == "version" || key == "nodes" || key == "naming") continue;
        if (key == "name") {
            header.name = json_string(value, place);
            if (header.name.empty()) further.add(key, value);
        } else if (key == "producer") {
            json_object(value, place);
            header.producer_json = json_text(value);
        } else if (key == "rank") {
            header.rank = json_integer(value, place, 0);
        } else if (key == "world_size") {
            header.world_size = json_integer(value, place, 1);
        } else if (key == "process_groups") {
            header.has_process_groups = true;
            header.process_groups = read_process_groups(value);
        } else if (key == "cost_model") {
            header.cost = read_cost_model(value, place);
        } else {
            further.add(key, value);
        }
    }
    header.extra_json = further.close();
    return header;
}

}  // namespace overlap
