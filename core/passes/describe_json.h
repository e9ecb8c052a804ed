#pragma once

#include <string>

#include "core/passes/pass.h"

namespace overlap {

/// What a JSON value is, for people: `the string "x"`, `a list`, `3`.
std::string describe_json(const Json& value);

}  // namespace overlap
