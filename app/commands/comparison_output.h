#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

#include "core/measure/prediction_error.h"
#include "core/measure/variant_comparison.h"

namespace overlap::commands {

/// What `overlap compare` prints.
struct ComparisonOutput {
    std::string before, after;  ///< names of the two sides
    Comparison comparison;
    const MeasuredComparison* measured = nullptr;  ///< only where the second side is a measured step
    PredictionError error_of_plan;                 ///< the same
    ProfileError error_of_profile;                 ///< the same
};

/// An object with `before` and `after` (`name` and totals), `changes` (number of rows by change) and `rows[]`, the
/// greatest effects first: `change`, `before` and `after` (null where missing), differences, `counterpart`, `cause`
/// and `remark`. Against a measurement also `measurement` (device, step, groups, numbers matched and not, axis) and
/// `prediction_error` with `model` and `profile`; rows then have the `shares` of the causes in milliseconds.
nlohmann::ordered_json comparison_json(const ComparisonOutput& output);

/// The same for display. @param rows how many to print; 0: all.
void write_comparison(std::ostream& out, const ComparisonOutput& output, std::size_t rows);

}  // namespace overlap::commands
