#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/bound/lower_bound.h"
#include "core/bound/own_memory.h"
#include "core/bound/step_work.h"

namespace overlap {

/// How short a step can be whatever the order of compute. README.md of this folder has the proof.
struct OrderFreeBound {
    double step_ms = 0;
    std::vector<BoundStep> chain;  ///< in order of time, together as long as the step
};

/// Bounds whatever the order, at several limits of the peak: most of the work is done once.
class OrderFreeBounds {
  public:
    /// @param work without an obstacle; outlives this.
    /// @param stop when it is requested, bounds are lower than they could be.
    explicit OrderFreeBounds(const StepWork& work, const std::stop_token& stop = {});
    ~OrderFreeBounds();

    /// @param memory_limit not below least_peak(); nothing: memory is not limited.
    OrderFreeBound at(std::optional<std::int64_t> memory_limit) const;

    /// What must be alive at once in every plan.
    const LeastAlive& least_peak() const;

  private:
    struct Parts;
    std::unique_ptr<const Parts> parts_;
};

}  // namespace overlap
