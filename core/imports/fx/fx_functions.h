#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace overlap {

/// A graph in a text, as a function `forward` or as torch prints an `fx.Graph`.
struct FxFunction {
    std::string name;           ///< of the class around it, such as `GraphModule` or `<lambda>`; empty without one
    std::size_t begin = 0;      ///< of `def` or `graph(`
    std::size_t inputs = 0;     ///< of the `load_args` that has its inputs' types; 0: there is none
    bool is_node_list = false;  ///< printed by `print(graph)`
    bool is_nested = false;     ///< the body of a higher-order operator of the graph before it
};

/// The graphs of a text in order: what `GraphModule.print_readable`, `GraphModule.code`, `print(graph)` and
/// `fx_graph_runnable` write, and post-grad dumps. Looks at the beginning of lines only.
std::vector<FxFunction> find_fx_functions(std::string_view text);

}  // namespace overlap
