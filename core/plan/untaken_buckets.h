#pragma once

#include <optional>

#include "core/base/problem.h"
#include "core/plan/plan.h"

namespace overlap {

/// That no step takes the plan's buckets, with the reason and what with_entries_taken() does about it; nothing where
/// one does, or the plan has none.
std::optional<Problem> untaken_buckets(const Plan& plan);

}  // namespace overlap
