#include "core/passes/memory/layers.h"

#include <charconv>
#include <string>

#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap::memory {

namespace {

constexpr std::string_view layers_prefix = "layers.";

/// A text as Python's int() reads it, blanks around it, a sign and underscores between digits included.
/// @returns not_in_layers for what is no number.
std::int64_t whole_number(std::string_view text, std::string_view module) {
    constexpr std::string_view blanks = " \t\n\r\v\f";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == text.npos) return not_in_layers;
    text = text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
    std::string digits;
    if (text.front() == '-') digits = '-';
    if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
    bool digit_before = false;
    for (const char letter : text) {
        const bool is_digit = letter >= '0' && letter <= '9';
        if (!is_digit && !(letter == '_' && digit_before)) return not_in_layers;
        if (is_digit) digits += letter;
        digit_before = is_digit;
    }
    if (!digit_before) return not_in_layers;
    std::int64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec != std::errc{}) throw InputError("module " + in_quotes(module), "its number is beyond 64 bits");
    return number;
}

}  // namespace

std::int64_t layer_of_module(std::string_view module) {
    if (!module.starts_with(layers_prefix)) return not_in_layers;
    const std::string_view rest = module.substr(layers_prefix.size());
    return whole_number(rest.substr(0, rest.find('.')), module);
}

std::vector<std::int64_t> layers_of_nodes(const Graph& graph) {
    std::vector<std::int64_t> numbers(graph.node_count(), not_in_layers);
    // Nodes in a row often are of one module.
    StringId last = empty_string;
    std::int64_t last_number = not_in_layers;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const StringId module = graph.metadata(node).module_fqn;
        if (module != last) {
            last = module;
            last_number = layer_of_module(graph.text(module));
        }
        numbers[node] = last_number;
    }
    return numbers;
}

}  // namespace overlap::memory
