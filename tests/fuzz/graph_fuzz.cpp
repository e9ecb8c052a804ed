// libFuzzer target: any bytes are refused or a graph, which is written as a text that reads back the same.

#include "core/graph/module_tree.h"
#include "tests/fuzz/gzip_text.h"
#include "tests/fuzz/readable_graph.h"

void overlap::fuzz::run(std::string_view input) {
    count_gzip_text(input);
    const std::shared_ptr<const Graph> graph = read_graph_text(input, "fuzz");
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        graph->output_bytes(node);
        graph->group_name(node);
        if (graph->target_info(node).is_wait) graph->awaited_start(node);
    }
    require_readable(*graph);
}
