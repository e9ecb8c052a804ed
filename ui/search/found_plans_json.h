#pragma once

#include <QJsonObject>
#include <optional>

#include "ui/search/found_plans.h"

namespace overlap::ui {

/// What was found as the session keeps it, with the choice: an object with a text that is packed, as plans repeat
/// themselves.
QJsonObject toJson(const FoundPlans& found, int chosen);

struct KeptFoundPlans {
    FoundPlans found;
    int chosen = 0;
};
/// @returns nothing where it is not what toJson() made.
std::optional<KeptFoundPlans> foundPlansFromJson(const QJsonObject& json);

}  // namespace overlap::ui
