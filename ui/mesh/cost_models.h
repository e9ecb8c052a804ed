#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "core/mesh/collective_times.h"

namespace overlap::ui {

/// A cost model that paths are found and compared by.
struct CostModel {
    QString id;                ///< for the session, such as `torch` or `nccl:h100`
    QString title;             ///< for people
    QString help;              ///< where the figures come from
    bool microseconds = true;  ///< false: units of the model's own
};

/// Every model that can be chosen, torch's own first.
const std::vector<CostModel>& costModels();
/// The model called `id`, or torch's where there is none of that name.
const CostModel& costModel(const QString& id);
/// @throws InputError where the model has no figures for such a mesh.
std::unique_ptr<CollectiveTimes> makeTimes(const CostModel& model, const DeviceMesh& mesh);

/// A cost as the model means it: "14.2 µs", or "3 units".
QString formatCost(const CostModel& model, double cost);
/// A difference of costs with its sign: "−6.1 µs".
QString formatCostDifference(const CostModel& model, double difference);

}  // namespace overlap::ui
