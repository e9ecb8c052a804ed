#pragma once

#include <span>
#include <string_view>

#include "core/cost/named_cost_model.h"

namespace overlap {

/// Cost models of usual devices, from published figures: full rates of the vendor's data sheets (dense, without
/// sparsity), eight GPUs to a node, one network interface a GPU. Efficiencies and latencies are what large kernels and
/// NCCL usually reach; nothing was measured here, and factors of contention are not known. A calibration replaces them.
std::span<const NamedCostModel> built_in_cost_models();

/// The built-in model of that name, or nullptr.
const NamedCostModel* built_in_cost_model(std::string_view name);

/// The built-in model that a graph has, or nullptr: one of its name whose device has been changed is another.
const NamedCostModel* built_in_cost_model(const CostParameters& cost);

}  // namespace overlap
