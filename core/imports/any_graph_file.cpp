#include "core/imports/any_graph_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/imports/import_source.h"

namespace overlap {
namespace {

ImportGaps gaps_of(const ImportedGraph& imported, const ImportOptions& options) {
    const Graph& graph = *imported.graph;
    ImportGaps gaps;
    bool communicates = false;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const bool calls = graph.op(node) == NodeOp::call_function;
        if (!calls || graph.target_info(node).starts == CollectiveKind::none) continue;
        const std::string_view group = graph.group_name(node);
        if (group.empty()) continue;
        communicates = true;
        if (!graph.header().process_group(group)) gaps.groups.emplace(group);
    }
    gaps.rank = communicates && !graph.header().rank;
    gaps.world_size = communicates && !graph.header().world_size;
    for (const std::string& symbol : imported.symbols)
        if (!options.symbols.contains(symbol)) gaps.symbols.insert(symbol);
    gaps.inputs = imported.typing.unknown_inputs.size();
    gaps.without_tensors = imported.typing.unknown;
    return gaps;
}

}  // namespace

bool ImportGaps::empty() const {
    return groups.empty() && !rank && !world_size && symbols.empty() && without_tensors == 0;
}

OpenedGraph open_imported(const ImportableGraph& graph, const ImportOptions& options,
                          const std::vector<std::string>& notes, std::stop_token stop) {
    ImportedGraph imported = import_graph(graph, options, stop);
    OpenedGraph opened;
    for (const std::string& note : notes) opened.notes.push_back({note});
    if (!imported.graph) return opened;
    opened.gaps = gaps_of(imported, options);
    opened.graph = std::move(imported.graph);
    std::ranges::move(imported.notes, std::back_inserter(opened.notes));
    std::ranges::move(unknown_notes(imported.typing, "a table of tensors"), std::back_inserter(opened.notes));
    return opened;
}

OpenedGraph read_any_graph_file(const std::string& path, const GraphReading& reading) {
    if (!is_importable_file(path)) return {read_graph_file(path, reading), {}};
    const ImportListing listing = list_importable_graphs({path}, reading.stop);
    if (reading.stop.stop_requested()) return {};
    if (listing.graphs.size() != 1) {
        std::string problem = "it holds ";
        problem += std::to_string(listing.graphs.size());
        problem += " graphs; overlap import --list lists them, and --graph with -o makes a document of one";
        throw InputError(path, "", problem);
    }
    return open_imported(listing.graphs.front(), {}, listing.notes, reading.stop);
}

}  // namespace overlap
