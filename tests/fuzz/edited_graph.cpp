#include "tests/fuzz/edited_graph.h"

#include <array>
#include <cstddef>
#include <string>

#include "core/base/error.h"
#include "core/graph/editing/graph_editor.h"
#include "core/graph/module_tree.h"
#include "core/io/graph_file.h"
#include "tests/fuzz/graph_edits.h"
#include "tests/fuzz/readable_graph.h"

namespace overlap::fuzz {
namespace {

/// Every kind of collective, modules in stacks and by name, results of passes, several groups, two meshes.
constexpr std::array sources = {
    "random_goldens/random_3053.graph.json.gz",
    "scheduling_goldens/random_1383.graph.json.gz",
    "bucketing_goldens/random_9048.graph.json.gz",
    "random_goldens/random_3019.graph.json.gz",
    "random_goldens/random_3053.result.graph.json.gz",
    "bucketing_goldens/random_9069.graph.json.gz",
    "scheduling_goldens/random_1349.graph.json.gz",
    "scheduling_goldens/random_1356.graph.json.gz",
    "redistribution_graphs/fsdp_tp_rows.graph.json",
    "redistribution_graphs/hsdp.graph.json",
    "graphs/everything.graph.json",
};
constexpr std::size_t most_edits = 24;
/// What an edit makes a document longer by, at most: a node stands there once more, or has a module.
constexpr std::size_t bytes_of_edit = 256;

/// A graph as it is read, and how long its document is.
struct Source {
    std::shared_ptr<const Graph> graph;
    std::size_t bytes = 0;
};

/// The first `count` nodes of `graph`. The output stays, of what is left.
Source first_nodes(const std::shared_ptr<const Graph>& graph, std::size_t count) {
    GraphEditor editor(graph);
    std::vector<NodeId> gone;
    for (auto node = static_cast<NodeId>(count); node < graph->node_count(); ++node) {
        if (graph->op(node) != NodeOp::output) gone.push_back(node);
    }
    const NodeId output = graph->node_count() - 1;
    if (!gone.empty() && graph->op(output) == NodeOp::output) {
        // A list in all sources.
        const std::span<const Value> returned = graph->children(*graph->argument(output, 0));
        std::vector<Value> left;
        for (const Value& value : returned) {
            const bool stays = !value.is(ValueKind::node) || value.node < count;
            left.push_back(stays ? value : Value::of_none());
        }
        const Value list = editor.list(left);
        editor.set_arguments(output, editor.list({&list, 1}), graph->record(output).kwargs);
    }
    for (auto node = gone.rbegin(); node != gone.rend(); ++node) editor.erase(*node);
    std::vector<NodeId> origin;
    const std::string text = write_graph_text(*editor.finish(origin));
    return {read_graph_text(text, "source"), text.size()};
}

/// By document and by number of nodes less one. Inputs share them: to cut and to read takes longer than most passes.
const std::vector<std::vector<Source>>& all_sources() {
    static const std::vector<std::vector<Source>> cut = [] {
        std::vector<std::vector<Source>> documents;
        for (const char* source : sources) {
            const auto whole = read_graph_file(std::string(OVERLAP_TEST_DATA) + "/" + source);
            documents.emplace_back();
            for (std::size_t count = 1; count <= whole->node_count(); ++count) {
                documents.back().push_back(first_nodes(whole, count));
            }
        }
        return documents;
    }();
    return cut;
}

}  // namespace

std::shared_ptr<const Graph> edited_graph(Choices& choices) {
    const std::vector<Source>& cut = choices.one_of(all_sources());
    // Many small graphs tell more than few larger ones in the same time.
    const Source& source = choices.one_in(4) ? cut.back() : choices.one_of(cut);
    const std::size_t edits = choices.below(most_edits + 1);
    count_input(source.bytes + edits * bytes_of_edit);
    const auto graph = with_edits(source.graph, edits, choices);
    if (choices.by_lot(32)) require_readable(*graph);
    return graph;
}

std::vector<std::string> module_names(const Graph& graph, Choices& choices) {
    const ModuleTree tree(graph, preferred_module_source(graph));
    std::vector<std::string> names(choices.below(4));
    for (std::string& name : names) {
        if (choices.one_in(8) || !tree.exists()) {
            name = choices.one_of(odd_modules());
        } else {
            name = tree.path(static_cast<ModuleTree::ModuleId>(choices.below(tree.module_count())));
        }
    }
    return names;
}

}  // namespace overlap::fuzz
