#pragma once

#include <stop_token>

#include "core/base/error.h"

namespace overlap::job {

/// How many steps of a loop that takes some nanoseconds for each go by between two looks at a stop token.
inline constexpr unsigned steps_between_looks = 1u << 16;

/// @throws InputError where a stop was requested; like all that comes of what was stopped, it is to be dropped.
inline void require_not_stopped(const std::stop_token& stop) {
    if (stop.stop_requested()) throw InputError("", "the evaluation was stopped");
}

}  // namespace overlap::job
