#pragma once

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/variant.h>

#include <filesystem>
#include <variant>

#include "core/cost/named_cost_model.h"

namespace overlap::python {

/// A cost model, or the name of a built-in one, or a file.
using CostModelArgument = std::variant<NamedCostModel, std::filesystem::path>;

/// @throws InputError where there is none of that name.
NamedCostModel cost_model_of(const CostModelArgument& model);

}  // namespace overlap::python
