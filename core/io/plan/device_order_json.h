#pragma once

#include <string>

#include "core/files/ordered_json.h"
#include "core/plan/plan.h"

namespace overlap {

/// One item of a plan's `device_orders` (docs/formats.md).
/// @throws InputError with the place in the plan.
DeviceOrder read_device_order(const Json& value, const std::string& place);
/// The order as an item of `device_orders`, with the fields that this version does not know.
Json device_order_json(const DeviceOrder& order);

}  // namespace overlap
