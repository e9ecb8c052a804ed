#include "core/imports/fx/fx_arguments.h"

#include <set>

#include "core/base/quote.h"
#include "core/files/json_writer.h"
#include "core/imports/untyped/printed_number.h"

namespace overlap {
namespace {

using Kind = PythonExpressionKind;

constexpr std::string_view torch_prefix = "torch.";

bool is_layout(std::string_view name) {
    return name == "strided" || name == "jagged" || name == "_mkldnn" || name.starts_with("sparse_");
}

bool is_memory_format(std::string_view name) {
    return name == "contiguous_format" || name == "preserve_format" || name == "channels_last" ||
           name == "channels_last_3d";
}

}  // namespace

Value FxArguments::object(PythonExpressionId id, std::string_view class_name) {
    JsonWriter json;
    json.begin_object().member("object", class_name).member("text", expressions_.source(id)).end_object();
    return builder_.string(json.text(), ValueKind::raw_json);
}

Value FxArguments::number(PythonExpressionId id, bool negative) {
    const PythonExpression& expression = expressions_[id];
    const std::string_view text = expression.text;
    if (expression.kind == Kind::name) {
        if (text == "inf" || text == "nan") {
            return builder_.string(negative && text == "inf" ? "-inf" : text, ValueKind::special_float);
        }
        tokens_.fail(expression.offset, "arithmetic stands where a value was expected");
    }
    std::string digits(negative ? "-" : "");
    digits += text;
    if (const auto number = printed_number(builder_, digits)) return *number;
    tokens_.fail(expression.offset, "Python prints no number as " + in_quotes(shortened(text)));
}

Value FxArguments::constant(PythonExpressionId id, std::string_view dotted) {
    const PythonExpression& expression = expressions_[id];
    if (expression.kind == Kind::name) {
        if (dotted == "None") return Value::of_none();
        if (dotted == "True" || dotted == "False") return Value::of_boolean(dotted == "True");
        if (dotted == "inf" || dotted == "nan") return number(id, false);
        if (dotted == "...") return object(id, "builtins.ellipsis");
        return resolve_(dotted, expression.offset);
    }
    if (dotted.starts_with(torch_prefix)) {
        const std::string_view name = dotted.substr(torch_prefix.size());
        if (dtype_by_name(name)) return builder_.string(name, ValueKind::dtype);
        if (is_layout(name)) return builder_.string(name, ValueKind::layout);
        if (is_memory_format(name)) return builder_.string(name, ValueKind::memory_format);
    }
    return object(id, dotted);
}

Value FxArguments::called(PythonExpressionId id) {
    const std::string callee = expressions_.dotted_name(expressions_.child(id, 0)).value_or("");
    const auto parts = expressions_.children(id);
    if (callee == "device" || callee == "torch.device") {
        std::string text;
        for (const PythonExpressionId part : parts.subspan(1)) {
            const PythonExpression& argument = expressions_[part];
            const bool keyword = argument.kind == Kind::keyword;
            const PythonExpression& given = keyword ? expressions_[expressions_.child(part, 0)] : argument;
            if (given.kind == Kind::integer) text += ':';
            text += given.text;
        }
        return builder_.string(text, ValueKind::device);
    }
    if (callee == "slice") {
        std::vector<Value> bounds;
        for (const PythonExpressionId part : parts.subspan(1)) bounds.push_back(value(part));
        if (bounds.size() == 1) bounds.insert(bounds.begin(), Value::of_none());
        bounds.resize(3);
        return builder_.with_children(ValueKind::slice, bounds);
    }
    if (callee == "torch.Size" && parts.size() == 2) return value(parts[1]);
    if (callee == "float" && parts.size() == 2 && expressions_[parts[1]].kind == Kind::string) {
        return builder_.string(expressions_[parts[1]].text, ValueKind::special_float);
    }
    return object(id, callee);
}

Value FxArguments::children(PythonExpressionId id, ValueKind kind) {
    std::vector<Value> items;
    for (const PythonExpressionId item : expressions_.children(id)) items.push_back(value(item));
    return builder_.with_children(kind, items);
}

Value FxArguments::dictionary(PythonExpressionId id) {
    std::vector<Value> entries;
    std::set<StringId> keys;
    const auto parts = expressions_.children(id);
    for (std::size_t index = 0; index + 1 < parts.size(); index += 2) {
        const PythonExpression& key = expressions_[parts[index]];
        entries.push_back(builder_.string(key.kind == Kind::string ? key.text : expressions_.source(parts[index])));
        // Python keeps the last of them; that nothing is lost silently, none is.
        if (!keys.insert(entries.back().string).second) tokens_.fail(key.offset, "a dictionary has a key twice");
        entries.push_back(value(parts[index + 1]));
    }
    return builder_.dictionary(entries);
}

Value FxArguments::value(PythonExpressionId id) {
    const PythonExpression& expression = expressions_[id];
    switch (expression.kind) {
        case Kind::name:
        case Kind::attribute:
            if (const auto dotted = expressions_.dotted_name(id)) return constant(id, *dotted);
            break;
        case Kind::integer:
        case Kind::floating:
            return number(id, false);
        case Kind::string:
            return builder_.string(expression.text);
        case Kind::imaginary:
            return object(id, "builtins.complex");
        case Kind::opaque:
            return object(id, "");
        case Kind::call:
            return called(id);
        case Kind::list:
        case Kind::tuple:
            return children(id, ValueKind::list);
        case Kind::slice:
            return children(id, ValueKind::slice);
        case Kind::none:
            return Value::of_none();
        case Kind::dictionary:
            return dictionary(id);
        case Kind::set:
            return object(id, "builtins.set");
        case Kind::unary: {
            const PythonExpressionId operand = expressions_.child(id, 0);
            const Kind kind = expressions_[operand].kind;
            const bool is_number = kind == Kind::integer || kind == Kind::floating || kind == Kind::name;
            if (is_number && expression.text != "~") return number(operand, expression.text == "-");
            if (kind == Kind::imaginary) return object(id, "builtins.complex");
            break;
        }
        case Kind::binary: {
            const PythonExpressionId right = expressions_.child(id, 1);
            if (expressions_[right].kind == Kind::imaginary) return object(id, "builtins.complex");
            break;
        }
        default:
            break;
    }
    tokens_.fail(expression.offset, "expected a value, found " + in_quotes(shortened(expressions_.source(id))));
}

Value FxArguments::positional(PythonExpressionId call, std::size_t from, std::vector<Value> before) {
    for (const PythonExpressionId part : expressions_.children(call).subspan(from)) {
        if (expressions_[part].kind != Kind::keyword) before.push_back(value(part));
    }
    return builder_.list(before);
}

Value FxArguments::keywords(PythonExpressionId call) {
    std::vector<Value> entries;
    for (const PythonExpressionId part : expressions_.children(call)) {
        if (expressions_[part].kind != Kind::keyword) continue;
        entries.push_back(builder_.string(expressions_[part].text));
        entries.push_back(value(expressions_.child(part, 0)));
    }
    return builder_.dictionary(entries);
}

}  // namespace overlap
