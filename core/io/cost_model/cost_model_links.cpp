#include "core/io/cost_model/cost_model_links.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/quote.h"
#include "core/io/cost_model/cost_model_json.h"
#include "core/io/graph/cost_fields.h"

namespace overlap {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;
using Json = nlohmann::ordered_json;

Cluster read_cluster(element value, const JsonPlace& place) {
    const object fields = json_object(value, place);
    Cluster cluster;
    const auto count = [&](std::string_view key, std::int64_t& target) {
        optional_field(fields, key, &place,
                       [&](element number, const JsonPlace& at) { target = json_integer(number, at, 1, 1'000'000); });
    };
    const auto number = [&](std::string_view key, double& target) {
        optional_field(fields, key, &place,
                       [&](element found, const JsonPlace& at) { target = json_positive(found, at); });
    };
    const auto share = [&](std::string_view key, double& target) {
        optional_field(fields, key, &place,
                       [&](element found, const JsonPlace& at) { target = json_share(found, at); });
    };
    count("gpus_per_host", cluster.gpus_per_host);
    cluster.cards_per_host = cluster.gpus_per_host;
    count("cards_per_host", cluster.cards_per_host);
    json_required(fields, "gpu_link_bytes_per_s", place);
    number("gpu_link_bytes_per_s", cluster.gpu_link_bytes_per_s);
    share("gpu_link_efficiency", cluster.gpu_link_efficiency);
    optional_field(fields, "switched", &place,
                   [&](element switched, const JsonPlace& at) { cluster.switched = json_boolean(switched, at); });
    json_required(fields, "card_bytes_per_s", place);
    number("card_bytes_per_s", cluster.card_bytes_per_s);
    share("card_efficiency", cluster.card_efficiency);
    number("oversubscription", cluster.oversubscription);
    optional_field(fields, "network_latency_us", &place, [&](element latency, const JsonPlace& at) {
        cluster.network_latency_us = json_number(latency, at, 0);
    });
    optional_field(fields, "switch_reduction", &place, [&](element found, const JsonPlace& at) {
        cluster.switch_reduction = json_number(found, at, 0, 1);
    });
    return cluster;
}

LinkCost read_link(element value, const JsonPlace& place) {
    const object fields = json_object(value, place);
    LinkCost link;
    link.latency_ms = json_number(json_required(fields, "latency_ms", place), JsonPlace(place, "latency_ms"), 0);
    optional_field(fields, "latency_per_rank_ms", &place, [&](element latency, const JsonPlace& at) {
        link.latency_per_rank_ms = json_number(latency, at, 0);
    });
    link.bytes_per_s = json_positive(json_required(fields, "bytes_per_s", place), JsonPlace(place, "bytes_per_s"));
    optional_field(fields, "kinds", &place,
                   [&](element kinds, const JsonPlace& at) { link.kinds = read_link_kinds(kinds, at); });
    return link;
}

std::int64_t read_group_size(std::string_view text, const JsonPlace& place) {
    std::int64_t size = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || size < 1)
        place.fail("expected a number of ranks, found " + quoted_text(text));
    return size;
}

void write_link(Json& json, const LinkCost& link) {
    json["latency_ms"] = link.latency_ms;
    if (link.latency_per_rank_ms != 0 || json.contains("latency_per_rank_ms"))
        json["latency_per_rank_ms"] = link.latency_per_rank_ms;
    json["bytes_per_s"] = link.bytes_per_s;
    json.erase("kinds");
    for (const auto& [kind, rates] : link.kinds) {
        Json ways = Json::array();
        for (const CostParameters::LinkRate& rate : rates)
            ways.push_back({{"latency_ms", rate.latency_ms}, {"bytes_per_s", rate.bytes_per_s}});
        object_member(json, "kinds")[std::string(collective_kind_name(kind))] = std::move(ways);
    }
}

void write_cluster(Json& json, const Cluster& cluster) {
    json["gpus_per_host"] = cluster.gpus_per_host;
    json["gpu_link_bytes_per_s"] = cluster.gpu_link_bytes_per_s;
    json["gpu_link_efficiency"] = cluster.gpu_link_efficiency;
    json["switched"] = cluster.switched;
    json["switch_reduction"] = cluster.switch_reduction;
    json["cards_per_host"] = cluster.cards_per_host;
    json["card_bytes_per_s"] = cluster.card_bytes_per_s;
    json["card_efficiency"] = cluster.card_efficiency;
    json["network_latency_us"] = cluster.network_latency_us;
    json["oversubscription"] = cluster.oversubscription;
}

}  // namespace

void read_cost_model_links(element value, const JsonPlace& place, NamedCostModel& model) {
    const object links = json_object(value, place);
    optional_field(links, "process_groups", &place, [&](element groups, const JsonPlace& at) {
        for (const auto [group, link] : json_object(groups, at))
            model.links_of_groups[std::string(group)] = read_link(link, JsonPlace(at, group));
    });
    optional_field(links, "group_sizes", &place, [&](element sizes, const JsonPlace& at) {
        for (const auto [size, link] : json_object(sizes, at)) {
            const JsonPlace link_place(at, size);
            model.links_of_sizes[read_group_size(size, link_place)] = read_link(link, link_place);
        }
    });
    optional_field(links, "cluster", &place,
                   [&](element cluster, const JsonPlace& at) { model.cluster = read_cluster(cluster, at); });
    optional_field(links, "gpus_per_node", &place, [&](element number, const JsonPlace& at) {
        model.gpus_per_node = json_integer(number, at, 1, 1'000'000);
    });
    const auto kind_of_link = [&](std::string_view key, std::optional<LinkCost>& target) {
        optional_field(links, key, &place, [&](element link, const JsonPlace& at) { target = read_link(link, at); });
    };
    kind_of_link("within_node", model.within_node);
    kind_of_link("between_nodes", model.between_nodes);
    if (model.within_node && model.between_nodes && model.gpus_per_node == 0)
        JsonPlace(place, "gpus_per_node").fail("this field is missing: which groups stay within a node is not known");
}

void write_cost_model_links(Json& links, const NamedCostModel& model) {
    if (!links.is_object()) links = Json::object();
    if (!model.links_of_groups.empty() || links.contains("process_groups"))
        write_members(links["process_groups"], model.links_of_groups, write_link);
    if (!model.links_of_sizes.empty() || links.contains("group_sizes"))
        write_members(links["group_sizes"], model.links_of_sizes, write_link);
    if (model.cluster) {
        write_cluster(object_member(links, "cluster"), *model.cluster);
    } else {
        links.erase("cluster");
    }
    if (model.gpus_per_node > 0) {
        links["gpus_per_node"] = model.gpus_per_node;
    } else {
        links.erase("gpus_per_node");
    }
    const auto kind_of_link = [&](const char* key, const std::optional<LinkCost>& link) {
        if (link) {
            write_link(object_member(links, key), *link);
        } else {
            links.erase(key);
        }
    };
    kind_of_link("within_node", model.within_node);
    kind_of_link("between_nodes", model.between_nodes);
}

}  // namespace overlap
