#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "core/bound/lower_bound.h"

namespace overlap::test {

/// Each stretch begins where the one before ends, and begins and ends with nodes.
inline void expect_chain(const std::vector<BoundStep>& chain, double bound_ms) {
    double end_ms = 0;
    for (const BoundStep& step : chain) {
        EXPECT_NEAR(step.start_ms, end_ms, 1e-9);
        EXPECT_FALSE(step.first.empty());
        EXPECT_FALSE(step.last.empty());
        end_ms = step.end_ms;
    }
    EXPECT_NEAR(end_ms, bound_ms, 1e-9);
}

}  // namespace overlap::test
