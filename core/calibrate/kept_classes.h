#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/calibrate/calibration_run.h"
#include "core/cost/named_cost_model.h"

namespace overlap {

/// Classes of compute that no run determines, where a calibration starts from the graphs' own times. Where these are
/// the times of `base`, the graphs' own cost model, the class stays as it has it. But they may be of single nodes, and
/// a cost model has one line for a class. So such a class gets the efficiency with which all of its nodes together take
/// what they took before; nodes of a graph that ran several times count once.
/// @param fitted names of the classes that runs have determined. @param model its classes are replaced.
/// @returns a sentence without full stop for each class: what changes, or that nothing does.
std::vector<std::string> keep_classes(std::span<const CalibrationRun> runs, const std::set<std::string>& fitted,
                                      const NamedCostModel& base, NamedCostModel& model);

}  // namespace overlap
