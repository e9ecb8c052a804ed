#pragma once

#include <optional>
#include <vector>

#include "core/calibrate/fitted_samples.h"
#include "core/cost/named_cost_model.h"

namespace overlap {

/// The link of a process group as its collectives tell it.
struct FittedLink {
    std::optional<SamplesFit> fit;  ///< none: no link fits
    LinkCost link;
    std::optional<double> held_out;  ///< see held_out_error()
};

/// One line over bytes for all collectives of a group, or, where the link had ways for each kind of collective and that
/// fits better, a line over what each took by that link before: all its ways have the same part added, and their rates
/// scaled alike.
/// @param samples with bytes as their work. @param known the link before; without a rate where there was none.
FittedLink fit_link(const std::vector<FittedSample>& samples, const CostParameters::Link& known);

}  // namespace overlap
