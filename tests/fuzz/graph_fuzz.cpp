// libFuzzer target: any bytes are refused or a graph, which is written as a text that reads back the same.

#include "core/graph/module_tree.h"
#include "core/io/graph_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/gzip_text.h"

void overlap::fuzz::run(std::string_view input) {
    count_gzip_text(input);
    const std::shared_ptr<const Graph> graph = read_graph_text(input, "fuzz");
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        graph->output_bytes(node);
        graph->group_name(node);
        if (graph->target_info(node).is_wait) graph->awaited_start(node);
    }
    const std::string text = write_graph_text(*graph);
    require(write_graph_text(*read_graph_text(text, "again")) == text, "a graph was read back as another one");
}
