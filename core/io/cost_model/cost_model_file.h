#pragma once

#include <string>
#include <string_view>

#include "core/cost/named_cost_model.h"

namespace overlap {

/// Reads a cost model document, plain or gzip; resources/schemas/overlap-cost-model.schema.json describes it.
/// Unknown fields are kept and written back.
/// @throws InputError with file and place.
NamedCostModel read_cost_model_file(const std::string& path);
/// @param file for messages.
NamedCostModel read_cost_model_text(std::string_view text, const std::string& file);

std::string cost_model_text(const NamedCostModel& model);
/// @throws InputError when the file cannot be written.
void write_cost_model_file(const NamedCostModel& model, const std::string& path);

/// The built-in model of that name, else the model in the file of that name.
/// @throws InputError where there is neither, with the names of built-in models.
NamedCostModel find_cost_model(const std::string& name_or_file);

}  // namespace overlap
