#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace overlap {

/// What a plan has besides its pipeline that a file for `reader` cannot contain: overlaps by hand, device orders, parts
/// that this version does not know. A sentence without full stop for each; none where there is nothing.
std::vector<std::string> parts_left_out(const Plan& plan, std::string_view reader);

/// The value of an option of a step: as given, else its default.
OptionValue option_value(const PassStep& step, const PassOption& option);

/// The notes on options that are this application's own and switched on, which a training job does not have.
std::vector<std::string> own_options_left_out(const PassStep& step);

}  // namespace overlap
