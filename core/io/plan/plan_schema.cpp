#include "core/io/plan/plan_schema.h"

#include <cmath>

#include "core/io/plan/option_json.h"
#include "core/passes/registry/registry.h"

namespace overlap {

namespace {

using Type = PassOption::Type;

Json type_of(const PassOption& option, const char* name) {
    return option.nullable ? Json{name, "null"} : Json(name);
}

/// A bound or default without a fraction is written as a whole number.
Json number_json(double number) {
    const bool whole = number == std::trunc(number) && std::abs(number) < 1e15;
    return whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
}

void add_number(const PassOption& option, const char* type, Json& schema) {
    schema["type"] = type_of(option, type);
    if (std::isfinite(option.minimum)) schema["minimum"] = number_json(option.minimum);
    if (std::isfinite(option.maximum)) schema["maximum"] = number_json(option.maximum);
}

void add_text(const PassOption& option, Json& schema) {
    if (option.choices.empty()) {
        schema["type"] = {"string", "null"};
        return;
    }
    Json values = Json::array({nullptr});
    if (option.empty_is_unset) values.push_back("");
    for (const std::string& choice : option.choices) values.push_back(choice);
    schema["enum"] = std::move(values);
}

void add_integer_map(const PassOption& option, Json& schema) {
    Json kinds = Json::array({{{"type", "null"}}});
    for (const std::string& choice : option.choices) kinds.push_back({{"const", choice}});
    kinds.push_back({{"type", "object"},
                     {"propertyNames", {{"pattern", "^-?[0-9]+$"}}},
                     {"additionalProperties", {{"type", "integer"}}}});
    schema["anyOf"] = std::move(kinds);
}

void add_type(const PassOption& option, Json& schema) {
    switch (option.type) {
        case Type::boolean:
            schema["type"] = type_of(option, "boolean");
            return;
        case Type::text:
            return add_text(option, schema);
        case Type::module_lists:
            schema["type"] = "array";
            schema["items"] = {{"$ref", "#/$defs/modules"}};
            return;
        case Type::module_order:
            schema["type"] = {"object", "null"};
            schema["additionalProperties"] = {{"type", "integer"}};
            return;
        case Type::integer:
            return add_number(option, "integer", schema);
        case Type::number:
            return add_number(option, "number", schema);
        case Type::integer_list:
            schema["type"] = "array";
            schema["items"] = {{"type", "integer"}};
            return;
        case Type::integer_map:
            return add_integer_map(option, schema);
    }
}

Json option_schema(const PassOption& option) {
    Json schema = {{"description", option.help}};
    add_type(option, schema);
    if (option.required) return schema;
    const auto* number = std::get_if<double>(&option.default_value);
    schema["default"] = number ? number_json(*number) : option_json(option.default_value);
    return schema;
}

/// A plan gives buckets to a step that does not give its own.
bool must_be_given(const PassOption& option) {
    return option.required && option.type != Type::module_lists;
}

/// What holds for the options of a step, by the name of its pass.
Json condition(const Pass& pass) {
    const std::string name(pass.name());
    Json then = {{"properties", {{"options", {{"$ref", "#/$defs/options/" + name}}}}}};
    for (const PassOption& option : pass.options()) {
        if (must_be_given(option)) then["required"] = {"options"};
    }
    return {{"if", {{"properties", {{"pass", {{"const", name}}}}}}}, {"then", std::move(then)}};
}

}  // namespace

Json options_schema(const Pass& pass) {
    Json required = Json::array(), properties = Json::object();
    for (const PassOption& option : pass.options()) {
        if (must_be_given(option)) required.push_back(option.name);
        properties[option.name] = option_schema(option);
    }
    Json schema = {{"description", std::string(pass.summary()) + "."}};
    schema["type"] = required.empty() ? Json{"object", "null"} : Json("object");
    schema["additionalProperties"] = false;
    if (!required.empty()) schema["required"] = std::move(required);
    if (!properties.empty()) schema["properties"] = std::move(properties);
    return schema;
}

Json with_declared_options(Json schema) {
    Json conditions = Json::array(), options = Json::object();
    for (const Pass* pass : all_passes()) {
        conditions.push_back(condition(*pass));
        options[std::string(pass->name())] = options_schema(*pass);
    }
    schema["properties"]["pipeline"]["items"]["allOf"] = std::move(conditions);
    schema["$defs"]["options"] = std::move(options);
    return schema;
}

std::string schema_text(const Json& schema) {
    return schema.dump(2) + "\n";
}

}  // namespace overlap
