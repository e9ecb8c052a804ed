#pragma once

#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// For each collective of an evaluation's simulation the names of the collectives of its input graph whose work it
/// does, sorted: itself, or, through all steps of the pipeline, the members of its bucket. One that a pass made of
/// something else has its own name.
std::vector<std::vector<std::string>> collective_members(const Evaluation& evaluation);

}  // namespace overlap
