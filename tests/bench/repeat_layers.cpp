// repeat_layers GRAPH NODES OUT: writes the graph with its layers repeated until it has at least that many nodes, for
// programs that read files, such as `overlap bench` under callgrind.

#include <charconv>
#include <exception>
#include <iostream>
#include <string_view>

#include "core/io/graph_file.h"
#include "tests/support/repeated_layers.h"

int main(int argument_count, char** arguments) {
    using namespace overlap;
    std::uint32_t nodes = 0;
    const std::string_view wanted = argument_count == 4 ? arguments[2] : "";
    const auto [behind, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), nodes);
    if (error != std::errc{} || behind != wanted.data() + wanted.size()) {
        std::cerr << "usage: repeat_layers GRAPH NODES OUT\n";
        return 2;
    }
    try {
        const std::shared_ptr<const Graph> graph = read_graph_file(arguments[1]);
        write_graph_file(*test::repeat_layers(*graph, test::repetitions_for(*graph, nodes)), arguments[3]);
    } catch (const std::exception& failure) {
        std::cerr << "repeat_layers: " << failure.what() << '\n';
        return 1;
    }
    return 0;
}
