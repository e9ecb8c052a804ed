#pragma once

#include <string>

#include "core/run/program.h"

namespace overlap {

// What NCCL can do. It is known without NCCL, so that a dry run refuses what a run on devices would stop at.

/// Whether NCCL has the element type. Booleans are its bytes.
bool nccl_has_type(Dtype dtype);

/// What keeps NCCL from carrying a collective out: its kind, its reduction or an element type. @returns one clause
/// without full stop, empty where nothing does.
std::string nccl_obstacle(const CollectiveWork& work);

}  // namespace overlap
