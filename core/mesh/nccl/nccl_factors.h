#pragma once

#include <cstdint>
#include <span>

#include "core/mesh/nccl/nccl_tables.h"

namespace overlap {

/// How tables of NCCL's model are read, as autoparallel/cost_models/nccl_cost_model.py reads them.

/// Exponent of the largest power of two that is not above `value`; 0 for 0.
int floor_log2(std::int64_t value);

/// Factor at `bytes`, linear in the logarithm of the size between entries and constant outside them.
double interpolated_factor(const nccl_tables::SizeFactors& factors, std::int64_t bytes);

/// Factor on a tree's bandwidth for an operation of `bytes` in all: the entry below, 1 from entry `entries` on.
double tree_factor(NcclProtocol protocol, std::int64_t bytes, int entries);

/// Factor on a ring's bandwidth between nodes, by the bytes of one rank. More than four nodes take longer to fill, and
/// the factor at most doubles from one entry to the next.
double ring_factor(std::int64_t nodes, std::int64_t bytes_per_rank);

/// Value at `count`, linear between the points, that of the nearest point outside them.
double interpolated_value(std::span<const nccl_tables::Point> points, std::int64_t count);

}  // namespace overlap
