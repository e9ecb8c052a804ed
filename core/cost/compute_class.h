#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/flop_formulas.h"
#include "core/graph/graph.h"

namespace overlap {

/// What an operator keeps a device busy with: operators that the analytic model prices in the same way, a runner
/// executes in the same way and a calibration fits one factor for.
enum class ComputeClass : std::uint8_t {
    nothing,          ///< views, getitem, waits, and what runs on the host
    communication,    ///< starts a collective
    matrix_multiply,  ///< bound by the rate of matrix products
    attention,        ///< scaled-dot-product, flash, efficient and flex attention, forward and backward
    convolution,
    memory,  ///< everything else: bound by the bytes that it reads and writes
};

inline constexpr std::size_t compute_class_count = 6;

/// Stable short name, such as `matrix_multiply`.
std::string_view compute_class_name(ComputeClass compute_class);

/// The classes that a cost model prices by efficiency and overhead: all that compute.
inline constexpr std::array<ComputeClass, 4> computing_classes = {
    ComputeClass::matrix_multiply, ComputeClass::attention, ComputeClass::convolution, ComputeClass::memory};

/// The computing class of that name.
std::optional<ComputeClass> compute_class_by_name(std::string_view name);

/// Names of the computing classes.
std::vector<std::string> compute_class_names();

/// What nodes of a class cost by a cost model: its own figures, else the device's efficiency for memory or for flops.
CostParameters::ClassCost class_cost(const CostParameters& cost, ComputeClass compute_class);

/// The class of operators that torch's flop counter counts by `formula`; `memory` for those without one.
ComputeClass compute_class(FlopFormula formula);

/// The class of a node. A control_deps is `nothing`: see wrapped_operations() for what it wraps.
ComputeClass compute_class(const Graph& graph, NodeId node);

/// The classes of all nodes, a control_deps having that of what it wraps.
std::vector<ComputeClass> compute_classes(const Graph& graph);

}  // namespace overlap
