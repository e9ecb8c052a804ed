// libFuzzer target: any bytes give an InputError or a graph, and a graph is written as text that reads back the same.
//
//     graph_fuzz -max_len=20000 CORPUS tests/data/bad tests/data/graphs

#include <cstdint>
#include <cstdlib>

#include "core/graph/error.h"
#include "core/graph/module_tree.h"
#include "core/io/graph_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace overlap;
    std::shared_ptr<const Graph> graph;
    try {
        graph = read_graph_text({reinterpret_cast<const char*>(data), size}, "fuzz");
    } catch (const InputError&) {
        return 0;
    }
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        graph->output_bytes(node);
        graph->group_name(node);
        if (graph->target_info(node).is_wait) graph->awaited_start(node);
    }
    const std::string text = write_graph_text(*graph);
    if (write_graph_text(*read_graph_text(text, "again")) != text) std::abort();
    return 0;
}
