#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/calibrate/calibration_run.h"
#include "core/cost/named_cost_model.h"

namespace overlap {

/// Classes of compute that no run determines, where a calibration starts from the graphs' own times. Those may be of
/// single nodes, or have an efficiency for flops and another for bytes, and a cost model has one line for a class. So
/// such a class gets the efficiency with which all of its nodes together take what they took before.
/// @param fitted names of the classes that runs have determined. @param model its classes are replaced.
/// @returns a sentence without full stop for each class: what changes, or that nothing does.
std::vector<std::string> keep_classes(std::span<const CalibrationRun> runs, const std::set<std::string>& fitted,
                                      NamedCostModel& model);

}  // namespace overlap
