#include "core/passes/memory/symbolic_tensors.h"

#include <algorithm>
#include <charconv>

#include "core/files/json_members.h"
#include "core/graph/strides.h"
#include "core/passes/pass_support.h"

namespace overlap::memory {

namespace {

bool is_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

/// The text of a JSON string that has nothing to unescape, as expressions of symbols have not.
std::string_view unquoted(std::string_view json) {
    return json.size() >= 2 && json.front() == '"' ? json.substr(1, json.size() - 2) : std::string_view();
}

/// A symbol of torch: `u12`, `s0`.
bool is_symbol(std::string_view text) {
    return text.size() > 1 && (text.front() == 'u' || text.front() == 's') &&
           std::all_of(text.begin() + 1, text.end(), is_digit);
}

/// Calls visit(name) for each symbol and function in an expression.
template <typename Visit>
void for_each_name(std::string_view expression, Visit&& visit) {
    for (std::size_t at = 0; at < expression.size();) {
        std::size_t end = at + 1;
        if (is_letter(expression[at])) {
            while (end < expression.size() && (is_letter(expression[end]) || is_digit(expression[end]))) ++end;
            visit(expression.substr(at, end - at));
        }
        at = end;
    }
}

}  // namespace

bool SymbolicTensors::is_scalar(NodeId node, std::string_view pass) const {
    const std::string_view fields = graph_.text(graph_.metadata(node).extra_json);
    if (fields.find("symbolic_value") == fields.npos) return false;
    const std::string_view value = json_member(fields, "symbolic_value");
    if (value.empty()) return false;
    const std::string_view hint = json_member(value, "hint");
    const bool whole = !hint.empty() && hint.find_first_not_of("-0123456789") == hint.npos;
    if (!whole) {
        refuse_node(pass, graph_.name(node),
                    "its value is a symbol that stands for no whole number, and what torchtitan does with such values "
                    "is not known");
    }
    return true;
}

std::vector<std::string_view> SymbolicTensors::sizes(NodeId node) const {
    const std::string_view fields = graph_.text(graph_.metadata(node).extra_json);
    if (fields.find("symbolic_shapes") == fields.npos) return {};
    const std::vector<std::string_view> outputs = json_items(json_member(fields, "symbolic_shapes"));
    if (outputs.empty()) return {};
    std::vector<std::string_view> sizes = json_items(outputs.front());
    const bool any = std::ranges::any_of(sizes, [](std::string_view size) { return !unquoted(size).empty(); });
    if (!any) sizes.clear();
    return sizes;
}

bool SymbolicTensors::is_near_hint(std::string_view expression, std::int64_t hint) const {
    if (!placeholder_symbols_) {
        placeholder_symbols_.emplace();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (graph_.op(node) != NodeOp::placeholder) continue;
            for (const std::string_view size : sizes(node)) {
                if (is_symbol(unquoted(size))) placeholder_symbols_->emplace(unquoted(size));
            }
        }
    }
    // Such a symbol lies between half its hint and its hint: below 4, an expression of it may be 1. A difference may be
    // anything.
    bool near = hint >= 4 && expression.find('-') == expression.npos;
    for_each_name(expression,
                  [&](std::string_view name) { near = near && placeholder_symbols_->contains(std::string(name)); });
    return near;
}

bool SymbolicTensors::is_contiguous(NodeId node, const TensorMeta& tensor) const {
    const auto shape = graph_.shape(tensor);
    if (overlap::is_contiguous(shape, graph_.stride(tensor))) return true;
    const std::vector<std::string_view> texts = sizes(node);
    for (std::size_t dimension = 0; dimension < std::min(texts.size(), shape.size()); ++dimension) {
        const std::string_view expression = unquoted(texts[dimension]);
        if (!expression.empty() && !is_near_hint(expression, shape[dimension])) return true;
    }
    return false;
}

namespace {

Value symbol(GraphEditor& editor, std::string_view expression, std::int64_t hint) {
    const Value parts[] = {Value::of_string(editor.intern(expression)), Value::of_integer(hint)};
    Value value = editor.list(parts);
    value.kind = ValueKind::symbol;
    return value;
}

}  // namespace

Value SymbolicTensors::size_argument(GraphEditor& editor, NodeId node, const TensorMeta& tensor) const {
    const std::vector<std::string_view> texts = sizes(node);
    std::vector<Value> items;
    for (std::size_t dimension = 0; dimension < tensor.rank; ++dimension) {
        const std::int64_t size = graph_.shape(tensor)[dimension];
        const std::string_view expression = dimension < texts.size() ? unquoted(texts[dimension]) : std::string_view();
        items.push_back(expression.empty() ? Value::of_integer(size) : symbol(editor, expression, size));
    }
    return editor.list(items);
}

Value SymbolicTensors::stride_argument(GraphEditor& editor, NodeId node, const TensorMeta& tensor,
                                       std::string_view pass) const {
    const std::vector<std::string_view> texts = sizes(node);
    const auto shape = graph_.shape(tensor), stride = graph_.stride(tensor);
    const auto first = static_cast<std::size_t>(
        std::ranges::find_if(texts, [](std::string_view size) { return !unquoted(size).empty(); }) - texts.begin());
    std::vector<Value> items;
    for (std::size_t dimension = 0; dimension < tensor.rank; ++dimension) {
        const std::int64_t step = stride[dimension];
        const std::int64_t inner = first < shape.size() ? stride[first] * shape[first] : 0;
        if (first >= shape.size() || dimension == first || inner <= 0 || step < inner) {
            items.push_back(Value::of_integer(step));
            continue;
        }
        const std::int64_t factor = step / shape[first];
        const std::optional<std::string> expression = multiplied(unquoted(texts[first]), factor);
        if (!expression) {
            refuse_node(pass, graph_.name(node),
                        "its strides are multiples of the size " + std::string(texts[first]) +
                            ", and how torch writes such products is known of sums of symbols only");
        }
        items.push_back(symbol(editor, *expression, factor * shape[first]));
    }
    return editor.list(items);
}

std::optional<std::string> multiplied(std::string_view expression, std::int64_t factor) {
    constexpr std::string_view plus = " + ";
    std::string product;
    while (true) {
        const std::size_t end = expression.find(plus);
        std::string_view term = expression.substr(0, end);
        std::int64_t coefficient = 1;
        if (const std::size_t star = term.find('*'); star != term.npos) {
            const auto read = std::from_chars(term.data(), term.data() + star, coefficient);
            if (read.ec != std::errc{} || read.ptr != term.data() + star || coefficient <= 0) return {};
            term.remove_prefix(star + 1);
        }
        if (!is_symbol(term) || __builtin_mul_overflow(coefficient, factor, &coefficient)) return {};
        if (!product.empty()) product += plus;
        if (coefficient != 1) (product += std::to_string(coefficient)) += '*';
        product += term;
        if (end == expression.npos) return product;
        expression.remove_prefix(end + plus.size());
    }
}

}  // namespace overlap::memory
