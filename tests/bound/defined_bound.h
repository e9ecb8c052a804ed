#pragma once

#include <cstdint>
#include <optional>

#include "core/bound/step_work.h"

namespace overlap::test {

/// The bounds as README.md of core/bound defines them: by trying everything, without the data structures that make
/// them fast.
struct DefinedBound {
    double step_ms = 0;
    std::int64_t least_peak_bytes = 0;  ///< 0 with a limit, which it does not depend on
};

DefinedBound defined_ordered_bound(const StepWork& work, std::optional<std::int64_t> limit);
DefinedBound defined_order_free_bound(const StepWork& work, std::optional<std::int64_t> limit);

}  // namespace overlap::test
