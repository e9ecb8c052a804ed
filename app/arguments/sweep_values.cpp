#include "app/arguments/sweep_values.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/io/plan/option_json.h"
#include "core/passes/registry/registry.h"

namespace overlap::commands {

namespace {

/// Commas between values; those within brackets belong to one value.
std::vector<std::string> split_values(const std::string& text) {
    std::vector<std::string> values(1);
    int depth = 0;
    for (const char letter : text) {
        if (letter == '[' || letter == '{') ++depth;
        if (letter == ']' || letter == '}') --depth;
        if (letter == ',' && depth == 0) {
            values.emplace_back();
        } else {
            values.back() += letter;
        }
    }
    return values;
}

/// Text that is no JSON is taken as a text, so that choices need no quotes.
OptionValue value_of(const PassOption& option, const std::string& name, const std::string& text) {
    if (std::optional<OptionValue> value = parse_option_value(option, name, text)) return *value;
    return read_option_value(option, name, Json(text));
}

}  // namespace

SweptOption read_swept_option(const std::string& text) {
    const std::size_t equals = text.find('='), dot = text.find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot > equals)
        throw InputError("", "expected PASS.OPTION=VALUE,VALUE, found " + in_quotes(shortened(text)));
    SweptOption swept{text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), {}, {}};
    const Pass& pass = require_pass(swept.pass);
    const PassOption& option = require_option(pass, swept.option);
    for (std::string& value : split_values(text.substr(equals + 1))) {
        swept.values.push_back(value_of(option, swept.name(), value));
        check_option_value(option, swept.name(), swept.values.back());
        swept.texts.push_back(std::move(value));
    }
    return swept;
}

std::vector<std::vector<std::size_t>> combinations(const std::vector<SweptOption>& options) {
    std::vector<std::vector<std::size_t>> all = {{}};
    for (const SweptOption& option : options) {
        std::vector<std::vector<std::size_t>> longer;
        for (const std::vector<std::size_t>& combination : all) {
            for (std::size_t value = 0; value < option.values.size(); ++value) {
                longer.push_back(combination);
                longer.back().push_back(value);
            }
        }
        all = std::move(longer);
    }
    return all;
}

bool has_pass(const Plan& plan, const std::string& pass) {
    return std::ranges::any_of(plan.pipeline, [&](const PassStep& step) { return step.enabled && step.pass == pass; });
}

Plan with_values(Plan plan, const std::vector<SweptOption>& options, const std::vector<std::size_t>& combination) {
    for (std::size_t index = 0; index < combination.size(); ++index) {
        const SweptOption& option = options[index];
        for (PassStep& step : plan.pipeline) {
            if (step.pass == option.pass) step.options[option.option] = option.values[combination[index]];
        }
    }
    return plan;
}

}  // namespace overlap::commands
