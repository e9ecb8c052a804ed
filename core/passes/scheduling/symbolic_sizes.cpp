#include "core/passes/scheduling/symbolic_sizes.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/passes/scheduling/size_expression.h"

namespace overlap::scheduling {

namespace {

using Json = nlohmann::json;

/// Whether a size is a single symbol.
bool is_symbol(std::string_view size) {
    return size.size() > 1 && (size.front() == 'u' || size.front() == 's') &&
           size.find_first_not_of("0123456789", 1) == size.npos;
}

std::optional<std::int64_t> whole_number(std::string_view json) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), number);
    return error == std::errc() && end == json.data() + json.size() ? std::optional(number) : std::nullopt;
}

/// What a file's writer used for symbols of which nothing is known.
std::optional<std::int64_t> writers_guess(const Graph& graph) {
    return whole_number(json_member(graph.header().extra_json, "unbacked_symbol_hint"));
}

[[noreturn]] void fail(const Graph& graph, NodeId node, std::string_view found, std::string_view expected) {
    throw InputError("node " + in_quotes(graph.name(node)) + ", symbolic_shapes",
                     "found " + shortened(found) + ", expected " + std::string(expected));
}

/// Sizes of one output, numbers as text too; none where all of them are numbers.
std::vector<std::string> symbolic_sizes(const Graph& graph, NodeId node, std::string_view list) {
    if (list.front() != '[') fail(graph, node, list, "a list of sizes, or null");
    std::vector<std::string> sizes;
    bool is_symbolic = false;
    for (const std::string_view size : json_items(list)) {
        const bool is_text = size.front() == '"';
        if (!is_text && !whole_number(size)) fail(graph, node, size, "a whole number or an expression of symbols");
        sizes.push_back(is_text ? Json::parse(size).get<std::string>() : std::string(size));
        is_symbolic |= is_text;
    }
    if (!is_symbolic) sizes.clear();
    return sizes;
}

}  // namespace

SymbolicSizes::SymbolicSizes(const Graph& graph) : graph_(graph) {
    read_hints();
    const std::optional<std::int64_t> unknown = writers_guess(graph);
    std::vector<bool> has_none(graph.strings()->size());  // most nodes share the text of a few others
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const StringId text = graph.metadata(node).extra_json;
        if (text == empty_string || has_none[text]) continue;
        const std::string_view extra = graph.text(text);
        const std::string_view key = "symbolic_shapes";
        const std::string_view list = extra.find(key) == extra.npos ? std::string_view() : json_member(extra, key);
        has_none[text] = list.empty() || list == "null";
        if (has_none[text]) continue;
        if (list.front() != '[') fail(graph, node, list, "a list with the sizes of each output");
        std::uint32_t output = 0;
        for (const std::string_view sizes : json_items(list)) {
            const std::uint32_t index = output++;
            if (sizes == "null") continue;
            std::vector<std::string> read = symbolic_sizes(graph, node, sizes);
            if (read.empty()) continue;
            const Shape& shape = expressions_.emplace_back(Shape{node, index, std::move(read)});
            if (index < graph.outputs(node).size()) learn_hints(shape, graph.outputs(node)[index], unknown);
        }
    }
}

/// What an exporter knows: numbers of symbols that had one when the graph was traced.
void SymbolicSizes::read_hints() {
    const Json hints = Json::parse(json_member(graph_.header().extra_json, "symbol_hints"), nullptr, false);
    if (!hints.is_object()) return;
    for (const auto& [symbol, number] : hints.items()) {
        if (!number.is_number_integer()) {
            throw InputError("symbol_hints", "found " + shortened(number.dump()) + " for " + in_quotes(symbol) +
                                                 ", expected a whole number");
        }
        hints_.emplace(symbol, number.get<std::int64_t>());
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
                "found the size " + in_quotes(shortened(size)) +
                    ", expected a number or an expression of symbols: what torch takes it for is not known");
        }
        elements *= *value;
    }
    return elements;
}

}  // namespace overlap::scheduling
