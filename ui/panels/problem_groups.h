#pragma once

#include <cstddef>
#include <vector>

#include "core/base/problem.h"

namespace overlap::ui {

/// From how many problems of one kind on they are one row with its places below it.
inline constexpr std::size_t least_grouped_problems = 4;

/// The problems in rows, as indices into `problems` in their order. Problems of the same kind, severity and title share
/// a row from `least_grouped_problems` on, where the first of them stands. Each note of an import is a row of its own:
/// these are different sentences.
std::vector<std::vector<std::size_t>> group_problems(const std::vector<Problem>& problems);

}  // namespace overlap::ui
