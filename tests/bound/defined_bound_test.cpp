// The bounds against their definitions: not only that no plan is below them, but that they are as high as they can be.

#include "tests/bound/defined_bound.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "core/bound/lower_bound.h"
#include "tests/bound/random_step.h"

namespace overlap::test {
namespace {

/// Limits between what is alive in every plan and what all of it is.
void expect_as_defined(const std::shared_ptr<const StepWork>& work, bool any_order) {
    const auto defined = [&](std::optional<std::int64_t> limit) {
        return any_order ? defined_order_free_bound(*work, limit) : defined_ordered_bound(*work, limit);
    };
    const BoundUnderLimits bounds(work, any_order);
    const auto found_ms = [&](std::optional<std::int64_t> limit) {
        const LowerBound bound = bounds.at(limit);
        return any_order ? bound.order_free_ms : bound.ordered_ms;
    };
    const DefinedBound unlimited = defined({});
    ASSERT_NEAR(found_ms({}), unlimited.step_ms, 1e-9);
    ASSERT_EQ(bounds.least_peak_bytes(), unlimited.least_peak_bytes);
    for (const std::int64_t more : {0, 400'000, 1'300'000, 4'000'000}) {
        const std::int64_t limit = unlimited.least_peak_bytes + more;
        ASSERT_NEAR(found_ms(limit), defined(limit).step_ms, 1e-9) << more;
    }
}

void expect_random_steps_as_defined(bool any_order) {
    std::mt19937 random(84);
    for (int run = 0; run < 40; ++run) {
        SCOPED_TRACE(run);
        const RandomStep step(random, 6 + static_cast<int>(random() % 14), run % 2 == 0);
        const auto work = step_work(std::make_shared<const Graph>(step.graph()));
        ASSERT_EQ(work->obstacle, "");
        expect_as_defined(work, any_order);
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(DefinedBound, IsTheOneThatIsFoundInOrder) {
    expect_random_steps_as_defined(false);
}

TEST(DefinedBound, IsTheOneThatIsFoundInAnyOrder) {
    expect_random_steps_as_defined(true);
}

}  // namespace
}  // namespace overlap::test
