#pragma once

#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/modules/module_rules.h"

namespace overlap {

/// The rule that the name of one parameter suggests: `layers.0.wq.weight` becomes `layers.{n}.wq.*` for
/// `layers.{n}.wq`. Names are paths; torch.dynamo's `L_self_modules_layers_modules_0_…_parameters_weight_`; or paths
/// with underscores in place of dots, around numbers. A rule without a pattern where the name contains no module
/// (`primals_3`).
ModuleRule rule_of_parameter_name(std::string_view name);

/// The rules that the names of a graph's parameters suggest, each once, in the order of the parameters.
std::vector<ModuleRule> parameter_rules(const Graph& graph);

}  // namespace overlap
