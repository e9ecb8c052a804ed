#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace overlap {

/// A document that is small and edited, such as a plan: members keep their order. Only for readers and writers.
using Json = nlohmann::ordered_json;

/// What a JSON value is, for messages: `the string "x"`, `a list`, `3`.
std::string describe_json(const Json& value);

}  // namespace overlap
