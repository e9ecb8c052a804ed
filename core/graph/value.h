#pragma once

#include <cstdint>

#include "core/graph/string_pool.h"

namespace overlap {

/// A node: its position in execution order in a Graph, a number that never changes in a GraphEditor.
using NodeId = std::uint32_t;
inline constexpr NodeId no_node = 0xffffffffu;

/// What an argument of a node is. The names are those of the overlap-graph format.
enum class ValueKind : std::uint8_t {
    none,
    boolean,
    integer,
    floating,
    string,
    node,           ///< {"node": NAME}
    list,           ///< children
    dictionary,     ///< {"dict": {...}} and a node's kwargs: children alternate between key (string) and value
    dtype,          ///< {"dtype": "bfloat16"}
    device,         ///< {"device": "cuda:0"}
    layout,         ///< {"layout": "strided"}
    memory_format,  ///< {"memory_format": "contiguous_format"}
    slice,          ///< {"slice": [start, stop, step]}: three children
    symbol,         ///< {"symbol": "s0", "hint": 8}: two children, text (string) and hint
    special_float,  ///< {"float": "inf"}
    raw_json,       ///< any other tagged object, such as {"object": CLASS, "text": ...}, kept as its JSON text
};

/// One argument value, 16 bytes. Children of lists live in the arena of the graph that the value came from.
struct Value {
    ValueKind kind = ValueKind::none;
    std::uint32_t count = 0;  ///< children of a list, dictionary (two each entry), slice or symbol
    union {
        std::int64_t integer = 0;
        double floating;
        bool boolean;
        std::uint32_t first;  ///< first child
        StringId string;      ///< string, dtype, device, layout, memory_format, special_float, raw_json
        NodeId node;
    };

    static Value of_none() { return {}; }
    static Value of_boolean(bool value);
    static Value of_integer(std::int64_t value);
    static Value of_floating(double value);
    static Value of_node(NodeId value);
    /// @param kind any kind whose payload is a string.
    static Value of_string(StringId value, ValueKind kind = ValueKind::string);

    bool is(ValueKind wanted) const { return kind == wanted; }
    bool has_children() const {
        return kind == ValueKind::list || kind == ValueKind::dictionary || kind == ValueKind::slice ||
               kind == ValueKind::symbol;
    }
};

/// Calls `visit(NodeId)` for each node that `value` mentions, in order, descending into lists, dictionaries and slices
/// (torch.fx `map_arg`); repeated mentions are visited again.
/// @param arena the children of lists, by number.
template <typename Arena, typename Visit>
void for_each_node(const Arena& arena, const Value& value, Visit&& visit) {
    if (value.kind == ValueKind::node) {
        visit(value.node);
    } else if (value.has_children()) {
        for (std::uint32_t child = 0; child < value.count; ++child) {
            for_each_node(arena, arena[value.first + child], visit);
        }
    }
}

}  // namespace overlap
