#include "core/io/graph/cost_fields.h"

#include <optional>

namespace overlap {

using simdjson::dom::element;
using simdjson::dom::object;

double json_positive(element value, const JsonPlace& place) {
    const double number = json_number(value, place);
    if (number <= 0) place.fail("expected a number greater than 0, found " + describe_json(value));
    return number;
}

double json_share(element value, const JsonPlace& place) {
    json_positive(value, place);
    return json_number(value, place, 0, 1);
}

std::map<std::string, double> read_flop_rates(element value, const JsonPlace& place) {
    std::map<std::string, double> rates;
    for (const auto [dtype, rate] : json_object(value, place))
        rates[std::string(dtype)] = json_positive(rate, JsonPlace(place, dtype));
    return rates;
}

std::map<std::string, CostParameters::ClassCost> read_class_costs(element value, const JsonPlace& place) {
    std::map<std::string, CostParameters::ClassCost> classes;
    for (const auto [name, item] : json_object(value, place)) {
        const JsonPlace class_place(place, name);
        const object fields = json_object(item, class_place);
        CostParameters::ClassCost cost;
        cost.efficiency =
            json_positive(json_required(fields, "efficiency", class_place), JsonPlace(class_place, "efficiency"));
        if (element overhead; !fields.at_key("overhead_ms").get(overhead))
            cost.overhead_ms = json_number(overhead, JsonPlace(class_place, "overhead_ms"), 0);
        classes[std::string(name)] = cost;
    }
    return classes;
}

std::map<CollectiveKind, std::vector<CostParameters::LinkRate>> read_link_kinds(element value, const JsonPlace& place) {
    std::map<CollectiveKind, std::vector<CostParameters::LinkRate>> kinds;
    for (const auto [name, item] : json_object(value, place)) {
        const JsonPlace kind_place(place, name);
        const std::optional<CollectiveKind> kind = collective_kind_by_name(name);
        if (!kind) kind_place.fail("there is no kind of collective of this name");
        std::vector<CostParameters::LinkRate>& rates = kinds[*kind];
        for (const element way : json_list(item, kind_place)) {
            const JsonPlace way_place(kind_place, rates.size());
            const object fields = json_object(way, way_place);
            const double latency_ms =
                json_number(json_required(fields, "latency_ms", way_place), JsonPlace(way_place, "latency_ms"), 0);
            rates.push_back({latency_ms, json_positive(json_required(fields, "bytes_per_s", way_place),
                                                       JsonPlace(way_place, "bytes_per_s"))});
        }
        if (rates.empty()) kind_place.fail("expected at least one way to run it");
    }
    return kinds;
}

std::map<std::string, double> read_slowdowns(element value, const JsonPlace& place) {
    std::map<std::string, double> slowdowns;
    for (const auto [name, item] : json_object(value, place))
        slowdowns[std::string(name)] = json_number(item, JsonPlace(place, name), 0);
    return slowdowns;
}

}  // namespace overlap
