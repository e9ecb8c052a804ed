#pragma once

#include <simdjson.h>

#include <map>
#include <string>

#include "core/files/json_fields.h"
#include "core/graph/graph.h"

namespace overlap {

// What a graph's `cost_model` and a cost model document have in common. @throws InputError with the place.

/// A finite number above 0.
double json_positive(simdjson::dom::element value, const JsonPlace& place);

/// A share of a full rate: above 0, at most 1.
double json_share(simdjson::dom::element value, const JsonPlace& place);

/// Rates by name of a dtype.
std::map<std::string, double> read_flop_rates(simdjson::dom::element value, const JsonPlace& place);

/// `efficiency` (required) and `overhead_ms` by name of a class; whether classes of these names exist is not checked
/// here.
std::map<std::string, CostParameters::ClassCost> read_class_costs(simdjson::dom::element value, const JsonPlace& place);

/// Ways to run a collective by name of a kind: `kinds` of a link.
std::map<CollectiveKind, std::vector<CostParameters::LinkRate>> read_link_kinds(simdjson::dom::element value,
                                                                                const JsonPlace& place);

/// Factors that are not negative, by name of a class.
std::map<std::string, double> read_slowdowns(simdjson::dom::element value, const JsonPlace& place);

}  // namespace overlap
