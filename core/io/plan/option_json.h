#pragma once

#include <optional>
#include <string>

#include "core/files/ordered_json.h"
#include "core/passes/pass.h"

namespace overlap {

/// The value of an option as a document has it.
/// @param place of the value, for messages. @throws InputError where it has another type than the option.
OptionValue read_option_value(const PassOption& option, const std::string& place, const Json& value);
/// The same for JSON text that the user typed; nothing where it is no JSON.
std::optional<OptionValue> parse_option_value(const PassOption& option, const std::string& place,
                                              const std::string& text);
/// The options of a step. @throws InputError for unknown names and wrong types; ranges are for check_options().
Options read_options(const Pass& pass, const Json& options);

Json option_json(const OptionValue& value);
Json options_json(const Options& options);

}  // namespace overlap
