#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/cost/named_cost_model.h"
#include "core/files/json_fields.h"

namespace overlap {

/// Reads the member `links` of a cost model's document into `model`: links of process groups, of group sizes, within
/// and between nodes, and the cluster that they are worked out from.
/// @throws InputError with the place of what is no link.
void read_cost_model_links(simdjson::dom::element value, const JsonPlace& place, NamedCostModel& model);

/// Writes the model's links into the member `links` of its document; content that the model does not know is kept.
void write_cost_model_links(nlohmann::ordered_json& links, const NamedCostModel& model);

}  // namespace overlap
