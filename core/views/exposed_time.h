#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/pipeline/evaluation.h"
#include "core/views/module_sums.h"

namespace overlap {

/// Exposed milliseconds of each node of the evaluation's input. A collective that passes merged shares its exposed time
/// among its members by their bytes; what is done again in the backward pass belongs to what is done again, and either
/// half of a halved batch to what was halved. What a pass made of no collective of the input (see FinalBucket) belongs
/// to none.
std::vector<double> exposed_ms_of_input(const Evaluation& evaluation);

/// Exposed time of the collectives of modules, see exposed_ms_of_input().
using ModuleExposure = ModuleSums;

/// @param tree modules of the evaluation's input.
ModuleExposure module_exposed_ms(const Evaluation& evaluation, const ModuleTree& tree);

/// One collective of a result, and what the collectives of the input that it was made of become in another result.
struct ExposureChange {
    std::string collective;   ///< its start in the first result
    std::size_t members = 0;  ///< collectives of the input that it was made of
    double before_ms = 0;     ///< exposed in the first result
    double after_ms = 0;      ///< exposed in the second
    double added_ms() const { return after_ms - before_ms; }
};

/// The collectives of `before` whose members are exposed longer or shorter in `after`, by at least a microsecond; what
/// gets longest first.
/// @param after of the same input.
std::vector<ExposureChange> exposure_changes(const Evaluation& before, const Evaluation& after);

}  // namespace overlap
