#include "core/io/graph/graph_supplements.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace overlap {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

OperatorTraits read_traits(element value, const JsonPlace& place) {
    OperatorTraits traits;
    std::size_t index = 0;
    for (const element item : json_list(value, place)) {
        const JsonPlace item_place(place, index++);
        const std::string_view name = json_string(item, item_place);
        if (name == "view") {
            traits.view = true;
        } else if (name == "cheap") {
            traits.cheap = true;
        } else if (name == "fusible") {
            traits.fusible = true;
        } else if (name == "compute") {
            traits.compute = true;
        } else {
            item_place.fail("expected view, cheap, fusible or compute, found " + describe_json(item));
        }
    }
    return traits;
}

SideEffects read_side_effects(element value, const JsonPlace& place) {
    const std::string_view name = json_string(value, place);
    if (name == "none") return SideEffects::none;
    if (name == "some") return SideEffects::some;
    if (name == "unknown") return SideEffects::unknown;
    place.fail("expected none, some or unknown, found " + describe_json(value));
}

/// The numbers that a reader takes only from the nodes' names, as NamingState::remember() does.
std::map<std::string_view, std::int64_t> numbers_of_names(const Graph& graph) {
    std::map<std::string_view, std::int64_t> numbers;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NameParts parts = split_name(graph.name(node));
        std::int64_t& last = numbers[parts.base];
        if (parts.number >= 0) last = parts.number;
    }
    return numbers;
}

}  // namespace

void read_naming(element value, const JsonPlace& place, GraphBuilder& builder) {
    const object fields = json_object(value, place);
    NamingState naming;
    element found;
    if (!fields.at_key("last_number").get(found)) {
        const JsonPlace numbers_place(place, "last_number");
        for (const auto [base, number] : json_object(found, numbers_place)) {
            naming.last_number[builder.intern(base)] = json_integer(number, JsonPlace(numbers_place, base), 0);
        }
    }
    if (!fields.at_key("retired").get(found)) {
        const JsonPlace names_place(place, "retired");
        for (const element name : json_list(found, names_place)) {
            naming.retired.push_back(builder.intern(json_string(name, JsonPlace(names_place, naming.retired.size()))));
        }
    }
    builder.remember_names(std::move(naming));
}

void write_naming(JsonWriter& json, const Graph& graph) {
    const std::map<std::string_view, std::int64_t> expected = numbers_of_names(graph);
    std::map<std::string_view, std::int64_t> numbers;  // in an order that does not depend on the pool
    for (const auto& [base, number] : graph.naming().last_number) {
        const auto known = expected.find(graph.text(base));
        if (number != (known == expected.end() ? 0 : known->second)) numbers.emplace(graph.text(base), number);
    }
    std::vector<std::string_view> retired;
    for (const StringId name : graph.naming().retired) {
        if (graph.find(graph.text(name)) == no_node) retired.push_back(graph.text(name));
    }
    std::ranges::sort(retired);
    retired.erase(std::unique(retired.begin(), retired.end()), retired.end());
    if (numbers.empty() && retired.empty()) return;

    json.key("naming").begin_object();
    if (!numbers.empty()) {
        json.key("last_number").begin_object();
        for (const auto& [base, number] : numbers) json.member(base, number);
        json.end_object();
    }
    if (!retired.empty()) {
        json.key("retired").begin_array();
        for (const std::string_view name : retired) json.value(name);
        json.end_array();
    }
    json.end_object();
}

void read_operators(element value, const JsonPlace& place, GraphBuilder& builder) {
    for (const auto [name, description] : json_object(value, place)) {
        const JsonPlace operator_place(place, name);
        const object fields = json_object(description, operator_place);
        builder.describe_operator(
            name, read_traits(json_required(fields, "traits", operator_place), JsonPlace(operator_place, "traits")),
            read_side_effects(json_required(fields, "side_effects", operator_place),
                              JsonPlace(operator_place, "side_effects")));
    }
}

}  // namespace overlap
