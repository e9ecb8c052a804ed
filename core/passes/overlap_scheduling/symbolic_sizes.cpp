#include "core/passes/overlap_scheduling/symbolic_sizes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "core/graph/error.h"
#include "core/graph/quote.h"
#include "core/passes/overlap_scheduling/size_expression.h"

namespace overlap::scheduling {

namespace {

using Json = nlohmann::json;

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

/// Whether a size is a symbol alone.
bool is_symbol(std::string_view size) {
    return size.size() > 1 && (size.front() == 'u' || size.front() == 's') &&
           size.find_first_not_of("0123456789", 1) == size.npos;
}

/// What a file's writer put for symbols of which nothing is known.
std::optional<std::int64_t> writers_guess(const Graph& graph) {
    const std::string_view extra = graph.header().extra_json;
    if (extra.find("\"unbacked_symbol_hint\"") == extra.npos) return {};
    const Json hint = Json::parse(extra).value("unbacked_symbol_hint", Json());
    return hint.is_number_integer() ? std::optional(hint.get<std::int64_t>()) : std::nullopt;
}

}  // namespace

SymbolicSizes::SymbolicSizes(const Graph& graph) : graph_(graph) {
    const std::optional<std::int64_t> unknown = writers_guess(graph);
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
            if (output < graph.outputs(node).size()) learn_hints(shape, graph.outputs(node)[output], unknown);
        }
    }
}

/// A symbol for which the file has another number than its writer's guess had a number of its own when it was traced,
/// and torch takes that one.
void SymbolicSizes::learn_hints(const Shape& shape, const TensorMeta& tensor, std::optional<std::int64_t> unknown) {
    const std::span<const std::int64_t> numbers = graph_.shape(tensor);
    if (!unknown || numbers.size() != shape.sizes.size()) return;
    for (std::size_t dimension = 0; dimension < numbers.size(); ++dimension) {
        if (is_symbol(shape.sizes[dimension]) && numbers[dimension] != *unknown) {
            hints_.emplace(shape.sizes[dimension], numbers[dimension]);
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
    const auto value_of_symbol = [&](std::string_view symbol) {
        const auto known = hints_.find(symbol);
        return known == hints_.end() ? guess : known->second;
    };
    for (const std::string& size : shape->sizes) {
        const std::optional<std::int64_t> value = evaluate_size(size, value_of_symbol);
        if (!value) {
            throw InputError(
                "node " + in_quotes(graph_.name(node)),
                "found the size " + in_quotes(size) +
                    ", expected a number or an expression of symbols: what torch takes it for is not known");
        }
        elements *= *value;
    }
    return elements;
}

}  // namespace overlap::scheduling
