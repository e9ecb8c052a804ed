#include "core/passes/overlap_scheduling/symbolic_sizes.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "core/graph/error.h"
#include "core/graph/quote.h"

namespace overlap::scheduling {

namespace {

using Json = nlohmann::json;

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The JSON list behind `"key":`; empty where there is none. Cut out of its object, whose other fields may be long.
std::string_view list_behind(std::string_view object, std::string_view key) {
    const std::size_t found = object.find(key);
    if (found == object.npos) return {};
    const std::size_t first = object.find_first_not_of(": ", found + key.size());
    if (first == object.npos || object[first] != '[') return {};
    bool in_string = false;
    int depth = 0;
    for (std::size_t place = first; place < object.size(); ++place) {
        const char character = object[place];
        if (character == '\\') {
            ++place;
        } else if (character == '"') {
            in_string = !in_string;
        } else if (!in_string && character == '[') {
            ++depth;
        } else if (!in_string && character == ']' && --depth == 0) {
            return object.substr(first, place - first + 1);
        }
    }
    return {};
}

/// A whole number, or a symbol such as `u4`; nothing for anything else.
std::optional<std::int64_t> value_of(std::string_view atom, std::int64_t guess) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(atom.data(), atom.data() + atom.size(), number);
    if (error == std::errc() && end == atom.data() + atom.size()) return number;
    const bool is_symbol = atom.size() > 1 && (atom.front() == 'u' || atom.front() == 's') &&
                           atom.find_first_not_of("0123456789", 1) == atom.npos;
    return is_symbol ? std::optional(guess) : std::nullopt;
}

/// The value of a sum of products such as `2*u4 + u5`; nothing for anything else.
std::optional<std::int64_t> evaluate(std::string_view text, std::int64_t guess) {
    std::int64_t sum = 0;
    for (;;) {
        const std::size_t plus = text.find('+');
        std::string_view term = text.substr(0, plus);
        std::int64_t product = 1;
        for (;;) {
            const std::size_t times = term.find('*');
            const std::optional<std::int64_t> factor = value_of(trimmed(term.substr(0, times)), guess);
            if (!factor) return {};
            product *= *factor;
            if (times == term.npos) break;
            term.remove_prefix(times + 1);
        }
        sum += product;
        if (plus == text.npos) return sum;
        text.remove_prefix(plus + 1);
    }
}

}  // namespace

SymbolicSizes::SymbolicSizes(const Graph& graph) : graph_(graph) {
    std::vector<bool> has_none(graph.strings()->size());  // most nodes share the text of a few others
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const StringId text = graph.metadata(node).extra_json;
        if (text == empty_string || has_none[text]) continue;
        const std::string_view extra = graph.text(text);
        const std::string_view list = list_behind(extra, "\"symbolic_shapes\"");
        has_none[text] = list.empty();
        if (list.empty()) continue;
        const Json shapes = Json::parse(list);
        for (std::uint32_t output = 0; output < shapes.size(); ++output) {
            if (!shapes[output].is_array()) continue;
            const bool is_symbolic =
                std::ranges::any_of(shapes[output], [](const Json& size) { return size.is_string(); });
            if (!is_symbolic) continue;
            Shape& shape = expressions_.emplace_back(Shape{node, output, {}});
            for (const Json& size : shapes[output]) {
                shape.sizes.push_back(size.is_string() ? size.get<std::string>() : size.dump());
            }
        }
    }
}

const SymbolicSizes::Shape* SymbolicSizes::find(NodeId node, std::size_t output) const {
    const auto found = std::ranges::lower_bound(expressions_, std::tuple(node, output), {}, [](const Shape& shape) {
        return std::tuple(shape.node, std::size_t{shape.output});
    });
    return found == expressions_.end() || found->node != node || found->output != output ? nullptr : &*found;
}

std::int64_t SymbolicSizes::elements(NodeId node, std::size_t output, std::int64_t guess) const {
    const Shape* shape = find(node, output);
    if (!shape) return graph_.element_count(graph_.outputs(node)[output]);
    std::int64_t elements = 1;
    for (const std::string& size : shape->sizes) {
        const std::optional<std::int64_t> value = evaluate(size, guess);
        if (!value) {
            throw InputError("node " + in_quotes(graph_.name(node)),
                             "found the size " + in_quotes(size) +
                                 ", expected a number or a sum of products: what torch takes it for is not known");
        }
        elements *= *value;
    }
    return elements;
}

}  // namespace overlap::scheduling
