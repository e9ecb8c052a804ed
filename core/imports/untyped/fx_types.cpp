#include "core/imports/untyped/fx_types.h"

#include <array>
#include <charconv>
#include <utility>

#include "core/base/error.h"
#include "core/imports/untyped/python_expression.h"

namespace overlap {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 29> short_names = {{
    {"f32", "float32"},
    {"bf16", "bfloat16"},
    {"f16", "float16"},
    {"f64", "float64"},
    {"i64", "int64"},
    {"i32", "int32"},
    {"i16", "int16"},
    {"i8", "int8"},
    {"u8", "uint8"},
    {"u16", "uint16"},
    {"u32", "uint32"},
    {"u64", "uint64"},
    {"b8", "bool"},
    {"c32", "complex32"},
    {"c64", "complex64"},
    {"c128", "complex128"},
    {"bc32", "bcomplex32"},
    {"b1x8", "bits1x8"},
    {"b2x4", "bits2x4"},
    {"b4x2", "bits4x2"},
    {"b8x1", "bits8"},
    {"b16x1", "bits16"},
    {"f8e5m2", "float8_e5m2"},
    {"f8e4m3fn", "float8_e4m3fn"},
    {"f8e5m2fnuz", "float8_e5m2fnuz"},
    {"f8e4m3fnuz", "float8_e4m3fnuz"},
    {"f8e8m0fnu", "float8_e8m0fnu"},
    {"f4e2m1fnx2", "float4_e2m1fn_x2"},
    {"i1", "int1"},
}};

constexpr std::size_t most_dimensions = 64;

std::optional<std::int64_t> combine(std::string_view operation, std::int64_t left, std::int64_t right) {
    std::int64_t result = 0;
    if (operation == "+" && !__builtin_add_overflow(left, right, &result)) return result;
    if (operation == "-" && !__builtin_sub_overflow(left, right, &result)) return result;
    if (operation == "*" && !__builtin_mul_overflow(left, right, &result)) return result;
    if (operation == "//" && right > 0) return left >= 0 ? left / right : -((-(left + 1)) / right) - 1;
    return std::nullopt;
}

std::optional<std::int64_t> evaluate(const PythonExpressions& expressions, PythonExpressionId id,
                                     const SymbolValues& symbols, FxType& type) {
    const PythonExpression& expression = expressions[id];
    switch (expression.kind) {
        case PythonExpressionKind::integer: {
            std::int64_t value = 0;
            const char* end = expression.text.data() + expression.text.size();
            if (std::from_chars(expression.text.data(), end, value).ec != std::errc()) return std::nullopt;
            return value;
        }
        case PythonExpressionKind::name: {
            type.symbols.emplace(expression.text);
            const auto symbol = symbols.find(expression.text);
            if (symbol != symbols.end()) return symbol->second;
            type.unknown_symbols.emplace(expression.text);
            return std::nullopt;
        }
        case PythonExpressionKind::unary: {
            const auto operand = evaluate(expressions, expressions.child(id, 0), symbols, type);
            return operand && expression.text == "-" ? combine("-", 0, *operand) : std::nullopt;
        }
        case PythonExpressionKind::binary: {
            const auto left = evaluate(expressions, expressions.child(id, 0), symbols, type);
            const auto right = evaluate(expressions, expressions.child(id, 1), symbols, type);
            return left && right ? combine(expression.text, *left, *right) : std::nullopt;
        }
        default:
            type.unknown_symbols.emplace(expressions.source(id));
            return std::nullopt;
    }
}

/// Text between brackets, which begin at `begin`; moves `begin` behind them.
std::optional<std::string_view> bracketed(std::string_view text, std::size_t& begin) {
    if (begin >= text.size() || text[begin] != '[') return std::nullopt;
    const std::size_t end = text.find(']', begin);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text.substr(begin + 1, end - begin - 1);
    begin = end + 1;
    return inside;
}

/// Items between commas that are not in parentheses.
std::vector<std::string_view> split_sizes(std::string_view text) {
    std::vector<std::string_view> items;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t index = 0; index <= text.size(); ++index) {
        const char character = index < text.size() ? text[index] : ',';
        depth += character == '(' ? 1 : character == ')' ? -1 : 0;
        if (character != ',' || (depth > 0 && index < text.size())) continue;
        std::string_view item = text.substr(begin, index - begin);
        while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
        while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
        if (!item.empty()) items.push_back(item);
        begin = index + 1;
    }
    return items;
}

/// `device(type='cuda', index=0)` and `cuda:0` are both `cuda` in a graph document.
std::string device_type(std::string_view text) {
    return std::string(text.substr(0, text.find(':')));
}

/// The value of a size such as `8*s0 + 1`; nothing where it has none. Only + - * // and brackets are understood.
std::optional<std::int64_t> evaluate_size(std::string_view text, const SymbolValues& symbols, FxType& type) {
    try {
        PythonTokens tokens(text, 0, text.size());
        PythonExpressions expressions(tokens);
        const PythonExpressionId id = expressions.parse_item();
        if (tokens.peek().kind == PythonTokenKind::end) return evaluate(expressions, id, symbols, type);
    } catch (const InputError&) {
        // What is no expression is a symbol that cannot have a value.
    }
    type.unknown_symbols.emplace(text);
    return std::nullopt;
}

struct Sizes {
    std::vector<std::int64_t> values;
    bool symbolic = false;
    bool known = true;
};

Sizes read_sizes(const std::vector<std::string_view>& items, const SymbolValues& symbols, FxType& type) {
    Sizes sizes;
    for (const std::string_view item : items) {
        sizes.symbolic = sizes.symbolic || item.find_first_not_of("0123456789") != std::string_view::npos;
        const std::optional<std::int64_t> value = evaluate_size(item, symbols, type);
        sizes.known = sizes.known && value && *value >= 0;
        sizes.values.push_back(value.value_or(0));
    }
    return sizes;
}

std::optional<FxType> parse_tensor(std::string_view text, const SymbolValues& symbols) {
    std::size_t position = text.find('[');
    const auto dtype = dtype_by_short_name(text.substr(0, position));
    if (!dtype) return std::nullopt;
    const auto shape_text = bracketed(text, position);
    if (!shape_text) return std::nullopt;
    FxType type;
    DeclaredTensor tensor;
    tensor.dtype = *dtype;
    const std::vector<std::string_view> items = split_sizes(*shape_text);
    if (items.size() > most_dimensions) return std::nullopt;
    const Sizes shape = read_sizes(items, symbols, type);
    tensor.shape = shape.values;
    if (shape.symbolic) tensor.symbolic_shape.assign(items.begin(), items.end());
    bool known = shape.known;
    if (const auto stride_text = bracketed(text, position)) {
        const Sizes stride = read_sizes(split_sizes(*stride_text), symbols, type);
        if (stride.values.size() != tensor.shape.size()) return std::nullopt;
        known = known && stride.known;
        tensor.stride = stride.values;
    }
    tensor.device = device_type(text.substr(position));
    if (tensor.device.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") != std::string::npos) {
        return std::nullopt;
    }
    tensor.symbols = type.symbols;
    if (known) type.tensor = std::move(tensor);
    return type;
}

}  // namespace

std::optional<Dtype> dtype_by_short_name(std::string_view name) {
    for (const auto& [short_name, long_name] : short_names) {
        if (short_name == name) return dtype_by_name(long_name);
    }
    return std::nullopt;
}

std::optional<FxType> parse_fx_type(std::string_view annotation, const SymbolValues& symbols) {
    constexpr std::string_view symbol = "Sym(";
    if (annotation.starts_with(symbol) && annotation.ends_with(')')) {
        FxType type;
        type.symbol = annotation.substr(symbol.size(), annotation.size() - symbol.size() - 1);
        type.value = evaluate_size(type.symbol, symbols, type);
        return type;
    }
    const std::size_t bracket = annotation.find('[');
    const std::size_t parenthesis = annotation.find('(');
    if (parenthesis < bracket && annotation.ends_with(')')) {  // a subclass of tensor: Parameter(...), DTensor(...)
        std::string_view inside = annotation.substr(parenthesis + 1, annotation.size() - parenthesis - 2);
        std::size_t end = inside.rfind(']');
        if (end == std::string_view::npos) return std::nullopt;
        end = inside.find(',', end);
        return parse_tensor(inside.substr(0, end), symbols);
    }
    return parse_tensor(annotation, symbols);
}

}  // namespace overlap
